"""A built operator as a function: `build.json` of a folder that verification left (VerifyOptions.build_dir), on the simulated AI Core.

For PyTorch glue on machines without an NPU (docs/backward.md). It runs in the caller's process, without a cage: for operators one trusts.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import torch

from .runtime import OperatorError, Runtime


class Built:
    """The operator of a build folder. Calls take CPU tensors and return new ones."""

    def __init__(self, folder: str, description: str = "") -> None:
        """description: its path, to notice that it was edited after the build. Raises OSError without a build, ValueError when it is an old one."""
        with open(os.path.join(folder, "build.json"), encoding="utf-8") as f:
            build = json.load(f)
        if description:
            with open(description, "rb") as f:
                if hashlib.sha256(f.read()).hexdigest() != build["description_sha256"]:
                    raise ValueError(f"{description} was edited after {folder} was built")
        self.name: str = build["kernel_name"]
        self._runtime = Runtime(os.environ.get("OPWRIGHT_RT") or build["runtime"], build["chip"])
        kernels = [k and os.path.join(folder, k) for k in build["kernel_sos"]]
        self._runtime.load_op(os.path.join(folder, build["host_so"]), self.name, kernels)
        self._runtime.load_binding(os.path.join(folder, build["binding_so"]))

    def __call__(self, *arguments: Any) -> list[torch.Tensor]:
        """The outputs. Raises OperatorError when the call fails or the simulator finds an error, which a device might not show."""
        try:
            result = self._runtime.call(self.name, arguments, {})
            report = self._runtime.report()
            outputs = list(result) if isinstance(result, (tuple, list)) else [result]
            outputs = [t.clone() for t in outputs]
        finally:
            self._runtime.forget()
        wrong = next((f for f in report.get("findings", []) if f["severity"] == "error"), None)
        if wrong is not None:
            raise OperatorError("launch", f"{self.name}: {wrong['file']}:{wrong['line']}: [{wrong['check']}] {wrong['text']}")
        return outputs
