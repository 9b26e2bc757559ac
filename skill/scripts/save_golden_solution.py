#!/usr/bin/env python3
"""Keeps a verified description as golden solution: reference/golden_solutions/<op>.py and info.json under the skill's root."""
import sys

import _opwright


def main():
    args = _opwright.options(
        __doc__,
        ("--op", {"help": "operator; the result's own name counts first"}),
        ("--kernel_code_path", {"help": "the description; the result's own path counts first"}),
        ("--reference_path", {"help": "its PyTorch reference"}),
        ("--output_dir", {"help": "another folder than reference/golden_solutions"}),
        ("--result_path", {"required": True, "help": "result JSON of a verification"}))
    return _opwright.run("golden", "save", *_opwright.words(**vars(args)))


if __name__ == "__main__":
    sys.exit(main())
