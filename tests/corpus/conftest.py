"""The marker `slow`, and the road of tests/gen."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gen"))


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes")
