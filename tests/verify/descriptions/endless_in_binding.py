# The binding never returns.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(python_bind_src=[("    return z;", "    for (volatile int i = 0;; i = i + 1) {}\n    return z;")]))
