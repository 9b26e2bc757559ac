"""Lists of tensors (ParamType(DYNAMIC)) from the binding to ListTensorDesc and TensorDesc in the kernel, and back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CLI = Path(os.environ.get("OPWRIGHT_CLI", HERE.parent.parent / "build" / "opwright"))
DESCRIPTION = (HERE / "list_scale.py").read_text()
REFERENCE = (HERE / "list_scale_reference.py").read_text()

def slow(*values: str) -> object:
    return pytest.param(*values, marks=pytest.mark.slow)


pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")


def check(folder: Path, description: str, reference: str = REFERENCE) -> tuple[int, str]:
    (folder / "list_scale.py").write_text(description)
    (folder / "reference.py").write_text(reference)
    done = subprocess.run([str(CLI), "check", "list_scale.py", "--reference", "reference.py", "--schedule", "lazy", "--strict"], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_sizes_and_places(tmp_path: Path) -> None:
    status, text = check(tmp_path, DESCRIPTION)
    assert status == 0 and "PASS list_scale: 5 of 5" in text, text


@pytest.mark.slow
def test_rank_zero(tmp_path: Path) -> None:
    """Such a list has addresses only: GetDesc is an error, GetDataPtr is not."""
    scalars = REFERENCE.replace("torch.randn(3, 5), torch.randn(41, 37), torch.randn(1, 1)", "torch.randn(()), torch.randn(()), torch.randn(())")
    pointers = DESCRIPTION.replace("from.GetDesc(desc, i);", "").replace("desc.GetDataPtr()", "from.GetDataPtr<float>(i)").replace("desc.GetIndex()", "i")
    status, text = check(tmp_path, pointers, scalars)
    assert status == 0, text
    status, text = check(tmp_path, DESCRIPTION, scalars)
    assert status != 0 and "ListTensorDesc::GetDesc: the list has shapes" in text, text


@pytest.mark.parametrize("old, new, says", [
    ("desc.SetShapeAddr(shape);", "", "desc.SetShapeAddr was called"),
    ("from.GetDesc(desc, i);", "from.GetDesc(desc, i + 3);", "index < GetSize()"),
    slow("to.GetDataPtr<float>(i)", "to.GetDataPtr<float>(2)", "of ys, which has 4 bytes"),
    slow("(__gm__ void*)xs)", "(__gm__ void*)xs, 8, 3)", "length and shapeSize are those of the list"),
    slow("EXEC_NPU_CMD(aclnnListScaleCustom, in, out);", "at::Tensor one = ys[0]; EXEC_NPU_CMD(aclnnListScaleCustom, in, one);", "pass an at::TensorList variable, not at::Tensor"),
    slow("at::TensorList in(xs), out(ys);", "std::vector<at::Tensor> zs(xs); zs[1] = zs[1].view({-1}); at::TensorList in(zs), out(ys);", "not modelled: tensors of different ranks"),
])  # fmt: skip
def test_misuse_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in DESCRIPTION
    status, text = check(tmp_path, DESCRIPTION.replace(old, new))
    assert status != 0 and says in text, text
