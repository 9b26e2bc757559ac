#!/usr/bin/env python3
"""Removes temporary build folders that finished or dead jobs left, never a user's files."""
import sys

import _opwright


def main():
    flag = {"action": "store_true"}
    args = _opwright.options(__doc__, ("--skill_root", {"help": "instead of $ASCEND_SKILL_ROOT"}), ("--op", {"help": "only folders of this operator"}),
                             ("--dry_run", {**flag, "help": "say what would go"}),
                             ("--ignore_missing", {**flag, "help": "a missing folder is no error (it never is)"}))
    return _opwright.run("clean", *_opwright.words(**vars(args)))


if __name__ == "__main__":
    sys.exit(main())
