"""A store of its own for each test, in a folder with a space and Chinese characters in its name, and the program to run on it."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
ADD = ROOT / "examples/handwritten/add.py"
REFERENCE = ROOT / "tests/verify/references/sum.py"


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes")


class Store:
    def __init__(self, tmp):
        self.tmp = tmp / "存 储"
        self.root = self.tmp / "skill root"
        self.golden = self.root / "reference/golden_solutions"
        self.issues = self.root / "reference/issues"
        self.tmp.mkdir()
        self.env = {**os.environ, "ASCEND_SKILL_ROOT": str(self.root)}

    def run(self, *args, status=0, env=None):
        done = subprocess.run([CLI, *map(str, args)], cwd=self.tmp, env={**self.env, **(env or {})}, capture_output=True, text=True)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *args, status=0):
        return json.loads(self.run(*args, status=status).stdout)

    def write(self, name, content):
        path = self.tmp / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), encoding="utf-8")
        return path

    def info(self):
        return json.loads((self.golden / "info.json").read_text(encoding="utf-8"))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)
