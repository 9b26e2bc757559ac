#!/usr/bin/env python3
"""Pairs each failed record of a traj.json with the correct one that followed, and writes what changed."""
import sys

import _opwright


def main():
    args = _opwright.options(__doc__, ("--traj_path", {"required": True, "help": "traj.json"}),
                             ("--output", {"default": "error_fix_pairs.json", "help": "default error_fix_pairs.json"}),
                             ("--op", {"help": "operator; else what the records say"}))
    return 1 if _opwright.run("traj", "pairs", *_opwright.words(**vars(args))) else 0


if __name__ == "__main__":
    sys.exit(main())
