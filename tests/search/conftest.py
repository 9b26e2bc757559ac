"""Every test has its own store and index."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))


class Place:
    """A folder with a store and an index of its own, and opwright run there."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "skill root"
        self.env = {**os.environ, "ASCEND_SKILL_ROOT": str(self.root), "XDG_CACHE_HOME": str(folder / "cache"),
                    "XDG_DATA_HOME": str(folder / "data"), "OPWRIGHT_HOME": str(ROOT)}
        self.env.setdefault("OPWRIGHT_PYTHON", sys.executable)
        self.env.pop("OPWRIGHT_INDEX_DIR", None)
        self.env.pop("OPWRIGHT_HINTS", None)

    def run(self, *argv, text=None, **env):
        return subprocess.run([str(CLI), *map(str, argv)], input=text, capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env={**self.env, **env})

    def search(self, *argv, **kw):
        done = self.run("search", "--json", *argv, **kw)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)["hits"]

    def put(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text, indent=2, ensure_ascii=False))
        return path

    def golden(self, op, kernel):
        return self.put(f"skill root/reference/golden_solutions/{op}.py",
                        f"project_json_src = '''\n[{{\"op\": \"{op.title().replace('_', '')}Custom\"}}]\n'''\nkernel_src = '''\n{kernel}\n'''\n")

    def lessons(self, op, *lessons):
        return self.put(f"skill root/reference/issues/{op}.json", [{"op": op, "error": e, "code_diff": d, "summary": s} for e, d, s in lessons])


@pytest.fixture
def place(tmp_path):
    if not CLI.exists():
        pytest.skip(f"{CLI} is not built")
    return Place(tmp_path)
