"""The worker process: reads requests from descriptor 3, answers on descriptor 4 (docs/bridge.md).

PyTorch is imported at once, without waiting for a request, because the C side starts compilers meanwhile. Each request
then runs in a forked child, so foreign code cannot spoil the next one.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
import platform
import sys
from types import ModuleType
from typing import Any, Optional

IN_FD, OUT_FD = 3, 4
PACKAGE = "opwright_bridge"
TORCH_MIN, TORCH_MAX = (2, 4), (2, 13)

# method -> (module of this package, function). The module is imported before the fork, so that only the first request
# of a kind pays for it.
METHODS: dict[str, tuple[str, str]] = {
    "load_reference": ("reference", "load_reference"),
    "groups": ("groups", "groups"),
    "trace": ("trace", "trace"),
    "admit": ("admit", "admit"),
    "load_desc": ("describe", "load_desc"),
    "check_model": ("describe", "check_model"),
    "run": ("evaluate", "run"),
    "backward_truth": ("backward_truth", "backward_truth"),
    "backward_choices": ("backward_truth", "backward_choices"),
}


def load_package() -> None:
    """Makes this folder importable as PACKAGE, and takes it off sys.path, where its names would shadow users' modules."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.getcwd()) != here]
    spec = importlib.util.spec_from_file_location(PACKAGE, os.path.join(here, "__init__.py"), submodule_search_locations=[here])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)


def import_torch() -> tuple[Optional[ModuleType], str]:
    """PyTorch with one thread (a thread pool does not survive a fork), or the reason why there is none."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy.random")  # every case seeds it
        return torch, ""
    except Exception as exc:  # noqa: BLE001 - a broken installation raises anything
        return None, f"{type(exc).__name__}: {exc}"


def torch_version(text: str) -> tuple[int, int]:
    parts = text.split("+")[0].split(".")
    try:
        return int(parts[0]), int(parts[1])
    except (IndexError, ValueError):
        return 0, 0


def hello(torch: ModuleType) -> dict[str, Any]:
    supported = TORCH_MIN <= torch_version(torch.__version__) <= TORCH_MAX and sys.version_info >= (3, 9)
    message = ""
    if not supported:
        message = (f"PyTorch {torch.__version__} on Python {platform.python_version()} has not been tried: "
                   f"opwright knows PyTorch {'.'.join(map(str, TORCH_MIN))} to {'.'.join(map(str, TORCH_MAX))} on Python 3.9 or newer")
    return {"python": platform.python_version(), "torch": torch.__version__, "supported": supported, "message": message,
            "threads": torch.get_num_threads()}


def answer(request: dict[str, Any], torch: Optional[ModuleType], why: str) -> Any:
    from opwright_bridge import child, errors  # type: ignore[import-not-found]

    def failed(error: Any) -> Any:
        return child.Reply({"error": error.to_json(), "log": ""})

    method, params, limits = request.get("method"), request.get("params") or {}, request.get("limits") or {}
    if torch is None:
        return failed(errors.BridgeError("no_python", f"{sys.executable} cannot import PyTorch: {why}",
                                         hint=f"run: {sys.executable} -m pip install torch"))
    if method == "hello":
        return child.Reply({"result": hello(torch), "log": ""})
    if not isinstance(method, str) or method not in METHODS or not isinstance(params, dict) or not isinstance(limits, dict):
        return failed(errors.BridgeError("bad_input", f"no method {method!r} with such parameters",
                                         hint="methods: hello, quit, " + ", ".join(METHODS)))
    module, function = METHODS[method]
    try:
        handler = getattr(importlib.import_module(f"{PACKAGE}.{module}"), function)
    except Exception as exc:  # noqa: BLE001
        return failed(errors.BridgeError("internal", f"cannot load the bridge's {module}: {errors.describe(exc)}",
                                         trace=errors.format_trace(exc)))
    return child.run(handler, params, limits, (IN_FD, OUT_FD))


def serve() -> int:
    from opwright_bridge import frames  # type: ignore[import-not-found]

    torch, why = import_torch()
    gc.freeze()  # what is there now never goes: collections in the children would only copy its pages
    while True:
        try:
            request = frames.read_frame(IN_FD)
        except frames.FrameError as exc:
            print(f"worker: {exc}", file=sys.stderr)
            return 1
        if request is None or request.get("method") == "quit":
            return 0
        reply = answer(request, torch, why)
        reply.value["id"] = request.get("id")
        try:
            reply.send(OUT_FD)
        except BrokenPipeError:
            return 0
        finally:
            reply.close()


def main() -> int:
    try:
        os.fstat(IN_FD), os.fstat(OUT_FD)
    except OSError:
        print("bridge/worker.py is started by opwright, which talks to it through descriptors 3 and 4", file=sys.stderr)
        return 2
    for fd in (IN_FD, OUT_FD):
        os.set_inheritable(fd, False)
    load_package()
    from opwright_bridge import child  # type: ignore[import-not-found]

    child.die_with_parent(os.getppid())  # in the middle of a request it would not see that the pipe is closed
    child.guard_parent()
    return serve()


if __name__ == "__main__":
    sys.exit(main())
