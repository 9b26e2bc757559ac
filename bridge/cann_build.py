"""Builds op.cpp in a folder as the extension custom_ops_lib, in place, with torch_npu's own settings.

Started by src/cann as `python bridge/cann_build.py FOLDER`; the folder holds op.cpp and pytorch_npu_helper.hpp.
"""

from __future__ import annotations

import os
import sys


def build(folder: str) -> None:
    os.chdir(folder)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.getcwd()) != here]  # its names would shadow others
    import torch_npu
    from setuptools import setup
    from torch.utils.cpp_extension import BuildExtension
    from torch_npu.utils.cpp_extension import NpuExtension

    acl = os.path.join(os.path.dirname(os.path.abspath(torch_npu.__file__)), "include", "third_party", "acl", "inc")
    extension = NpuExtension(name="custom_ops_lib", sources=["op.cpp"], extra_compile_args=["-I" + acl, "-I" + folder])
    setup(name="custom_ops_lib", version="1.0", ext_modules=[extension], script_args=["build_ext", "--inplace"],
          cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: cann_build.py FOLDER")
    build(os.path.abspath(sys.argv[1]))
