# Copies whole blocks only: the last tile goes past the end of the tensors.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(kernel_src=[
    ("uint32_t n = count - at < TILE ? count - at : TILE;", "uint32_t n = TILE;"),
    ("DataCopyPad(x, gx[at], shape, pad);", "DataCopy(x, gx[at], n);"),
    ("DataCopyPad(y, gy[at], shape, pad);", "DataCopy(y, gy[at], n);"),
    ("DataCopyPad(gz[at], z, shape);", "DataCopy(gz[at], z, n);"),
]))
