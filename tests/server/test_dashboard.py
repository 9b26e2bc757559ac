"""The dashboard in a real browser. Needs node with playwright-core and a Chromium; where they are missing, that is said."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading

import pytest

from conftest import quick, slow, wait_for

HERE = pathlib.Path(__file__).resolve().parent
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def missing():
    if not shutil.which("node"):
        return "node is not installed"
    if not CHROMIUM:
        return "no Chromium is installed (set CHROMIUM to its path)"
    if subprocess.run(["node", "-e", "require('playwright-core')"], capture_output=True).returncode != 0:
        return "node does not find playwright-core (npm install playwright-core somewhere, and set NODE_PATH)"
    return ""


def test_page_is_self_contained(shared):
    """No browser needed: nothing outside is named, and the headers forbid it."""
    with shared.open("/") as r:
        text, policy = r.read().decode("utf-8"), r.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy
    assert not re.search(r"https?://|//cdn|@import|innerHTML|<link|src=", text)
    keys = {lang: set(re.findall(r'[{,]\s*(\w+):"', "{" + block)) for lang, block in re.findall(r"^  (en|zh): \{(.*?)\}[,;}]", text, re.S | re.M)}
    assert keys["en"] == keys["zh"] and len(keys["en"]) > 30


@pytest.mark.slow
@pytest.mark.parametrize("with_token", [False, True])
def test_in_a_browser(serve, tmp_path, with_token):
    why = missing()
    if why:
        pytest.skip(why)
    token, headers, options = "", {}, []
    if with_token:
        token = "a-token-of-enough-length"
        (tmp_path / "token").write_text(token)
        headers, options = {"Authorization": f"Bearer {token}"}, ["--token-file", str(tmp_path / "token")]
    s = serve("--devices", "sim:0", *options).when_warm()
    s.call("/verify", quick("<img src=x onerror=alert(1)>"), headers=headers)
    s.call("/verify", quick("again"), headers=headers)
    s.call("/verify", quick("again"), headers=headers)
    threads = [threading.Thread(target=s.call, args=("/verify", slow(name, 90)), kwargs={"headers": headers}) for name in ("runs_now", "waits_now")]
    for i, t in enumerate(threads):
        t.start()
        wait_for(lambda: len(s.call("/jobs", headers=headers)[1]["running"]) == 1 and len(s.call("/jobs", headers=headers)[1]["queued"]) == i)
    out = pathlib.Path(os.environ.get("OPWRIGHT_SCREENSHOTS", tmp_path))
    run = subprocess.run(["node", str(HERE / "dashboard.js"), s.url, str(out), token], capture_output=True, text=True, timeout=180,
                         env={**os.environ, "CHROMIUM": CHROMIUM})
    for t in threads:
        t.join(30)
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert seen["errors"] == [] and seen["outside"] == [] and seen["markup"] == 0
    assert "runs_now" in seen["running"] and "verifying on sim:0" in seen["running"] and "waits_now" in seen["queue"]
    assert "<img src=x onerror=alert(1)>" in seen["recent"] and "from cache" in seen["recent"] and "REJECTED" in seen["recent"]
    assert "again" in seen["history"] and seen["classes"].strip() not in ("", "nothing") and "PyTorch" in seen["devices"]
    assert "to mend it:" in seen["detail"] and "最近结果" in seen["chinese"] and "修复方法:" in seen["chinese"]
    assert seen["dark"] != seen["light"] and seen["overflow"] <= 0
