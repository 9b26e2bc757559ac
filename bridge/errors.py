"""The one error type that reaches the C side, and how exceptions of foreign code become one."""

from __future__ import annotations

import functools
import os
import traceback
from typing import Any, Optional

# Rows of src/base/err.def that the bridge uses, in lower case.
CODES = ("bad_input", "unsupported", "not_found", "timeout", "child_died", "internal", "no_python", "io")


class BridgeError(Exception):
    """Something the user or the caller has to know: one sentence, a place, one sentence of cure."""

    def __init__(self, code: str, message: str, file: str = "", line: int = 0, hint: str = "", trace: str = "") -> None:
        super().__init__(message)
        assert code in CODES, code
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.hint = hint
        self.trace = trace
        self.decides = False  # the program depends on values, so no trace follows it

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "file": self.file, "line": self.line, "hint": self.hint,
                "trace": self.trace}


def is_out_of_memory(exc: BaseException) -> bool:
    """RLIMIT_AS shows as MemoryError in Python and as a RuntimeError of the allocator in PyTorch."""
    return isinstance(exc, MemoryError) or "can't allocate memory" in str(exc) or "std::bad_alloc" in str(exc)


def out_of_memory() -> BridgeError:
    return BridgeError("child_died", "the code needs more memory than the limit allows",
                       hint="use smaller sizes in get_inputs, or raise the memory limit")


def user_line(exc: BaseException, path: str) -> int:
    """Line of `path` nearest to where exc was raised; 0 when the file is not in its traceback."""
    if isinstance(exc, SyntaxError) and exc.filename is not None and same_file(exc.filename, path):
        return exc.lineno or 0
    line = 0
    tb = exc.__traceback__
    while tb is not None:
        if same_file(tb.tb_frame.f_code.co_filename, path):
            line = tb.tb_lineno
        tb = tb.tb_next
    return line


@functools.lru_cache(maxsize=4096)
def same_file(a: str, b: str) -> bool:
    return a == b or os.path.realpath(a) == os.path.realpath(b)


def describe(exc: BaseException) -> str:
    """`ValueError: text`, first paragraph only and cut to a readable length."""
    text = str(exc).strip().split("\n\n")[0]
    if isinstance(exc, SyntaxError):
        text = exc.msg or "invalid syntax"
    text = " ".join(text.split())
    if len(text) > 600:
        text = text[:600] + "..."
    return f"{type(exc).__name__}: {text}" if text else type(exc).__name__


def format_trace(exc: BaseException) -> str:
    return "".join(traceback.format_exception(type(exc), exc, exc.__traceback__))[-8000:]


def from_user_code(exc: BaseException, path: str, doing: str, hint: str = "", code: str = "bad_input",
                   line: Optional[int] = None) -> BridgeError:
    """An exception out of the user's file, placed in it. `doing` is a clause such as "importing the file"."""
    if isinstance(exc, BridgeError):
        return exc
    if is_out_of_memory(exc):
        return out_of_memory()
    where = user_line(exc, path) if line is None else line
    return BridgeError(code, f"{doing}: {describe(exc)}", path, where, hint, format_trace(exc))
