#!/usr/bin/env python3
"""Quality of `opwright search`: the labelled queries of queries.tsv against what a fresh tree knows, 24 lessons beside this file and
the golden solutions that `opwright gen` writes from examples/. Prints what was missed, recall@5 by kind of query, and in all.

Usage: bench/search/recall.py [--all]    --all shows the answers of every query
Needs a build; the golden solutions also need a Python with PyTorch, as gen does."""
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
TOP = 5


def read_queries():
    group = ""
    for line in (Path(__file__).parent / "queries.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("# ---"):
            group = line[5:].strip()
        elif line and not line.startswith("#") and line != "query\tanswers":
            query, answers = line.split("\t")
            yield group, query, answers.split()


def make_store(folder, env):
    golden = folder / "reference/golden_solutions"
    shutil.copytree(Path(__file__).parent / "lessons", folder / "reference/issues")
    golden.mkdir(parents=True)
    examples = sorted(str(p) for p in (ROOT / "examples").glob("*.py"))
    done = subprocess.run([CLI, "gen", "--quiet", "--no-verify", "--output-dir", str(folder / "gen"), *examples], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"golden solutions could not be generated: {done.stderr.strip()[-500:]}")
    for path in (folder / "gen").glob("*.ascendc.py"):
        shutil.copy(path, golden / path.name.replace(".ascendc.py", ".py"))


def fits(hit, answer):
    kind, _, rest = answer.partition(":")
    name, _, words = rest.partition("#")
    if kind != hit["kind"] or not fnmatch.fnmatchcase(hit["name"], name):
        return False
    return not words or fnmatch.fnmatchcase(hit["title"].lower(), f"*{words.lower()}*")


def main():
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(temp)
        env = {**os.environ, "ASCEND_SKILL_ROOT": temp, "OPWRIGHT_INDEX_DIR": str(folder / "index"), "OPWRIGHT_HOME": str(ROOT), "OPWRIGHT_HINTS": "0"}
        make_store(folder, env)
        score, found, count = {}, 0, 0
        for group, query, answers in read_queries():
            done = subprocess.run([CLI, "search", "--json", "--limit", str(TOP), "-"], input=query, env=env, capture_output=True, text=True)
            if done.returncode not in (0, 1):
                sys.exit(done.stderr)
            hits = json.loads(done.stdout)["hits"]
            hit = any(fits(h, a) for h in hits for a in answers)
            if not hit or "--all" in sys.argv:
                print(f"{'found ' if hit else 'MISSED'} {query}\n         wanted {' '.join(answers)}")
                for h in hits:
                    print(f"         {h['score']:6.2f} {h['kind']}:{h['name']}  {h['title'][:90]}")
            good, n = score.get(group, (0, 0))
            score[group] = (good + hit, n + 1)
            found, count = found + hit, count + 1
        for group, (good, n) in score.items():
            print(f"{group:18} {good:2} of {n:2}")
        print(f"recall@{TOP} {found / count:.3f} ({found} of {count})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
