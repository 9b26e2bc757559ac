#!/usr/bin/env python3
"""Prints one record of a JSON list whole, for example a pair of error_fix_pairs.json."""
import sys

import _opwright


def main():
    args = _opwright.options(__doc__, ("--json_path", {"required": True, "help": "the list"}),
                             ("--idx", {"required": True, "type": int, "help": "which record, from 0"}))
    return 1 if _opwright.run("traj", "show", *_opwright.words(**vars(args))) else 0


if __name__ == "__main__":
    sys.exit(main())
