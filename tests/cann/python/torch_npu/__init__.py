"""Stand-in for torch_npu: the device npu:0 is the CPU."""
import os
import sys
import time
from types import ModuleType

import torch

if os.environ.get("STAND_IN_MODE") == "no-device":
    raise ImportError("libhccl.so: cannot open shared object file: No such file or directory")

torch.utils.rename_privateuse1_backend("npu")


def _is_npu(value):
    return isinstance(value, torch.device) and value.type == "npu" or isinstance(value, str) and value.startswith("npu")


def _on_cpu(original):
    def to(self, *args, **kwargs):
        args = tuple(torch.device("cpu") if _is_npu(a) else a for a in args)
        kwargs = {k: torch.device("cpu") if _is_npu(v) else v for k, v in kwargs.items()}
        return original(self, *args, **kwargs)

    return to


torch.Tensor.to = _on_cpu(torch.Tensor.to)
torch.nn.Module.to = _on_cpu(torch.nn.Module.to)


class Event:
    def __init__(self, enable_timing=False):
        assert enable_timing
        self.at = None

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3


def set_device(device):
    if os.environ.get("STAND_IN_MODE") == "no-card":
        raise RuntimeError("Initialize:NPUFunction error code 207004")
    assert device == "npu:0", device
    assert os.environ.get("ASCEND_RT_VISIBLE_DEVICES") == os.environ.get("STAND_IN_DEVICE", "0")


npu = ModuleType("torch_npu.npu")
npu.set_device, npu.synchronize, npu.Event = set_device, lambda *a, **k: None, Event
torch.npu = npu
sys.modules["torch.npu"] = npu
