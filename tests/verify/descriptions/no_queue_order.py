# DeQue before EnQue: the core waits for itself.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(kernel_src=[("        qx.EnQue(x);\n", "        x = qx.DeQue<DTYPE_X>();\n        qx.EnQue(x);\n")]))
