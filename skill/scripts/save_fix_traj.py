#!/usr/bin/env python3
"""Keeps pairs with a summary as lessons in reference/issues/<op>.json. Each is replayed first; one that does not hold goes to
reference/issues/unverified/<op>.json instead, with the reason."""
import sys

import _opwright


def main():
    args = _opwright.options(__doc__, ("--op", {"required": True, "help": "operator: the name of the file"}),
                             ("--pairs_path", {"default": "error_fix_pairs.json", "help": "default error_fix_pairs.json"}))
    return 1 if _opwright.run("traj", "save", "--unverified", *_opwright.words(**vars(args))) else 0


if __name__ == "__main__":
    sys.exit(main())
