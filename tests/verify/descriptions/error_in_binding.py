# A statement without its semicolon in the binding.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(python_bind_src=[("at::Tensor z = at::empty_like(x);", "at::Tensor z = at::empty_like(x)")]))
