# Uses a matmul object, which the simulator does not know yet.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(kernel_src=[("#include \"kernel_operator.h\"", "#include \"kernel_operator.h\"\n#include \"lib/matmul_intf.h\"")]))
