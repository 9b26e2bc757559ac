# The binding follows a null pointer.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(python_bind_src=[("at::Tensor z = at::empty_like(x);", "at::Tensor z = at::empty_like(x);\n    volatile int* nowhere = nullptr;\n    *nowhere = 1;")]))
