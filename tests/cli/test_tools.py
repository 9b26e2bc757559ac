"""tools/layers and tools/links find what they are for, in a small tree made here."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def tool(name, root):
    done = subprocess.run([sys.executable, str(ROOT / "tools" / name), str(root)], capture_output=True, text=True)
    return done.returncode, done.stdout


TREE = {
    "docs/architecture.md": "".join(f"| src/{n} | x |\n" for n in ["base", "sim", "runtime", "lower", "verify"]),
    "src/base/err.h": "",
    "src/sim/sim.h": '#include "base/err.h"\n',
    "src/sim/core.c": '#include "sim/sim.h"\n#include "device/abi.h"\n#include <math.h>\n',
    "src/lower/kir.h": '#include "base/err.h"\n',
    "src/verify/verify.c": '#include "lower/kir.h"\n#include "sim/sim.h"\n',
    "tests/unit/sim/core_test.c": '#include "sim/sim.h"\n',
    "device/abi.h": "",
    "device/kernel_operator.h": '#include "abi.h"\n',
    "hostapi/abi.h": "",
}


def test_layers_accepts_a_good_tree(tmp_path):
    write(tmp_path, TREE)
    assert tool("layers", tmp_path) == (0, "")


@pytest.mark.parametrize("name, line, where", [
    ("src/base/err.h", '#include "sim/sim.h"', "src/base/err.h:1:"),
    ("src/lower/kir.h", '\n  #  include "sim/sim.h"', "src/lower/kir.h:2:"),
    ("src/sim/core.c", '#include "hostapi/abi.h"', "src/sim/core.c:1:"),
    ("src/lower/a.c", '#include "device/abi.h"', "src/lower/a.c:1:"),
    ("src/sim/core.c", '#include "device/kernel_operator.h"', "src/sim/core.c:1:"),
    ("src/sim/core.c", '#include "sim/gone.h"', "src/sim/core.c:1:"),
    ("src/other/a.c", "", "src/other/a.c:1:"),
    ("tests/unit/sim/core_test.c", '#include "verify/verify.h"', "tests/unit/sim/core_test.c:1:"),
    ("device/kernel_operator.h", '#include "base/err.h"', "device/kernel_operator.h:1:"),
])
def test_layers_finds(tmp_path, name, line, where):
    write(tmp_path, {**TREE, name: line + "\n"})
    status, out = tool("layers", tmp_path)
    assert status == 1 and out.startswith(where) and out.count("\n") == 1


DOCS = {
    "Makefile": "X := 1\nall: deps\ndemo test: all\n",
    "src/cli/commands.def": 'COMMAND("gen", cli_gen, "x")\n',
    "src/cli/a.c": "",
    "src/cli/b.h": "",
    "docs/a.md": "See src/cli/a.c, src/cli/ and `src/<layer>/a.c`; src/cli/*.c. [b](b.md#part) [w](https://example.org/x)\n",
    "docs/b.md": "`make demo`, `opwright gen x`, `X=build/opwright python`\n",
    "README.md": "```\nmake test\nbuild/opwright gen\n```\nWe make nothing up.\n",
}


def test_links_accepts_a_good_tree(tmp_path):
    write(tmp_path, DOCS)
    assert tool("links", tmp_path) == (0, "")


@pytest.mark.parametrize("text", [
    "src/cli/c.c", "(src/cli/a.h)", "src/<layer>/z.c", "src/cli/{a,q}.c", "CONTRIBUTING.md", "[x](gone.md)", "`make it`", "`opwright fly`",
    "```\nbuild/opwright fly\n```",
])
def test_links_finds(tmp_path, text):
    write(tmp_path, {**DOCS, "docs/c.md": "\n" + text + "\n"})
    status, out = tool("links", tmp_path)
    assert status == 1 and out.startswith("docs/c.md:") and out.count("\n") == 1
