"""Sizes that may change between calls: the symbols, and their text in the grammar of docs/graph.md."""

from __future__ import annotations

import re
from typing import Any, Iterable, Optional, Union

import sympy
import torch
from torch._guards import GuardSource, Source
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from .errors import BridgeError

Size = Union[int, str]
# A size of 0 in get_inputs says nothing about how sizes relate (0 elements fit every view), so tracing goes on with this one.
SIZE_FOR_ZERO = 6


class _DimSource(Source):
    """Name of one dimension for the shape environment; PyTorch's own source classes cost a second of imports."""

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "text", text)

    @property
    def _name_template(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DimSource) and other.text == self.text


def _as_in_source(attribute: str, value: Any) -> Any:
    """A method or a property, whichever this PyTorch's Source has: newer ones turned methods into properties."""
    return value if callable(vars(Source).get(attribute)) else property(value)


_DimSource.name = _as_in_source("name", lambda self: self.text)  # type: ignore[method-assign,assignment]
_DimSource.guard_source = _as_in_source("guard_source", lambda self: GuardSource.CONSTANT)  # type: ignore[method-assign,assignment]


def new_shape_env() -> ShapeEnv:
    """duck_shape is off: equal sizes stay different symbols until the program itself makes them equal."""
    return ShapeEnv(duck_shape=False, allow_dynamic_output_shape_ops=False)


def symbolic_size(env: ShapeEnv, hint: int, name: str) -> Any:
    """A new symbol of that hint; 1 stays 1, because broadcasting depends on it."""
    if hint == 0:
        hint = SIZE_FOR_ZERO
    if hint == 1:
        return 1
    source = _DimSource(name)
    symbol = env.create_symbol(hint, source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None)
    return env.create_symintnode(symbol, hint=hint, source=source)


def expr_of(value: Any) -> Any:
    """sympy expression, or int, of an int or SymInt."""
    return value.node.expr if isinstance(value, torch.SymInt) else int(value)


def _natural(text: str) -> list[Any]:
    """Sort key that puts s2 before s10."""
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.findall(r"\d+|\D+", text)]


def _exact_ratio(e: Any) -> Optional[tuple[Any, int]]:
    """(numerator, denominator) of a size times a number that float64 and a product of integers have exactly, as 0.25."""
    factor, rest = e.as_coeff_Mul() if e.is_Mul else (sympy.Integer(1), e)
    if type(rest).__name__ != "ToFloat" or not float(factor) > 0:
        return None
    numerator, denominator = float(factor).as_integer_ratio()
    return (numerator * rest.args[0], denominator) if max(numerator, denominator) <= 1 << 16 else None


class SizePrinter:
    """Prints expressions of one trace, with symbols renamed s0, s1, ... in the order of the inputs' dimensions."""

    def __init__(self, env: ShapeEnv, input_dims: Iterable[Any], path: str, bounds: dict[Any, Any]) -> None:
        """bounds: sizes that depend on values, which are printed as what they are at most."""
        self._env = env
        self._bounds = bounds
        self._path = path
        self._names: dict[Any, str] = {}
        for dim in input_dims:
            dim = self.simplify(dim)
            if isinstance(dim, sympy.Symbol) and dim not in self._names:
                self._names[dim] = f"s{len(self._names)}"

    def simplify(self, value: Any) -> Any:
        if isinstance(value, int):
            return value
        value = self._env.simplify(value)
        if self._bounds:
            value = self._env.simplify(value.xreplace(self._bounds))
        return int(value) if value.is_Integer else value

    def size(self, value: Any) -> Size:
        """An int, or text."""
        value = self.simplify(value)
        return value if isinstance(value, int) else self._text(value, 0)

    def symbols(self) -> dict[str, Any]:
        return {name: symbol for symbol, name in self._names.items()}

    # Binding strength: 0 sum, 1 product, 2 operand of // or %, or a factor.
    def _text(self, e: Any, level: int) -> str:
        if e.is_Symbol:
            if e not in self._names:
                raise BridgeError("unsupported", f"a size depends on {e}, which no input has as a dimension", self._path)
            return self._names[e]
        if e.is_Integer:
            return str(int(e)) if int(e) >= 0 else f"({int(e)})"
        kind = type(e).__name__
        if kind in ("Min", "Max"):
            return self._fold(kind, e.args)
        if e.is_Add:
            text = self._sum(e)
            return f"({text})" if level > 0 else text
        if e.is_Mul:
            return self._product(e, level)
        if kind in ("FloorDiv", "CleanDiv", "IntTrueDiv"):
            return self._binary(e, "//", level)
        if kind in ("Mod", "PythonMod"):
            return self._binary(e, "%", level)
        if e.is_Pow and e.exp.is_Integer and 0 < int(e.exp) <= 8:
            text = "*".join([self._text(e.base, 2)] * int(e.exp))
            return f"({text})" if level > 1 else text
        if kind == "TruncToInt":
            ratio = _exact_ratio(e.args[0])
            if ratio is not None:
                numerator, denominator = ratio
                return self._text(numerator, level) if denominator == 1 else f"({self._text(numerator, 2)}//{denominator})"
        raise BridgeError("unsupported", f"a size is {e}, which is beyond + - * // % Min Max", self._path)

    def _fold(self, name: str, args: Any) -> str:
        texts = sorted(self._text(a, 0) for a in args)
        out = texts[0]
        for t in texts[1:]:
            out = f"{name}({out},{t})"
        return out

    def _sum(self, e: Any) -> str:
        """Positive terms first, numbers last, otherwise in the order of the symbols."""
        terms = sorted(e.args, key=lambda t: (t.could_extract_minus_sign(), t.is_Integer, _natural(self._text(t, 1))))
        out = self._text(terms[0], 1)
        for t in terms[1:]:
            minus = t.could_extract_minus_sign()
            out += (" - " if minus else " + ") + self._text(-t if minus else t, 1)
        return out

    def _product(self, e: Any, level: int) -> str:
        numerator, denominator = e.as_numer_denom()
        if denominator != 1:  # an exact quotient of integers
            text = f"{self._text(numerator, 2)}//{self._text(denominator, 2)}"
            return f"({text})"
        factors = sorted((f for f in e.args if not f.is_Integer), key=lambda f: _natural(self._text(f, 2)))
        text = "*".join(self._text(f, 2) for f in [f for f in e.args if f.is_Integer] + factors)
        return f"({text})" if level > 1 else text

    def _binary(self, e: Any, op: str, level: int) -> str:
        text = f"{self._text(e.args[0], 2)}{op}{self._text(e.args[1], 2)}"
        return f"({text})" if level > 0 else text
