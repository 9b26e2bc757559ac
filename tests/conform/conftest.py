"""The conformance suite imports its own modules and tools/api_table.py by name."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for path in (HERE, HERE.parents[1] / "tools"):
    if str(path) not in sys.path:
        sys.path.insert(0, str(path))
