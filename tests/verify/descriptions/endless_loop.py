# The tile loop forgets to advance.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(kernel_src=[("at < count; at += TILE", "at < count; at += 0")]))
