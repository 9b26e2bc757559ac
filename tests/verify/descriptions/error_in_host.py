# The host code uses a name it never declared.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(host_operator_src=[("data.set_share(share);", "data.set_share(shore);")]))
