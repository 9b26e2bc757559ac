"""bridge/runtime.py against libopwright_rt.so: needs OPWRIGHT_RT (path of the library) and a C++ compiler."""

from __future__ import annotations

import gc
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Iterator

import pytest

torch = pytest.importorskip("torch")

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
LIBRARY = os.environ.get("OPWRIGHT_RT", "")
CXX = os.environ.get("CXX", "g++")
if not os.path.isfile(LIBRARY):
    pytest.skip("OPWRIGHT_RT does not name libopwright_rt.so: bridge/runtime.py is NOT TESTED", allow_module_level=True)
if shutil.which(CXX) is None:
    pytest.skip(f"no {CXX}: bridge/runtime.py is NOT TESTED", allow_module_level=True)

from bridge.runtime import OperatorError, Runtime  # noqa: E402


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: Any) -> pathlib.Path:
    """The libraries of the C tests."""
    out = tmp_path_factory.mktemp("zoo")
    for source, include, define, name in (("zoo_host", "hostapi/host", "ZOO=0", "host"), ("zoo_binding", "hostapi/torch", "ZOO=0", "binding"),
                                          ("zoo_kernel", "device", "ZOO=0", "add"), ("zoo_kernel", "device", "ZOO=1", "zoo"),
                                          ("zoo_kernel", "device", "ZOO=2", "twice")):
        subprocess.run([CXX, "-std=c++17", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", f"-D{define}", f"-I{ROOT / include}",
                        "-o", str(out / f"{name}.so"), str(ROOT / "tests/unit/runtime" / f"{source}.cpp")], check=True)
    return out


def opened(zoo: pathlib.Path, kernel: str) -> Runtime:
    runtime = Runtime(LIBRARY)
    so = str(zoo / f"{kernel}.so")
    runtime.load_op(str(zoo / "host.so"), f"{kernel}_custom", [so, None] if kernel == "add" else [so])
    runtime.load_binding(str(zoo / "binding.so"))
    return runtime


@pytest.fixture
def add(zoo: pathlib.Path) -> Iterator[Runtime]:
    with opened(zoo, "add") as runtime:
        yield runtime


@pytest.fixture
def lib(add: Runtime) -> Any:
    return add.make_module("custom_ops_lib")


def checks(runtime: Runtime) -> list[str]:
    return [f["check"] for f in runtime.report()["findings"]]


def test_add(add: Runtime, lib: Any) -> None:
    x, y = torch.randn(3, 5), torch.randn(3, 5)
    z = lib.add(x, y)
    assert torch.equal(z, x + y)
    assert z.is_contiguous() and z.dtype is torch.float32
    assert len(add.report()["launches"]) == 1 and checks(add) == []
    assert [t.data_ptr() for t in add.inputs] == [x.data_ptr(), y.data_ptr()]


def test_a_view_of_a_larger_storage_is_passed_by_address(lib: Any) -> None:
    base = torch.arange(20.0).reshape(4, 5)
    x = base[1:3]  # contiguous, offset 5
    assert torch.equal(lib.add(x, x), 2 * x)


def test_results_outlive_their_call_and_the_runtime(zoo: pathlib.Path) -> None:
    runtime = opened(zoo, "add")
    x = torch.ones(1000)
    results = [runtime.make_module("m").add(x, x) for _ in range(5)]
    views = [r[::2] for r in results]
    del results
    runtime.close()
    gc.collect()
    assert all(bool((v == 2).all()) for v in views)
    with pytest.raises(OperatorError, match="closed"):
        runtime.report()


def test_several_results_outlive_the_value_they_came_in(lib: Any) -> None:
    x, y = torch.ones(100), torch.full((100,), 3.0)
    results = [lib.two(x, y) for _ in range(20)]
    gc.collect()
    for twice, (total, same) in results:
        assert bool((twice == 2).all()) and bool((total == 4).all()) and same is x


def test_results_are_freed(lib: Any) -> None:
    x = torch.zeros(1 << 12, 1 << 9)  # 8 MiB
    lib.not_from_kernel(x)
    before = resident_mb()
    for _ in range(40):
        lib.not_from_kernel(x)
    assert resident_mb() - before < 100


def resident_mb() -> float:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def test_inputs_come_back_as_the_same_storage(add: Runtime, lib: Any) -> None:
    x = torch.randn(2, 3)
    assert lib.identity(x) is x
    assert "output-is-input" in checks(add)
    out = torch.empty(2, 3)
    assert lib.add_into(x, x, out) is out
    assert torch.equal(out, 2 * x)
    same = lib.tensors([x, out])
    assert isinstance(same, list) and same[0] is x and same[1] is out


def test_in_place(zoo: pathlib.Path) -> None:
    with opened(zoo, "twice") as runtime:
        x = torch.arange(4.0)
        assert runtime.make_module("m").twice(x) is x
        assert x.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"])
def test_every_dtype_passes_through(lib: Any, dtype: str) -> None:
    x = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, dtype))
    assert lib.identity(x) is x
    zeros = lib.not_from_kernel(x)
    assert zeros.dtype is x.dtype and zeros.shape == x.shape and not zeros.to(torch.float64).any()


def test_empty_and_scalar_tensors(add: Runtime, lib: Any) -> None:
    x = torch.empty(0, 7)
    z = lib.add(x, x)
    assert z.shape == (0, 7) and "empty-output" in checks(add)
    one = torch.tensor(2.5)
    z = lib.add(one, one)
    assert z.shape == () and z.item() == 5.0


def test_unmodelled_tensors_are_named(lib: Any) -> None:
    with pytest.raises(OperatorError, match="complex64"):
        lib.identity(torch.zeros(2, dtype=torch.complex64))
    with pytest.raises(OperatorError, match="meta"):
        lib.identity(torch.zeros(2, device="meta"))


def test_values_both_ways(lib: Any) -> None:
    assert lib.many(41, 2, [0, -4], None, "s") == (42, 2.0, [0, -4], None, "s", [0.5], True)
    assert lib.many(True, 0.5, (), 1.5, "é") == (2, 0.5, [], 1.5, "é", [0.5], True)
    assert lib.many(torch.tensor(3), torch.tensor(0.25), torch.Size([1]), 1, "")[:3] == (4, 0.25, [1])
    assert lib.nothing(torch.ones(1)) is None
    assert lib.tensors([]) == []


def test_keyword_arguments_and_defaults(zoo: pathlib.Path) -> None:
    with opened(zoo, "zoo") as runtime:
        fn = runtime.make_module("m").zoo
        x = torch.arange(6.0).reshape(2, 3)
        assert fn(x).tolist()[:6] == [0, 2.5, 1, ord("x"), 2, 5]
        assert fn(x, scale=0.25, dims=[9], flag=False, name="abc").tolist()[:6] == [0, 0.25, 0, ord("a"), 1, 9]
        assert fn(m=torch.ones(1, dtype=torch.int32), x=x).tolist()[7:9] == [2, 1]
        assert fn(x.t()).tolist()[6] == 3  # AutoContiguous
        with pytest.raises(TypeError, match=r"x: torch.Tensor, m: torch.Tensor \| None = None, mode: int = 0"):
            fn(x, typo=1)
        with pytest.raises(TypeError):
            fn(x, x=x)


@pytest.mark.parametrize("args", [(), (1,), ("x", "y"), (None, None), (torch.ones(1),), (torch.ones(1),) * 3, (object(), object()),
                                  (torch.ones(1), 2.0), (torch.ones(1), 1 << 70)])
def test_type_errors_read_like_pybind11(lib: Any, args: Any) -> None:
    with pytest.raises(TypeError) as e:
        lib.add(*args)
    text = str(e.value)
    assert text.startswith("add(): incompatible function arguments. The following argument types are supported:\n")
    assert "    1. (arg0: torch.Tensor, arg1: torch.Tensor) -> torch.Tensor\n" in text and "Invoked with: " in text


def test_numbers_convert_as_in_pybind11(lib: Any) -> None:
    with pytest.raises(TypeError):
        lib.many(1.5, 1.0, [], None, "")  # a float is no int
    with pytest.raises(TypeError):
        lib.many(1, 1.0, [0.5], None, "")
    with pytest.raises(TypeError):
        lib.many(1, "1", [], None, "")
    with pytest.raises(TypeError):
        lib.many(1, 1.0, [1 << 70], None, "")


def test_overloads(lib: Any) -> None:
    assert lib.over(torch.ones(1)) == "tensor" and lib.over(3) == "int" and lib.over([1, 2], True) == "2"
    with pytest.raises(TypeError, match="3. "):
        lib.over("no")


def test_a_missing_function_is_an_attribute_error(lib: Any) -> None:
    with pytest.raises(AttributeError):
        lib.no_such


def test_errors_carry_their_stage(zoo: pathlib.Path, lib: Any) -> None:
    x = torch.ones(2, 3)
    with pytest.raises(OperatorError, match=r"^x must be 3D, got \[2, 3\] of Float on npu:0$") as e:
        lib.checked(x)
    assert e.value.stage == "binding" and isinstance(e.value, RuntimeError)
    with pytest.raises(OperatorError, match="takes 3 arguments") as e:
        lib.too_few(x)
    assert e.value.stage == "exec"
    with pytest.raises(OperatorError, match="no kernel was built") as e:
        lib.add(x.half(), x.half())
    assert e.value.stage == "launch"
    with Runtime(LIBRARY) as second, pytest.raises(OperatorError, match="already loaded"):
        second.load_op(str(zoo / "host.so"), "add_custom", [None, None])


def test_a_tiling_failure_is_its_own_stage(zoo: pathlib.Path) -> None:
    with opened(zoo, "zoo") as runtime, pytest.raises(OperatorError, match="do tiling failed") as e:
        runtime.make_module("m").zoo(torch.ones(2, 3), mode=1)
    assert e.value.stage == "tiling"


def test_wrong_files_are_errors(zoo: pathlib.Path) -> None:
    with Runtime(LIBRARY) as runtime:
        with pytest.raises(OperatorError, match="/nowhere/host.so") as e:
            runtime.load_op("/nowhere/host.so", "add_custom", [None])
        assert e.value.stage == "host"
        with pytest.raises(OperatorError) as e:
            runtime.load_binding(str(zoo / "add.so"))
        assert e.value.stage == "binding"
    with pytest.raises(OperatorError, match="Ascend999"):
        Runtime(LIBRARY, "Ascend999")


def test_reports_reset(add: Runtime, lib: Any) -> None:
    lib.not_from_kernel(torch.ones(2))
    assert checks(add) == ["output-not-from-kernel"]
    add.reset_report()
    assert checks(add) == [] and add.report()["launches"] == []


def test_a_wrong_argument_leaks_no_handle(lib: Any) -> None:
    for _ in range(3):
        with pytest.raises(TypeError):
            lib.tensors([torch.ones(1), "x"])
