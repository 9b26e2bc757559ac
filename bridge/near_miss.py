"""References that are nearly the reference: when a result is wrong, one of them may be what was computed.

The reference runs once while its calls are noted; then once for each change that fits one of these calls: another function in its
place (NEAR), or the call left out. Who compares finds the one that the candidate's result equals.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

MAX_CHANGES = 32
TIME_S = 20.0

Change = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class Row:
    """names: of the functions it fits; text and text_zh say what stands in their place."""

    def __init__(self, names: str, text: str, text_zh: str, change: Change) -> None:
        self.names, self.text, self.text_zh, self.change = set(names.split()), text, text_zh, change


def _unary(function: Callable[[Any], Any]) -> Change:
    return lambda func, args, kwargs: function(args[0])


def _with(**more: Any) -> Change:
    return lambda func, args, kwargs: func(*args, **{**kwargs, **more})


def _same_call(name: str) -> Change:
    """The same arguments to another function of the same form."""

    def change(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return getattr(torch, name)(*args, **kwargs)

    return change


def _swapped(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    a, b = args[0], args[1]
    return func(b, a, *args[2:], **kwargs) if isinstance(b, torch.Tensor) else func(torch.full_like(a, b), a, *args[2:], **kwargs)


def _other_bias(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """var, std and their kin: the divisor n for n - 1 and the other way round."""
    now = kwargs.pop("unbiased", None)
    correction = kwargs.pop("correction", None)
    rest = list(args)
    if len(rest) > 1 and isinstance(rest[-1], bool) and now is None:
        now = rest.pop()
    biased = now is False or correction == 0
    if len(rest) < 2 and "dim" not in kwargs:
        kwargs["dim"] = None
    return func(*rest, **{**kwargs, "correction": 1 if biased else 0})


def _other_gelu(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return F.gelu(args[0], approximate="none" if kwargs.get("approximate") == "tanh" else "tanh")


def _other_pad_count(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    names = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    given = {**dict(zip(names, args[1:])), **kwargs}
    return func(args[0], **{**given, "count_include_pad": not given.get("count_include_pad", True)})


def _other_dim(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x = args[0]
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if not isinstance(dim, int) or x.dim() < 2:
        raise ValueError("no other dimension")
    other = -1 if dim % x.dim() != x.dim() - 1 else 0
    return func(x, *( () if "dim" in kwargs or len(args) < 2 else (other,)), *args[2:], **{**kwargs, **({"dim": other} if "dim" in kwargs or len(args) < 2 else {})})


def _turned(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """where and masked_fill with the condition the other way round."""
    if func.__name__ == "where":
        return func(~args[0], *args[1:], **kwargs)
    return func(args[0], ~args[1], *args[2:], **kwargs)


def _transposed(side: int) -> Change:
    def change(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rest = list(args)
        rest[side] = rest[side].transpose(-1, -2)
        return func(*rest, **kwargs)

    return change


NEAR: list[Row] = [
    Row("sigmoid", "x * sigmoid(x) (silu, swish) in place of sigmoid", "用 x * sigmoid(x) (silu、swish) 代替了 sigmoid", _unary(F.silu)),
    Row("silu", "sigmoid in place of silu", "用 sigmoid 代替了 silu", _unary(torch.sigmoid)),
    Row("gelu", "the other form of gelu (tanh for erf, or erf for tanh)", "用了另一种 gelu 形式 (tanh 与 erf 互换)", _other_gelu),
    Row("gelu", "x * sigmoid(1.702 x) in place of gelu", "用 x * sigmoid(1.702 x) 代替了 gelu", _unary(lambda x: x * torch.sigmoid(1.702 * x))),
    Row("var std var_mean std_mean", "the other divisor of the variance (n for n - 1, or n - 1 for n)", "方差用了另一种除数 (n 与 n - 1 互换)", _other_bias),
    Row("mean", "a sum in place of the mean", "用求和代替了求平均", _same_call("sum")),
    Row("sum", "a mean in place of the sum", "用求平均代替了求和", _same_call("mean")),
    Row("amax", "the minimum in place of the maximum", "用最小值代替了最大值", _same_call("amin")),
    Row("amin", "the maximum in place of the minimum", "用最大值代替了最小值", _same_call("amax")),
    Row("max", "the minimum in place of the maximum", "用最小值代替了最大值", _same_call("min")),
    Row("min", "the maximum in place of the minimum", "用最大值代替了最小值", _same_call("max")),
    Row("argmax", "argmin in place of argmax", "用 argmin 代替了 argmax", _same_call("argmin")),
    Row("argmin", "argmax in place of argmin", "用 argmax 代替了 argmin", _same_call("argmax")),
    Row("maximum", "the minimum in place of the maximum", "用 minimum 代替了 maximum", _same_call("minimum")),
    Row("minimum", "the maximum in place of the minimum", "用 maximum 代替了 minimum", _same_call("maximum")),
    Row("softmax log_softmax cumsum cumprod mean sum amax amin argmax argmin norm", "another dimension", "用了另一个维度", _other_dim),
    Row("softmax", "log_softmax in place of softmax", "用 log_softmax 代替了 softmax", lambda f, a, k: F.log_softmax(*a, **k)),
    Row("log_softmax", "softmax in place of log_softmax", "用 softmax 代替了 log_softmax", lambda f, a, k: F.softmax(*a, **k)),
    Row("log_softmax", "log_softmax with a logarithm of base 10", "log_softmax 的对数以 10 为底", lambda f, a, k: f(*a, **k) / 2.302585092994046),
    Row("avg_pool1d avg_pool2d avg_pool3d", "count_include_pad the other way round", "count_include_pad 取反", _other_pad_count),
    Row("layer_norm group_norm", "no weight and bias", "没有使用 weight 和 bias",
        lambda f, a, k: f(*a[:2], **{**{n: v for n, v in k.items() if n not in ("weight", "bias")}, "weight": None, "bias": None})),
    Row("linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d", "no bias", "没有加 bias",
        lambda f, a, k: f(*a[:2], None, *a[3:], **{n: v for n, v in k.items() if n != "bias"})),
    Row("matmul mm bmm __matmul__", "the first operand transposed", "第一个操作数被转置", _transposed(0)),
    Row("matmul mm bmm __matmul__", "the second operand transposed", "第二个操作数被转置", _transposed(1)),
    Row("sub __sub__ div __truediv__ true_divide pow __pow__", "its operands swapped", "两个操作数颠倒", _swapped),
    Row("add __add__ __radd__", "a subtraction in place of the addition", "用减法代替了加法", _same_call("sub")),
    Row("sub __sub__", "an addition in place of the subtraction", "用加法代替了减法", _same_call("add")),
    Row("mul __mul__ __rmul__", "a division in place of the multiplication", "用除法代替了乘法", _same_call("div")),
    Row("div __truediv__ true_divide", "a multiplication in place of the division", "用乘法代替了除法", _same_call("mul")),
    Row("mul __mul__ __rmul__", "an addition in place of the multiplication", "用加法代替了乘法", _same_call("add")),
    Row("where masked_fill masked_fill_", "its condition inverted", "条件取反", _turned),
    Row("sqrt", "rsqrt in place of sqrt", "用 rsqrt 代替了 sqrt", _unary(torch.rsqrt)),
    Row("rsqrt", "sqrt in place of rsqrt", "用 sqrt 代替了 rsqrt", _unary(torch.sqrt)),
    Row("log", "a logarithm of base 10", "用了以 10 为底的对数", _unary(torch.log10)),
    Row("log", "a logarithm of base 2", "用了以 2 为底的对数", _unary(torch.log2)),
    Row("log1p", "log in place of log1p", "用 log 代替了 log1p", _unary(torch.log)),
    Row("exp", "a power of 2 in place of exp", "用 2 的幂代替了 exp", _unary(torch.exp2)),
    Row("expm1", "exp in place of expm1", "用 exp 代替了 expm1", _unary(torch.exp)),
    Row("relu", "leaky_relu in place of relu", "用 leaky_relu 代替了 relu", _unary(F.leaky_relu)),
    Row("leaky_relu elu", "relu in place of it", "用 relu 代替", _unary(torch.relu)),
    Row("hardswish", "hardsigmoid in place of hardswish", "用 hardsigmoid 代替了 hardswish", _unary(F.hardsigmoid)),
    Row("hardsigmoid", "hardswish in place of hardsigmoid", "用 hardswish 代替了 hardsigmoid", _unary(F.hardswish)),
    Row("clamp clip", "no lower limit", "没有下限", lambda f, a, k: torch.clamp(a[0], max=k.get("max", a[2] if len(a) > 2 else None))),
    Row("clamp clip", "no upper limit", "没有上限", lambda f, a, k: torch.clamp(a[0], min=k.get("min", a[1] if len(a) > 1 else None))),
    Row("cumsum", "a sum without the element itself", "不包含自身元素的前缀和", lambda f, a, k: f(*a, **k) - a[0]),
    Row("floor", "ceil in place of floor", "用 ceil 代替了 floor", _unary(torch.ceil)),
    Row("ceil", "floor in place of ceil", "用 floor 代替了 ceil", _unary(torch.floor)),
    Row("round", "truncation in place of rounding", "用截断代替了舍入", _unary(torch.trunc)),
]


class _Calls(TorchFunctionMode):
    """Notes the calls, or makes call number `at` another one. Calls inside a call are its own affair."""

    def __init__(self, at: int = -1, change: Optional[Change] = None) -> None:
        super().__init__()
        self.names: list[str] = []
        self.keeps_form: list[bool] = []
        self.at, self.change = at, change

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Optional[dict[str, Any]] = None) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__"):
            return func(*args, **kwargs)
        number = len(self.names)
        self.names.append(name)
        self.keeps_form.append(False)
        if number == self.at and self.change is not None:
            return self.change(func, args, kwargs)
        out = func(*args, **kwargs)
        first = args[0] if args else None
        self.keeps_form[number] = isinstance(out, torch.Tensor) and isinstance(first, torch.Tensor) and out.shape == first.shape and out.dtype == first.dtype
        return out


def _skip(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0]


# Calls that compute nothing: leaving one out says nothing about a kernel.
_NO_WORK = {"contiguous", "clone", "detach", "to", "view", "reshape", "float", "half", "expand", "size", "dim", "numel", "type", "dropout", "__getitem__", "unsqueeze",
            "squeeze", "permute", "transpose", "flatten", "copy_"}


def changes_of(names: list[str], keeps_form: list[bool]) -> list[tuple[str, str, int, Change]]:
    """Text, Chinese text, number of the call and the change, for every change that fits."""
    out: list[tuple[str, str, int, Change]] = []
    for i, name in enumerate(names):
        which = f" (call {names[:i + 1].count(name)} of {names.count(name)})" if names.count(name) > 1 else ""
        out += [(f"{row.text}{which if which else ''}", f"{row.text_zh}{which}", i, row.change) for row in NEAR if name in row.names]
        if keeps_form[i] and name not in _NO_WORK:
            plain = name.strip("_")
            out.append((f"{plain} left out{which}", f"漏掉了 {plain}{which}", i, _skip))
    return out[:MAX_CHANGES]


class _Range(TorchFunctionMode):
    """The largest finite magnitude among all that is computed."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = 0.0

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Optional[dict[str, Any]] = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if getattr(func, "__name__", "") not in ("__get__", "__set__"):
            with torch._C.DisableTorchFunction():
                for t in (*args, *(out if isinstance(out, (tuple, list)) else (out,))):
                    self.add(t)
        return out

    def add(self, t: Any) -> None:
        if isinstance(t, torch.Tensor) and t.is_floating_point() and t.numel():
            finite = torch.nan_to_num(t.detach().to(torch.float64), nan=0.0, posinf=0.0, neginf=0.0)
            self.largest = max(self.largest, float(finite.abs().max()))


def largest_magnitude(call: Callable[[], list[torch.Tensor]], inputs: list[torch.Tensor]) -> float:
    """Of the inputs, the outputs and everything in between."""
    mode = _Range()
    for t in inputs:
        mode.add(t)
    with mode:
        call()
    return mode.largest


def near_results(call: Callable[[], list[torch.Tensor]]) -> list[dict[str, Any]]:
    """{text, text_zh, outputs} of each change under which `call`, the reference, still runs and gives another result."""
    noted = _Calls()
    start = time.monotonic()
    with noted:
        right = call()
    found: list[dict[str, Any]] = []
    for text, text_zh, at, change in changes_of(noted.names, noted.keeps_form):
        if time.monotonic() - start > TIME_S:
            break
        try:
            with _Calls(at, change):
                outputs = call()
        except Exception:  # noqa: BLE001 - what does not run is no candidate
            continue
        if [(t.shape, t.dtype) for t in outputs] != [(t.shape, t.dtype) for t in right]:
            continue
        if any(not torch.equal(a, b) for a, b in zip(outputs, right)):
            found.append({"text": text, "text_zh": text_zh, "outputs": outputs})
    return found
