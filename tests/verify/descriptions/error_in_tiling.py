# A field without a type.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(host_tiling_src=[("TILING_DATA_FIELD_DEF(uint32_t, share);", "TILING_DATA_FIELD_DEF(no_such_type, share);")]))
