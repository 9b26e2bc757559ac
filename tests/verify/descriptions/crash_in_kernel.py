# The kernel follows a null pointer of its own after its second instruction.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(kernel_src=[("        qx.EnQue(x);", "        volatile int* nowhere = nullptr;\n        *nowhere = 1;\n        qx.EnQue(x);")]))
