"""How the tests of `opwright backward` call it; the marker `slow`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build/opwright"))


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes")


@pytest.fixture(scope="session")
def backward():
    """backward(spec, *options, folder) -> (status, verification.json or None, stdout, stderr)"""

    def call(spec, *options, folder):
        env = {**os.environ, "OPWRIGHT_PYTHON": os.environ.get("OPWRIGHT_PYTHON", sys.executable)}
        done = subprocess.run([CLI, "backward", str(spec), "--output-dir", str(folder), *options], capture_output=True, text=True, env=env)
        report = Path(folder) / (Path(spec).stem + "_grad") / "verification.json"
        return done.returncode, json.loads(report.read_text()) if report.exists() else None, done.stdout, done.stderr

    return call
