#!/usr/bin/env python3
"""Writes a short summary (cause, analysis, cure) into a pair of error_fix_pairs.json."""
import sys

import _opwright


def main():
    args = _opwright.options(__doc__, ("--pairs_path", {"default": "error_fix_pairs.json", "help": "default error_fix_pairs.json"}),
                             ("--idx", {"required": True, "type": int, "help": "which pair, from 0"}),
                             ("--summary", {"required": True, "help": "the text"}))
    return 1 if _opwright.run("traj", "summarize", *_opwright.words(**vars(args))) else 0


if __name__ == "__main__":
    sys.exit(main())
