#!/usr/bin/env python3
"""How many records of a traj.json failed, how many are correct, and which."""
import sys

import _opwright


def main():
    args = _opwright.options(__doc__, ("--traj_path", {"required": True, "help": "traj.json"}),
                             ("--output", {"help": "write the answer there instead of printing it"}))
    return 1 if _opwright.run("traj", "stats", *_opwright.words(**vars(args))) else 0


if __name__ == "__main__":
    sys.exit(main())
