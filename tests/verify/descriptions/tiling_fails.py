# The tiling function gives up.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(host_operator_src=[("    return ge::GRAPH_SUCCESS;\n}\n}\n\nnamespace ge", "    return ge::GRAPH_FAILED;\n}\n}\n\nnamespace ge")]))
