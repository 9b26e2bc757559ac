"""What the scripts of this folder share: where the opwright program is, and how it is run for them."""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def program():
    """$OPWRIGHT_CLI, the build of the tree this folder belongs to, or what is on PATH."""
    named = os.environ.get("OPWRIGHT_CLI")
    if named:
        return named
    for folder in HERE.parents:
        built = folder / "build" / "opwright"
        if (folder / "src" / "cli").is_dir() and built.is_file():
            return str(built)
    found = shutil.which("opwright")
    if found:
        return found
    sys.exit("the opwright program was not found: build it (make), put it on PATH, or name it in OPWRIGHT_CLI")


def skill_root():
    """Where past work is kept: $ASCEND_SKILL_ROOT, else the folder above scripts/."""
    return os.path.abspath(os.environ.get("ASCEND_SKILL_ROOT") or HERE.parent)


def options(description, *rows):
    """Options as (name, keywords of add_argument)."""
    parser = argparse.ArgumentParser(description=description)
    for name, keywords in rows:
        parser.add_argument(name, **keywords)
    return parser.parse_args()


def words(**given):
    """--name=value for each that was given; True is the option alone."""
    return [f"--{name}" if value is True else f"--{name}={value}" for name, value in given.items() if value is not None and value is not False]


def run(*argv):
    """Runs opwright with the store at skill_root; its exit status."""
    sys.stdout.flush()
    env = {**os.environ, "ASCEND_SKILL_ROOT": skill_root()}
    return subprocess.run([program(), *argv], env=env, check=False).returncode
