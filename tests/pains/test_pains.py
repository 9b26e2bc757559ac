"""Every known pain is diagnosed: kernels of cases.py are built into one library and run, host mistakes are built."""
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess

import pytest

from cases import ELSEWHERE, HOST, IDS, KERNELS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ["OPWRIGHT_CLI"]).parent if "OPWRIGHT_CLI" in os.environ else ROOT / "build"
CLI = BUILD / "opwright"
PAIR_SUM = ROOT / "tests" / "verify" / "descriptions" / "pair_sum.py"

pytestmark = pytest.mark.skipif(not CLI.exists() or shutil.which("g++") is None, reason="opwright is not built, or there is no g++")

PRELUDE = """
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuf, bBuf, cBuf;
    pipe.InitBuffer(aBuf, 16384); pipe.InitBuffer(bBuf, 16384); pipe.InitBuffer(cBuf, 16384);
    LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>(), c = cBuf.Get<float>();
"""


def source():
    text = ['#include "kernel_operator.h"', "using namespace AscendC;",
            "static const float INF = __builtin_inff(), NAN_ = __builtin_nanf(\"\");",
            "inline void SetValueAt(LocalTensor<float> t, int i, float v) { t.SetValue(i, v); }",
            "template <HardEvent e> __aicore__ inline void Flag() { SetFlag<e>(EVENT_ID0); WaitFlag<e>(EVENT_ID0); }"]
    for name, k in KERNELS.items():
        text.append(f"""static void {name}(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR ws, GM_ADDR tiling) {{
    constexpr uint32_t N = {k.n};
    GlobalTensor<float> xg, yg, zg;
    xg.SetGlobalBuffer((__gm__ float *)x, N); yg.SetGlobalBuffer((__gm__ float *)y, N); zg.SetGlobalBuffer((__gm__ float *)z, N);
    {"" if k.plain else PRELUDE}
    {k.body}
}}
extern "C" __attribute__((visibility("default"))) void run_{name}(void *const *p) {{
    {name}((GM_ADDR)p[0], (GM_ADDR)p[1], (GM_ADDR)p[2], (GM_ADDR)p[3], (GM_ADDR)p[4]);
}}""")
    return "\n".join(text)


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """Case -> [(check, severity, text)]."""
    folder = tmp_path_factory.mktemp("pains")
    (folder / "kernels.cpp").write_text(source())
    runtime = BUILD / "libopwright_rt.so"
    subprocess.run(["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-w", "-Wno-narrowing", f"-I{ROOT / 'device'}", "kernels.cpp", "-o", "kernels.so"],
                   cwd=folder, check=True)
    asan = ["-fsanitize=address,undefined"] if b"__asan_init" in runtime.read_bytes() else []
    subprocess.run(["gcc", "-std=gnu17", *asan, f"-I{ROOT / 'src'}", str(HERE / "run.c"), "-o", "run", str(runtime), f"-Wl,-rpath,{BUILD}", "-ldl"], cwd=folder, check=True)
    todo = "".join(f"run_{name} {k.blocks} {k.n} {k.ws} {k.options}\n" for name, k in KERNELS.items())
    done = subprocess.run([str(folder / "run"), str(folder / "kernels.so")], input=todo, capture_output=True, text=True, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        symbol, check, severity, _, text = line.split("|", 4)
        found.setdefault(symbol[4:], []).append((check, severity, text))
    assert set(found) == set(KERNELS)
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_kernel(findings, name):
    case = KERNELS[name]
    hits = [f for f in findings[name] if f[0].startswith(case.expect) and case.says in f[2] and case.severity in ("*", f[1])]
    assert hits, findings[name]


@pytest.mark.parametrize("name", HOST)
def test_host(tmp_path, name):
    case = HOST[name]
    sources = {k: v for k, v in runpy.run_path(str(PAIR_SUM)).items() if k.endswith("_src")}
    for section, (old, new) in case.changes.items():
        assert old in sources[section], sources[section]
        sources[section] = sources[section].replace(old, new)
    path = tmp_path / "pair_sum.py"
    path.write_text("".join(f"{k} = r'''{v}'''\n" for k, v in sources.items()))
    if case.expect.startswith("lang-uns") and not shutil.which("clang++"):
        pytest.skip("needs clang")
    done = subprocess.run([str(CLI), "check", "--static", "--json", "--quiet", str(path)], capture_output=True, text=True)
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["verdict"] in ("FAIL", "REJECTED"), done.stdout
    hits = [c for c in result["checks"] if c["check"] == case.expect and case.says in c["text"]]
    assert hits and all(c["hint"] and c["hint_zh"] and c["text_zh"] for c in hits), result["checks"]
    assert hits[0]["source"] == next(iter(case.changes))


def test_every_pain_is_here():
    """By number: F03 and F03_rows are one; other names are mistakes without a number. What only a card shows is in the documentation."""
    assert {m[0] for name in (*KERNELS, *HOST, *ELSEWHERE) if (m := re.match(r"F\d+", name))} == set(IDS)
    page = " ".join((ROOT / "docs" / "check.md").read_text().split())
    for where, reason in ELSEWHERE.values():
        assert where != "HARDWARE" or reason in page, reason


@pytest.mark.parametrize("name", [n for n, (where, _) in ELSEWHERE.items() if where != "HARDWARE"])
def test_elsewhere(name):
    where, words = ELSEWHERE[name]
    assert words in (ROOT / where).read_text()
