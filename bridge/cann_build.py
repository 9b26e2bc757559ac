"""Builds extensions of the user's PyTorch with torch_npu's own settings; started by src/cann.

`cann_build.py FOLDER`: op.cpp in FOLDER, beside pytorch_npu_helper.hpp, as custom_ops_lib, in place.
`cann_build.py --order FILE.json`: {name, folder (where sources are), sources, objects (linked in), include_dirs, libraries,
library_dirs, out (where the extension goes), objects_dir}.
`cann_build.py --includes`: prints "include: FOLDER" for each folder of headers of Python, PyTorch and torch_npu.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import sysconfig
from typing import Any


def forget_own_folder() -> None:
    """Its names would shadow others."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.getcwd()) != here]


def npu_folder() -> str:
    import torch_npu

    return os.path.join(os.path.dirname(os.path.abspath(torch_npu.__file__)), "include")


def build(name: str, args: list[str], **settings: Any) -> None:
    from setuptools import setup
    from torch.utils.cpp_extension import BuildExtension
    from torch_npu.utils.cpp_extension import NpuExtension

    acl = os.path.join(npu_folder(), "third_party", "acl", "inc")
    flags = ["-I" + acl, *settings.pop("extra_compile_args", [])]
    extension = NpuExtension(name=name, extra_compile_args=flags, **settings)
    setup(name=name, version="1.0", ext_modules=[extension], script_args=["build_ext", *args],
          cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)})


def build_order(path: str) -> None:
    with open(path, encoding="utf-8") as f:
        order = json.load(f)
    os.chdir(order["folder"])
    build(order["name"], ["--build-lib", order["out"], "--build-temp", order["objects_dir"]], sources=order["sources"],
          extra_objects=order["objects"], include_dirs=order["include_dirs"], libraries=order["libraries"],
          library_dirs=[d for d in order["library_dirs"] if os.path.isdir(d)],
          runtime_library_dirs=[d for d in order["library_dirs"] if os.path.isdir(d)])


def package_folder(name: str) -> str:
    """Without importing it, which takes seconds."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"No module named {name!r}")
    return list(spec.submodule_search_locations)[0]


def print_includes() -> None:
    torch = os.path.join(package_folder("torch"), "include")
    for folder in (torch, os.path.join(torch, "torch", "csrc", "api", "include"), os.path.join(package_folder("torch_npu"), "include"),
                   sysconfig.get_paths()["include"]):
        if os.path.isdir(folder):
            print(f"include: {folder}")


def main(args: list[str]) -> None:
    forget_own_folder()
    if args == ["--includes"]:
        print_includes()
    elif len(args) == 2 and args[0] == "--order":
        build_order(os.path.abspath(args[1]))
    elif len(args) == 1:
        folder = os.path.abspath(args[0])
        os.chdir(folder)
        build("custom_ops_lib", ["--inplace"], sources=["op.cpp"], extra_compile_args=["-I" + folder])
    else:
        sys.exit("usage: cann_build.py FOLDER | --order FILE.json | --includes")


if __name__ == "__main__":
    main(sys.argv[1:])
