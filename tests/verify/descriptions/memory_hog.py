# The binding takes memory until there is none.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(python_bind_src=[
    ("#include <torch/library.h>", "#include <torch/library.h>\n#include <cstdlib>\n#include <cstring>"),
    ("    return z;", "    for (;;) {\n        void* p = std::malloc(64 << 20);\n        std::memset(p, 1, 64 << 20);\n    }\n    return z;"),
]))
