"""opwright improve against a scripted endpoint: full, broken, cut off, talking rubbish, and at last helpful."""
import http.server
import json
import threading

import pytest

from conftest import ADD, REFERENCE

GOOD = ADD.read_text(encoding="utf-8")
WRONG = GOOD.replace("AscendC::Add(", "AscendC::Sub(")
KEY = "sk-very-secret-0123456789"
REJECTED = GOOD.replace("return custom_ops_lib.add_custom(x, y)", "return x + y")  # known as wrong before anything is built
LINE = next(line for line in WRONG.splitlines() if "AscendC::Sub(" in line)


def change(old, new):
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def says(text, finish="stop", tokens=100):
    return 200, {}, {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}], "usage": {"total_tokens": tokens}}


FIX = says("Here:\n" + change(LINE, LINE.replace("Sub", "Add")))


class Endpoint:
    """Answers one step of the script after the other; a body that is a str goes out as it is, and `cut` breaks the connection in it."""

    def __init__(self, *script):
        self.script, self.requests = list(script), []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers), json.loads(body)))
                status, headers, answer = outer.script.pop(0)
                data = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                cut = headers.pop("cut", None) if (headers := dict(headers)) else None
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[:cut] if cut else data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def question(self, i=-1):
        return self.requests[i][2]["messages"][1]["content"]


@pytest.fixture
def endpoint():
    started = []

    def start(*script):
        started.append(Endpoint(*script))
        return started[-1]
    yield start
    for e in started:
        e.server.shutdown()
        e.server.server_close()


def improve(store, url, *more, code=WRONG, status=0, env=None):
    path = store.write("算子 k.py", code)
    out = store.run("improve", "--op", "add", "--reference_path", REFERENCE, "--kernel_code_path", path, "--model", "m-1", "--base-url", url, "--retry-wait", "0.01",
                    *more, status=status, env=env or {"OPWRIGHT_API_KEY": KEY})
    assert path.read_text(encoding="utf-8") == code or "--in_place" in more
    for file in [p for p in store.tmp.rglob("*") if p.is_file()]:
        assert KEY not in file.read_text(encoding="utf-8", errors="replace"), file
    assert KEY not in out.stdout + out.stderr
    return out


def records(store):
    return json.loads((store.tmp / "traj.json").read_text(encoding="utf-8"))


def test_a_hard_road(store, endpoint):
    stray = next(line for line in WRONG.splitlines() if "yQueue.EnQue(y)" in line)
    e = endpoint((429, {"Retry-After": "1"}, {"error": {"message": "slow down"}}), (503, {}, "<html>busy"), (200, {}, "not json"),
                 (200, {"cut": 40}, FIX[2]), (200, {}, {"choices": []}),
                 says("I would fix the kernel."),                      # rubbish
                 says(change(LINE, "x")[:-10], finish="length"),       # cut off
                 says(change("no such line", "x")),                    # does not fit
                 says(change(LINE, LINE.replace("Sub", "Subb"))),      # worse than before: it is taken back
                 FIX)
    out = improve(store, e.url, "--result_json_path", "r/result.json", "--verbose")
    assert not e.script and out.stdout.startswith("PASS add") and "+        AscendC::Add(" in out.stdout
    assert (store.tmp / "算子 k.improved.py").read_text(encoding="utf-8") == GOOD
    traj = json.loads((store.tmp / "r/traj.json").read_text(encoding="utf-8"))
    assert [(r["result"]["exit_code"], "note" in r["result"]) for r in traj] == [(1, False), (1, True), (1, True), (1, True), (1, False), (0, False)]
    assert traj[0]["code"] == WRONG and traj[-1]["code"] == GOOD and "Subb" in traj[4]["code"]
    assert json.loads((store.tmp / "r/result.json").read_text(encoding="utf-8"))["result"][0]["verdict"] == "PASS"
    path, headers, body = e.requests[0]
    assert path == "/v1/chat/completions" and headers["Authorization"] == f"Bearer {KEY}" and body["model"] == "m-1"
    first, last = e.question(0), e.question()
    assert "[output-mismatch]" in first and REFERENCE.read_text(encoding="utf-8") in first and WRONG in first and "<<<<<<< SEARCH" in body["messages"][0]["content"]
    assert "taken back" in last and "could not be used" in last and WRONG in last
    assert "cut off" in e.question(7) and "not in the file" in e.question(8)
    assert stray in last


@pytest.mark.parametrize("script, words, code", [
    ([(401, {}, {"error": {"message": f"bad key {KEY}"}})], ["401: bad key ***", "OPWRIGHT_API_KEY"], 2),
    ([(404, {}, "nothing")], ["404", "--base-url"], 2),
    ([(429, {"Retry-After": "3600"}, {})], ["429", "asks to wait 3600 s"], 2),
    ([(500, {}, {"error": "down"})] * 6, ["after 6 requests", "500: down"], 2),
])
def test_an_endpoint_that_refuses(store, endpoint, script, words, code):
    e = endpoint(*script)
    out = improve(store, e.url, code=REJECTED, status=code)
    assert all(w in out.stderr for w in words) and not e.script
    assert len(records(store)) == 1 and not (store.tmp / "算子 k.improved.py").exists()


def test_budgets(store, endpoint):
    e = endpoint(*[says("no")] * 5)
    assert "the tries are spent after 2 tries" in improve(store, e.url, "--max-tries", "2", code=REJECTED, status=1).stdout and len(e.requests) == 2
    assert len(records(store)) == 3
    assert "the tokens are spent after 2 tries, 200 tokens" in improve(store, e.url, "--token-budget", "150", code=REJECTED, status=1).stdout


def test_what_the_store_knows_is_told(store, endpoint):
    lesson = {"op": "add", "error": "e", "code_diff": "d", "summary": "LESSON-HELD", "replay": {"checks": ["output-mismatch"]}}
    store.write("skill root/reference/issues/other.json", [lesson, {**lesson, "summary": "NEVER-REPLAYED", "replay": None}])
    store.write("skill root/reference/issues/unverified/add.json", [{**lesson, "summary": "UNVERIFIED"}])
    store.write("skill root/reference/golden_solutions/info.json", {"add_relu": {"op": "add_relu"}, "matmul": {"op": "matmul"}})
    store.write("skill root/reference/golden_solutions/add_relu.py", "# GOLDEN-NEAR")
    store.write("skill root/reference/golden_solutions/matmul.py", "# GOLDEN-FAR")
    e = endpoint(FIX)
    improve(store, e.url, "--in_place")
    assert (store.tmp / "算子 k.py").read_text(encoding="utf-8") == GOOD
    question = e.question()
    assert "LESSON-HELD" in question and "GOLDEN-NEAR" in question
    assert not any(word in question for word in ("NEVER-REPLAYED", "UNVERIFIED", "GOLDEN-FAR"))


def test_nothing_to_do_and_bad_input(store, endpoint):
    e = endpoint()
    assert "no model was asked" in improve(store, e.url, code=GOOD).stdout and not e.requests
    store.write("算子 k.improved.py", "mine")
    assert "there already" in improve(store, e.url, status=2).stderr and (store.tmp / "算子 k.improved.py").read_text() == "mine"
    assert "--key-env names is not set" in improve(store, e.url, "--key-env", "NO_SUCH", "--force", status=2).stderr
    assert "--model is missing" in store.run("improve", "--op", "a", "--reference_path", "r", "--kernel_code_path", "k", status=2).stderr
