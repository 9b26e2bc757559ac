# Subtracts where the reference adds.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(kernel_src=[("AscendC::Add(z, x, y, n);", "AscendC::Sub(z, x, y, n);")]))
