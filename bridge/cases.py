"""Inputs of one run: what get_inputs() gives, or the same kind of values in other shapes, dtypes and layouts."""

from __future__ import annotations

import math
import random
from typing import Any, Iterator, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import reference, wide
from .errors import BridgeError
from .model_tensors import Slot, slots

POOL_ELEMENTS = 1 << 22     # sample of a file's own values that is enough to draw from
DIM_CAPS = (1024, 256, 64, 16, 4)
EDGE_SHARE = 16             # one element in this many becomes an edge value

_FACTORIES = {"aten.rand.default", "aten.randn.default", "aten.randint.default", "aten.randint.low", "aten.zeros.default",
              "aten.ones.default", "aten.full.default", "aten.empty.memory_format", "aten.rand.generator", "aten.randn.generator",
              "aten.randint.generator", "aten.randint.low_generator"}


class Case:
    """One set of inputs. `arguments` are forward's, in order; `model` maps paths to replaced parameters and buffers."""

    def __init__(self, arguments: list[Any], init_inputs: list[Any], dtype: Optional[torch.dtype]) -> None:
        self.arguments, self.init_inputs, self.dtype = arguments, init_inputs, dtype
        self.model: dict[str, list[int]] = {}
        self.profile = "own"
        self.earlier: list[list[Any]] = []  # arguments of calls made before this one, on the same model
        self.truth: Optional[Callable[[], list[torch.Tensor]]] = None  # what the results are compared with, when it was made before

    def tensors(self) -> list[torch.Tensor]:
        return [a for a in self.arguments if isinstance(a, torch.Tensor)]


def set_seed(seed: int) -> None:
    torch.default_generator.manual_seed(seed)  # torch.manual_seed also tells every kind of device, which takes milliseconds
    random.seed(seed)
    try:
        import numpy

        numpy.random.seed(seed % (1 << 32))
    except ImportError:
        pass


def make(ref: reference.Reference, spec: dict[str, Any], seed: int) -> Case:
    kind = spec.get("kind", "own")
    take_group(ref, spec)
    if kind == "own":
        return own(ref, _count(spec.get("trial", 0)), seed, spec.get("again") is True)
    if kind == "sized":
        return sized(ref, spec, seed)
    if kind == "record":
        from . import backward_truth

        return backward_truth.case_of(spec)
    raise BridgeError("bad_input", f"no case of kind {kind!r}", hint='kinds are "own", "sized" and "record"')


def take_group(ref: reference.Reference, spec: dict[str, Any]) -> Optional[int]:
    """A case of a file with groups may be of another one than the file's name says."""
    if ref.group is not None and isinstance(spec.get("group"), int):
        ref.group = spec["group"]
    return ref.group


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 100000:
        raise BridgeError("bad_input", f"trial is {value!r}, not a small count")
    return value


def own(ref: reference.Reference, trial: int, seed: int, again: bool = False) -> Case:
    """The inputs of call number `trial` of get_inputs() after one seeding; again: after a call with those before them."""
    set_seed(seed)
    init_inputs = ref.get_init_inputs()
    set_seed(seed)
    inputs = ref.get_inputs()
    earlier: Any = None
    for _ in range(trial):
        earlier = inputs
        inputs = ref.get_inputs()
    reference.check_inputs(ref, inputs)
    case = Case(inputs, init_inputs, None)
    if again and earlier is not None:
        case.earlier = [earlier]
    return case


# ---- sized cases ------------------------------------------------------------------------------------------------------


def sized(ref: reference.Reference, spec: dict[str, Any], seed: int) -> Case:
    set_seed(seed)
    init_inputs = ref.get_init_inputs()
    set_seed(seed)
    pool = sample_inputs(ref)
    reference.check_inputs(ref, pool)
    variant = spec.get("variant")
    dtype = getattr(torch, variant, None) if isinstance(variant, str) else None
    if not isinstance(dtype, torch.dtype):
        raise BridgeError("bad_input", f"variant {variant!r} is not a dtype")
    fixed = ref.fixed_inputs(len(pool))
    takes_variant = dtype.is_floating_point and not has_mixed_floats([v for i, v in enumerate(pool) if i not in fixed]) and not (has_fixed_dtypes(pool) and (ref.group is not None or any(t.is_complex() for t in pool if isinstance(t, torch.Tensor))))
    case = Case(list(pool), list(init_inputs), dtype if takes_variant else None)
    case.profile = spec.get("profile", "own")
    _set_scalars(ref, case, spec.get("scalars") or {})
    arguments, case.model = split_shapes(spec.get("inputs") or [])
    generator = torch.Generator().manual_seed(seed)
    tensor_at = [i for i, v in enumerate(pool) if isinstance(v, torch.Tensor)]
    if arguments and len(arguments) != len(tensor_at):
        raise BridgeError("bad_input", f"the case has shapes for {len(arguments)} tensors; get_inputs() returns {len(tensor_at)}")
    entries = [e for e in spec.get("inputs") or [] if not e.get("path")] or [{}] * len(tensor_at)
    for i, shape, entry in zip(tensor_at, arguments or [list(pool[i].shape) for i in tensor_at], entries):
        shape = shape if not arguments else wide.own_shape(shape, pool[i])
        values = keep_below(draw(pool[i], shape, generator), entry.get("below"), entry.get("from_end") is True)
        if case.dtype is not None and values.is_floating_point() and i not in fixed:
            values = values.to(case.dtype)
        if case.profile in ("edge", "special") and values.is_floating_point():
            mix_edges(values, generator, case.profile == "edge")
        if is_ascending(pool[i]):
            values = values.sort(-1).values
        case.arguments[i] = lay_out(values, spec.get("layout", "contiguous"))
    return case


def has_mixed_floats(values: list[Any]) -> bool:
    """Do the floating tensors of a call have several dtypes? Then an operator has one variant, the mixture of the file."""
    return len({t.dtype for t in values if isinstance(t, torch.Tensor) and t.is_floating_point()}) > 1


def has_fixed_dtypes(values: list[Any]) -> bool:
    """Does a call have float64 or complex tensors, which go to the operator as words? Files without groups get float32 for float64."""
    return any(wide.is_wide(v) for v in values)


def split_shapes(entries: list[Any]) -> tuple[list[list[int]], dict[str, list[int]]]:
    """Shapes of the tensor arguments in order, and of parameters and buffers by path."""
    arguments: list[list[int]] = []
    model: dict[str, list[int]] = {}
    for entry in entries:
        shape = entry.get("shape") if isinstance(entry, dict) else None
        if not isinstance(shape, list) or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape):
            raise BridgeError("bad_input", f"{entry!r} is not an input with a shape")
        path = entry.get("path")
        if isinstance(path, str) and path:
            model[path] = shape
        else:
            arguments.append(shape)
    return arguments, model


def _set_scalars(ref: reference.Reference, case: Case, scalars: dict[str, Any]) -> None:
    """Scalars by the names the graph gives them: forward's arguments first, then the constructor's."""
    from . import scalars as naming

    known = naming.names_of(ref, case.arguments, case.init_inputs)
    for name, value in scalars.items():
        found = next(((w, i) for names, w, i in known if name in names), None)
        if found is None or not naming.is_number(value):
            raise BridgeError("bad_input", f"the case sets the scalar {name} to {value!r}; the file has no such number")
        target = case.arguments if found[0] == "argument" else case.init_inputs
        target[found[1]] = type(target[found[1]])(value)


def draw(pool: torch.Tensor, shape: list[int], generator: torch.Generator) -> torch.Tensor:
    """Values of the pool in another shape; the pool itself where the shape is the same."""
    if list(pool.shape) == shape:
        return pool.detach().clone().contiguous()
    n = 1
    for size in shape:
        n *= size
    if pool.numel() == 0:
        return torch.rand(shape, generator=generator).to(pool.dtype)
    picks = torch.randint(0, pool.numel(), (n,), generator=generator)
    return pool.detach().reshape(-1)[picks].reshape(shape)


def is_ascending(pool: torch.Tensor) -> bool:
    """Are the rows of a file's own tensor in order, as boundaries and offsets are? Then other rows are, too."""
    if pool.is_complex() or pool.dtype == torch.bool or pool.dim() == 0 or pool.shape[-1] < 4 or pool.numel() == 0:
        return False
    return bool((pool[..., 1:] >= pool[..., :-1]).all()) and not bool((pool[..., 1:] == pool[..., :-1]).all())


def keep_below(values: torch.Tensor, below: Any, from_end: bool) -> torch.Tensor:
    """Indices of something that has another size now. Negative ones stay, those that count from the end as far as there is
    something."""
    if not isinstance(below, int) or below <= 0 or values.is_floating_point():
        return values
    stays = values < 0 if not from_end else (values >= -below) & (values < below)
    return torch.where(stays, values, values % below)


def mix_edges(values: torch.Tensor, generator: torch.Generator, extremes: bool) -> None:
    """Puts special values at random places, with the largest and smallest finite ones or without; every kind occurs when
    there is room."""
    info = torch.finfo(torch.float32 if values.dtype == torch.float64 else values.dtype)  # float64 is computed in float32
    finite = [info.max, -info.max, info.tiny, -info.tiny, info.smallest_normal * info.eps] if extremes else []
    edges = torch.tensor([0.0, -0.0, *finite, float("inf"), float("-inf"), float("nan")], dtype=torch.float64).to(values.dtype)
    n = values.numel()
    count = min(n, max(len(edges), n // EDGE_SHARE))
    if count == 0:
        return
    places = torch.randperm(n, generator=generator)[:count]
    values.view(-1)[places] = edges[torch.arange(count) % len(edges)]


def lay_out(values: torch.Tensor, layout: str) -> torch.Tensor:
    """`strided`: dimensions in reverse order of memory with gaps between elements, which hold a value that is not wanted."""
    if layout == "contiguous":
        return values
    if layout != "strided":
        raise BridgeError("bad_input", f"no layout {layout!r}", hint='layouts are "contiguous" and "strided"')
    order = list(range(values.dim()))[::-1]
    sizes = [values.size(d) for d in order]
    if not sizes:
        view = poison(torch.empty(3, dtype=values.dtype))[1]
    else:
        sizes[-1] = sizes[-1] * 2 + 1
        view = poison(torch.empty(sizes, dtype=values.dtype))[..., 1::2].permute(order)
    view.copy_(values)
    return view


def poison(t: torch.Tensor) -> torch.Tensor:
    if t.dtype == torch.bool:
        return t.fill_(True)
    return t.fill_(float("nan")) if t.is_floating_point() or t.is_complex() else t.fill_(torch.iinfo(t.dtype).max)


# ---- the file's own values, at a bearable size ------------------------------------------------------------------------


def sample_inputs(ref: reference.Reference) -> list[Any]:
    """get_inputs(), with its dimensions capped where the real sizes are far beyond what drawing values needs."""
    shapes = reference.example_inputs(ref)[0] if ref.group is not None else []
    if ref.group is not None and all(t.numel() <= POOL_ELEMENTS for t in shapes if isinstance(t, torch.Tensor)):
        return ref.get_inputs()  # of all groups some may be too large, this one is not
    for cap in (None, *DIM_CAPS):
        sizes = _Sizes(cap)
        try:
            with sizes:
                return ref.get_inputs()
        except Exception:
            if not sizes.too_large and cap is None:
                raise  # the file's own failure
    return ref.get_inputs()


class _TooLarge(Exception):
    pass


class _Sizes(TorchDispatchMode):
    """Factory functions make each dimension at most `cap`; equal sizes stay equal, so later operations still fit. More
    elements than a pool needs raise, before they are made."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __init__(self, cap: Optional[int]) -> None:
        super().__init__()
        self.cap = cap
        self.too_large = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if str(func) in _FACTORIES:
            args = tuple(self._fit(a) if isinstance(a, (list, tuple)) else a for a in args)
            kwargs = {k: self._fit(v) if k == "size" else v for k, v in kwargs.items()}
        return func(*args, **kwargs)

    def _fit(self, size: Any) -> list[int]:
        size = [min(n, self.cap) for n in size] if self.cap is not None else list(size)
        if math.prod(size) > POOL_ELEMENTS:
            self.too_large = True
            raise _TooLarge(f"{size} is more than needed")
        return size


# ---- parameters in other sizes ----------------------------------------------------------------------------------------


def resize_model(model: torch.nn.Module, shapes: dict[str, list[int]], seed: int) -> None:
    """Parameters and buffers in the shapes of a case, with values drawn from their own: the same in every model."""
    for path, slot in _by_path(model, shapes):
        old = slot.get()
        if list(old.shape) == shapes[path]:
            continue
        generator = torch.Generator().manual_seed(seed)
        new = draw(old, shapes[path], generator)
        slot.set(torch.nn.Parameter(new, old.requires_grad) if isinstance(old, torch.nn.Parameter) else new)


def _by_path(model: torch.nn.Module, shapes: dict[str, list[int]]) -> Iterator[tuple[str, Slot]]:
    for slot in list(slots(model)):
        if slot.path in shapes:
            yield slot.path, slot
