"""Random pointwise modules, the same ones for a seed: a chain of statements over views of the inputs, numbers, parameters
and what was computed before. Values are kept tame, so that a correct operator passes whatever the order of rounding:
functions that jump (rounding, comparison, remainder) take values that are exact in every dtype, sums take operands of one
sign."""

from __future__ import annotations

import math
import random
from typing import Callable, List, NamedTuple, Optional, Tuple

Shape = Tuple[int, ...]
DIMS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100, 127)
MAX_ELEMENTS = 20000


class Value(NamedTuple):
    name: str
    shape: Shape
    kind: str  # "float", "int", "bool"
    exact: bool  # no rounding so far
    positive: bool  # floats: greater than zero


def broadcast(*shapes: Shape) -> Shape:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    return tuple(max(dims) for dims in zip(*padded))


class Builder:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: List[str] = []
        self.inputs: List[str] = []  # get_inputs' expressions
        self.params: List[str] = []  # forward's parameters
        self.init_lines: List[str] = []
        self.values: List[Value] = []
        self.n = 0
        self.base = self.random_shape()

    def random_shape(self) -> Shape:
        rank = self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8))
        shape: List[int] = []
        for _ in range(rank):
            room = MAX_ELEMENTS // max(1, math.prod(shape))
            shape.append(self.rng.choice([d for d in DIMS if d <= max(1, room if rank < 4 else min(room, 9))]))
        self.rng.shuffle(shape)
        return tuple(shape)

    # ---- leaves

    def new_input(self, shape: Shape, kind: str) -> str:
        name = "abcdefghijklmn"[len(self.inputs)]
        size = ", ".join(map(str, shape))
        tensor = f"torch.randint(-40, 40, ({size}{',' if len(shape) == 1 else ''}), dtype=torch.int32)"
        self.inputs.append({"float": f"torch.randn({size or '()'}) * 2", "int": tensor,
                            "bool": f"torch.rand({size or '()'}) > 0.4"}[kind])
        self.params.append(name)
        return name

    def partial_shape(self) -> Shape:
        """The base shape with some dimensions 1 and some of the first ones left out."""
        shape = [1 if self.rng.random() < 0.25 else d for d in self.base]
        drop = self.rng.randrange(len(shape) + 1) if self.rng.random() < 0.3 else 0
        return tuple(shape[drop:])

    def add_leaf(self, kind: str) -> None:
        shape = self.partial_shape() if self.inputs else self.base
        view = self.rng.choice((None, None, None, "permute", "slice", "step", "select", "unsqueeze", "flip", "flat", "expand", "diagonal"))
        name, text = self.viewed_input(shape, kind, view)
        if text == name or ".flip" in text:  # the same shape: both may be used
            self.values.append(Value(name, shape, kind, True, False))
        if text != name:
            self.statement(text, shape, kind, True, False)

    def viewed_input(self, shape: Shape, kind: str, view: Optional[str]) -> Tuple[str, str]:
        rng, rank = self.rng, len(shape)
        if not rank or view is None:
            return (name := self.new_input(shape, kind)), name
        d = rng.randrange(rank)
        if view == "permute":
            order = rng.sample(range(rank), rank)
            name = self.new_input(tuple(shape[order.index(k)] for k in range(rank)), kind)
            return name, f"{name}.permute({', '.join(map(str, order))})"
        if view in ("slice", "step"):
            step = rng.choice((2, 3)) if view == "step" else 1
            start, tail = rng.randrange(4), rng.randrange(3)
            name = self.new_input(shape[:d] + (start + (shape[d] - 1) * step + 1 + tail,) + shape[d + 1:], kind)
            index = f"{start}:{start + (shape[d] - 1) * step + 1}" + (f":{step}" if step > 1 else "")
            return name, f"{name}[{':, ' * d}{index}]"
        if view == "select" and rank < 8:
            extent = rng.choice((1, 2, 5))
            name = self.new_input(shape[:d] + (extent,) + shape[d:], kind)
            return name, f"{name}.select({d}, {rng.randrange(extent)})"
        if view == "unsqueeze":
            if shape[d] == 1:
                return (name := self.new_input(shape[:d] + shape[d + 1:], kind)), f"{name}.unsqueeze({d})"
            if rank < 8:
                return (name := self.new_input(shape[:d] + (1,) + shape[d:], kind)), f"{name}.squeeze({d})"
        if view == "flip":
            return (name := self.new_input(shape, kind)), f"{name}.flip({d})"
        if view == "flat":
            name = self.new_input((math.prod(shape),), kind)
            return name, f"{name}.reshape({', '.join(map(str, shape))})"
        if view == "diagonal" and rank < 8:
            name = self.new_input(shape[:d] + shape[d + 1:] + (shape[d], shape[d]), kind)
            last = f"{name}.diagonal(dim1=-2, dim2=-1)"
            return name, f"{last}.movedim(-1, {d})"
        name = self.new_input(shape[:d] + (1,) + shape[d + 1:], kind)
        return name, f"{name}.expand({', '.join(map(str, shape))})"

    # ---- statements

    def statement(self, text: str, shape: Shape, kind: str, exact: bool, positive: bool) -> None:
        name = f"t{self.n}"
        self.n += 1
        self.lines.append(f"{name} = {text}")
        self.values.append(Value(name, shape, kind, exact, positive))

    def pick(self, kind: str, accept: Callable[[Value], bool] = lambda v: True) -> Optional[Value]:
        found = [v for v in self.values if v.kind == kind and accept(v)]
        recent = found[-4:] if self.rng.random() < 0.6 else found
        return self.rng.choice(recent) if recent else None

    def number(self) -> Tuple[str, bool]:
        """A positive number's text and whether float16 holds it exactly."""
        rng = self.rng
        value = rng.choice((0.5, 2.0, 1.5, 0.3, 3, 0.125))
        form = rng.choice(("literal", "literal", "init", "argument"))
        if form == "init":
            name = f"self.s{len(self.init_lines)}"
            self.init_lines.append(f"{name} = {value}")
            return name, value != 0.3
        if form == "argument" and len(self.inputs) < 10:
            self.inputs.append(str(value))
            name = f"k{len(self.params)}"
            self.params.append(name)
            return name, value != 0.3
        return str(value), value != 0.3

    def parameter(self) -> Optional[str]:
        """A positive parameter of the last dimension, or of one dimension with ones after it."""
        if not self.base:
            return None
        d = self.rng.randrange(len(self.base))
        shape = (self.base[d],) + (1,) * (len(self.base) - 1 - d)
        name = f"self.p{len(self.init_lines)}"
        self.init_lines.append(f"{name} = torch.nn.Parameter(torch.rand({', '.join(map(str, shape))}) + 0.5)")
        return name

    def float_unary(self) -> None:
        v = self.pick("float")
        if v is None:
            return
        smooth = ["torch.tanh", "torch.sigmoid", "torch.nn.functional.gelu", "torch.nn.functional.silu", "torch.atan",
                  "torch.erf", "torch.nn.functional.softplus", "torch.nn.functional.elu"]
        keeps = ["torch.abs", "torch.neg", "torch.relu", "torch.nn.functional.relu6"]
        jumps = ["torch.floor", "torch.round", "torch.sign", "torch.trunc"]
        positive = ["torch.sqrt", "torch.rsqrt", "torch.log1p", "torch.reciprocal", "torch.log2"]
        choices = keeps + smooth + (jumps if v.exact else []) + (positive * 2 if v.positive else [])
        f = self.rng.choice(choices)
        self.statement(f"{f}({v.name})", v.shape, "float", v.exact and f in keeps + jumps,
                       f in ("torch.sigmoid", "torch.nn.functional.softplus", "torch.sqrt", "torch.rsqrt", "torch.reciprocal"))

    def float_binary(self) -> None:
        v, w = self.pick("float"), self.pick("float")
        if v is None or w is None:
            return
        shape = broadcast(v.shape, w.shape)
        choices = ["torch.maximum({0}, {1})", "torch.minimum({0}, {1})", "{0} * torch.tanh({1})", "torch.abs({0}) + torch.abs({1})",
                   "{0} * torch.sigmoid({1})", "torch.lerp(torch.abs({0}), torch.abs({1}), 0.25)", "{0} / (torch.abs({1}) + 1)"]
        if v.exact and w.exact:
            choices += ["{0} + {1}", "{0} - {1}", "torch.add({0}, {1}, alpha=2)"] * 2
        if v.positive and w.positive:
            choices += ["{0} + {1}", "torch.hypot({0}, {1})"]
        text = self.rng.choice(choices)
        self.statement(text.format(v.name, w.name), shape, "float", v.exact and w.exact and text.startswith("torch.m"),
                       text in ("{0} + {1}", "torch.hypot({0}, {1})") and v.positive and w.positive)

    def float_number(self) -> None:
        v = self.pick("float")
        if v is None:
            return
        if self.rng.random() < 0.3 and (p := self.parameter()):
            shape = broadcast(v.shape, self.last_parameter_shape())
            self.statement(f"{v.name} * {p}", shape, "float", False, v.positive)
            return
        number, _ = self.number()
        text = self.rng.choice(["{0} * {1}", "{0} / {1}", "torch.clamp({0}, max={1})", "{1} * {0}", "torch.abs({0}) + {1}"])
        self.statement(text.format(v.name, number), v.shape, "float", False, text.startswith("torch.abs"))

    def last_parameter_shape(self) -> Shape:
        inside = self.init_lines[-1].split("torch.rand(")[1].split(")")[0]
        return tuple(int(d) for d in inside.split(","))

    def int_op(self) -> None:
        v, w = self.pick("int"), self.pick("int")
        if v is None or w is None:
            return
        binary = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "torch.maximum({0}, {1})", "{0} & {1}", "{0} | {1}", "{0} ^ {1}",
                  "{0} // (torch.abs({1}) % 9 + 1)", "{0} % (torch.abs({1}) % 9 + 1)", "torch.fmod({0}, torch.abs({1}) % 7 + 2)"]
        unary = ["~{0}", "-{0}", "torch.abs({0})", "{0} << 2", "{0} >> 1", "{0} * 3", "{0} // 4", "{0} % 5", "torch.clamp({0}, -9, 11)"]
        if self.rng.random() < 0.6:
            self.statement(self.rng.choice(binary).format(v.name, w.name), broadcast(v.shape, w.shape), "int", True, False)
        else:
            self.statement(self.rng.choice(unary).format(v.name), v.shape, "int", True, False)

    def compare(self) -> None:
        kind = self.rng.choice(("float", "int"))
        v, w = self.pick(kind, lambda v: v.exact), self.pick(kind, lambda v: v.exact)
        if v is None or w is None:
            return
        sign = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        if self.rng.random() < 0.5:
            self.statement(f"{v.name} {sign} {w.name}", broadcast(v.shape, w.shape), "bool", True, False)
        else:
            self.statement(f"{v.name} {sign} {self.rng.choice((0, 1, -2))}", v.shape, "bool", True, False)

    def logic(self) -> None:
        v, w = self.pick("bool"), self.pick("bool")
        if v is None or w is None:
            return
        text = self.rng.choice(("{0} & {1}", "{0} | {1}", "{0} ^ {1}", "~{0}", "torch.logical_and({0}, {1})", "{0} != {1}"))
        both = "{1}" in text
        self.statement(text.format(v.name, w.name), broadcast(v.shape, w.shape) if both else v.shape, "bool", True, False)

    def choose(self) -> None:
        kind = self.rng.choice(("float", "float", "int", "bool"))
        m, v, w = self.pick("bool"), self.pick(kind), self.pick(kind)
        if m is None or v is None or w is None:
            return
        if kind != "bool" and self.rng.random() < 0.4:
            text = self.rng.choice(("{1}.masked_fill({0}, 2)", "torch.where({0}, {1}, 1)"))
            self.statement(text.format(m.name, v.name), broadcast(m.shape, v.shape) if "where" in text else v.shape, kind, v.exact, False)
            if "masked" in text and broadcast(m.shape, v.shape) != v.shape:
                self.lines.pop()
                self.values.pop()
            return
        self.statement(f"torch.where({m.name}, {v.name}, {w.name})", broadcast(m.shape, v.shape, w.shape), kind, v.exact and w.exact,
                       v.positive and w.positive)

    def convert(self) -> None:
        v = self.pick(self.rng.choice(("int", "bool")))
        f = self.pick("float")
        if v is None:
            return
        if f is not None and self.rng.random() < 0.6:
            text = "{0}.to({1}.dtype)" if self.rng.random() < 0.5 and v.kind == "bool" else "{1} * {0}"
            shape = v.shape if ".to" in text else broadcast(v.shape, f.shape)
            self.statement(text.format(v.name, f.name), shape, "float", v.kind == "bool" and f.exact, False)
        elif v.kind == "bool":
            self.statement(f"{v.name}.to(torch.int32)", v.shape, "int", True, False)

    def view(self) -> None:
        v = self.pick(self.rng.choice(("float", "int", "bool")), lambda v: len(v.shape) >= 1)
        if v is None:
            return
        d = self.rng.randrange(len(v.shape))
        if self.rng.random() < 0.5:
            self.statement(f"{v.name}.flip({d})", v.shape, v.kind, v.exact, v.positive)
        elif v.shape[d] > 1:
            i = self.rng.randrange(v.shape[d])
            self.statement(f"{v.name}.narrow({d}, {i}, 1)", v.shape[:d] + (1,) + v.shape[d + 1:], v.kind, v.exact, v.positive)

    # ---- outputs

    def output(self) -> str:
        computed = [v for v in self.values if v.name.startswith("t")] or self.values
        v = self.rng.choice(computed[-5:])
        if len(v.shape) < 2 or self.rng.random() < 0.7:
            return v.name
        form = self.rng.choice(("transpose", "flat", "slice", "unsqueeze"))
        if form == "transpose":
            return f"{v.name}.transpose({', '.join(map(str, self.rng.sample(range(len(v.shape)), 2)))})"
        if form == "flat":
            return f"{v.name}.flatten()"
        if form == "slice" and v.shape[-1] > 1:
            return f"{v.name}[..., 1:]"
        return f"{v.name}.unsqueeze({self.rng.randrange(len(v.shape))})" if len(v.shape) < 8 else v.name


STEPS = (Builder.float_unary, Builder.float_binary, Builder.float_binary, Builder.float_number, Builder.int_op, Builder.compare,
         Builder.logic, Builder.choose, Builder.convert, Builder.view)
PALETTES = (("float",), ("float",), ("int",), ("bool",), ("float", "bool"), ("float", "int"), ("float", "int", "bool"))


def random_module(seed: int) -> str:
    """Text of a reference file."""
    b = Builder(seed)
    palette = b.rng.choice(PALETTES)
    for i in range(b.rng.choice((1, 2, 2, 3, 3, 4, 6))):
        b.add_leaf(palette[i % len(palette)])
    for _ in range(40):
        if b.n >= b.rng.randrange(2, 14):
            break
        b.rng.choice(STEPS)(b)
    outputs = list(dict.fromkeys(b.output() for _ in range(b.rng.choice((1, 1, 1, 2, 3)))))
    init = "".join(f"        {line}\n" for line in b.init_lines)
    text = "import torch\n\n\nclass Model(torch.nn.Module):\n"
    if init:
        text += f"    def __init__(self):\n        super().__init__()\n{init}\n"
    body = "".join(f"        {line}\n" for line in b.lines)
    text += f"    def forward(self, {', '.join(b.params)}):\n{body}        return {', '.join(outputs)}\n\n\n"
    inputs = "".join(f"        {line},\n" for line in b.inputs)
    return text + f"def get_inputs():\n    return [\n{inputs}    ]\n\n\ndef get_init_inputs():\n    return []\n"
