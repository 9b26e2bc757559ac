"""A scripted client of `opwright mcp`: the protocol, every tool, and bad input of all kinds."""
import json
import os
import queue
import signal
import subprocess
import threading
import time

import pytest

from conftest import CLI, ROOT

ADD = {"op": "add", "reference_path": str(ROOT / "examples/add.py"), "kernel_code_path": str(ROOT / "examples/handwritten/add.py")}


class Client:
    def __init__(self, place, initialize=True):
        self.proc = subprocess.Popen([str(CLI), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place.folder,
                                     env=place.env)
        self.messages, self.others, self.last_id = queue.Queue(), [], 0
        threading.Thread(target=self._read, daemon=True).start()
        if initialize:
            self.hello = self.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
            self.notify("notifications/initialized")

    def _read(self):
        for line in self.proc.stdout:
            self.messages.put(json.loads(line))

    def send_raw(self, data):
        self.proc.stdin.write(data)
        self.proc.stdin.flush()

    def send(self, message):
        self.send_raw(json.dumps(message).encode() + b"\n")

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method, **params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def next(self, timeout=120):
        return self.messages.get(timeout=timeout)

    def wait(self, wanted):
        while True:
            for i, m in enumerate(self.others):
                if m.get("id") == wanted and "method" not in m:
                    return self.others.pop(i)
            self.others.append(self.next())

    def request(self, method, **params):
        return self.wait(self.begin(method, **params))

    def call(self, tool, **arguments):
        answer = self.request("tools/call", name=tool, arguments=arguments)
        return answer.get("result") or answer

    def close(self):
        self.proc.stdin.close()
        return self.proc.wait(30)


@pytest.fixture
def client(place):
    c = Client(place)
    yield c
    if c.proc.poll() is None:
        assert c.close() == 0
    assert c.proc.stderr.read() == b""


def text_of(result):
    return "".join(part["text"] for part in result["content"])


def test_handshake(client):
    result = client.hello["result"]
    assert result["protocolVersion"] == "2025-06-18" and result["serverInfo"]["name"] == "opwright"
    assert set(result["capabilities"]) == {"tools", "resources"}
    assert client.request("ping")["result"] == {}
    tools = client.request("tools/list")["result"]["tools"]
    assert [t["name"] for t in tools] == ["verify_kernel", "generate", "backward", "search", "golden_save", "explain", "profile"]
    for tool in tools:
        schema = tool["inputSchema"]
        assert tool["description"] and schema["type"] == "object" and set(schema["required"]) <= set(schema["properties"])


def test_versions(place):
    for asked, answered in (("2024-11-05", "2024-11-05"), ("2099-01-01", "2025-06-18")):
        c = Client(place, initialize=False)
        assert c.request("tools/list")["error"]["code"] == -32600
        assert c.request("ping")["result"] == {}
        assert c.request("initialize")["error"]["code"] == -32602
        assert c.request("initialize", protocolVersion=asked, capabilities={})["result"]["protocolVersion"] == answered
        assert c.close() == 0


def test_bad_messages(client):
    bad = [(b"{", -32700, None), (b"\xff\xfe\n"[:-1], -32700, None), (b"[]", -32600, None), (b"17", -32600, None), (b'{"id":1,"method":"ping"}', -32600, 1),
           (b'{"jsonrpc":"1.0","id":2,"method":"ping"}', -32600, 2), (b'{"jsonrpc":"2.0","id":3}', -32600, 3),
           (b'{"jsonrpc":"2.0","id":4,"method":7}', -32600, 4), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
           (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None), (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32602, 5),
           (b'{"jsonrpc":"2.0","id":6,"method":"prompts/list"}', -32601, 6), (b'{"jsonrpc":"2.0","id":"s","method":"tools/call"}', -32602, "s"),
           (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":[]}}', -32602, 7),
           (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"rm"}}', -32602, 8),
           (b'{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{}}', -32602, 9),
           (b'{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"opwright://docs/../README"}}', -32002, 10),
           (b'{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', -32002, 11),
           (b'{"jsonrpc":"2.0","id":12,"id":12,"method":"ping"}', -32700, None), (b"[" * 100000, -32700, None), (rb'{"jsonrpc":"2.0","id":13,"method":"pi\u0000ng"}', -32700, None)]
    for line, code, number in bad:
        client.send_raw(line + b"\n")
        answer = client.next()
        assert answer["error"]["code"] == code and answer["id"] == number, (line[:80], answer)
    for arguments in ({}, {"op": 1, **{k: v for k, v in ADD.items() if k != "op"}}, {**ADD, "time_limit": "5"}, {**ADD, "strict": 1}, {**ADD, "colour": "red"}):
        answer = client.request("tools/call", name="verify_kernel", arguments=arguments)
        assert answer["error"]["code"] == -32602, (arguments, answer)
    client.send_raw(b"\n  \r\n" + b'{"jsonrpc":"2.0","method":"no/such/notification"}\n' + b'{"jsonrpc":"2.0","id":99,"result":{}}\n')
    assert client.request("ping")["result"] == {}  # none of these was answered


def test_message_too_long(client):
    client.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (17 << 20) + b'"}\n')
    assert client.next()["error"]["code"] == -32700
    assert client.request("ping")["result"] == {}


def test_pieces_and_many_at_once(client):
    line = json.dumps({"jsonrpc": "2.0", "id": "piece", "method": "ping"}, ensure_ascii=False).encode() + b"\r\n"
    for i in range(len(line)):
        client.send_raw(line[i:i + 1])
    assert client.wait("piece")["result"] == {}
    ids = [client.begin("ping") for _ in range(500)]
    for number in ids:
        assert client.wait(number)["result"] == {}


def test_verify(place, client):
    result = client.call("verify_kernel", **ADD)
    assert not result["isError"] and "PASS add" in text_of(result)
    assert result["structuredContent"]["exit_code"] == 0 and result["structuredContent"]["result"][0]["verdict"] == "PASS"
    listed = client.request("resources/list")["result"]["resources"]
    uri = next(r["uri"] for r in listed if r["uri"].startswith("opwright://results/"))
    kept = client.request("resources/read", uri=uri)["result"]["contents"][0]
    assert json.loads(kept["text"]) == result["structuredContent"]
    assert not (place.folder / "result.json").exists()
    wrong = place.put("add wrong.py", (ROOT / "examples/handwritten/add.py").read_text().replace("Add(", "Sub("))
    result = client.call("verify_kernel", **{**ADD, "kernel_code_path": str(wrong)})
    assert not result["isError"] and "FAIL add" in text_of(result) and result["structuredContent"]["exit_code"] == 1
    result = client.call("verify_kernel", **{**ADD, "kernel_code_path": "-no such file"})
    assert result["isError"] and "no such file" in text_of(result).lower()


def test_search_and_explain(place, client):
    place.golden("softmax", "Exp(a, b);")
    result = client.call("search", query="softmax", kind="golden", limit=3)
    assert result["structuredContent"]["hits"][0]["name"] == "softmax" and not result["isError"]
    assert client.call("search", query="qqqqqq zzzzzz")["structuredContent"]["hits"] == []
    assert client.call("search", query="-x --help")["isError"] is False
    assert client.call("search")["isError"] and client.call("search", query="x", kind="song")["isError"]
    result = client.call("explain", log="errorStr: VEC instruction error: the ub address out of bounds. 错误码 507035\n", lang="zh")
    assert not result["isError"] and "507035" in text_of(result)


def test_generate(place, client):
    result = client.call("generate", reference_path=str(ROOT / "examples/relu.py"), output_dir="out dir", no_verify=True)
    assert not result["isError"] and (place.folder / "out dir/relu.ascendc.py").exists(), result
    bad = place.put("bad.py", "def f(x): return x\n")
    result = client.call("generate", reference_path=str(bad))
    assert result["isError"] and "Model" in text_of(result)


def test_golden_save(place, client):
    place.run("verify", "--op", "add", "--reference_path", ADD["reference_path"], "--kernel_code_path", ADD["kernel_code_path"], "--local", "--result_json_path", "r.json")
    result = client.call("golden_save", result_path="r.json")
    assert not result["isError"] and (place.root / "reference/golden_solutions/add.py").exists(), result
    stored = client.request("resources/read", uri="opwright://golden/add")["result"]["contents"][0]
    assert json.loads(stored["text"])["op"] == "add"
    templates = client.request("resources/templates/list")["result"]["resourceTemplates"]
    assert templates[0]["uriTemplate"] == "opwright://golden/{op}"
    assert client.request("resources/read", uri="opwright://golden/sub")["error"]["code"] == -32002


def test_documents(client):
    uris = [r["uri"] for r in client.request("resources/list")["result"]["resources"]]
    assert "opwright://docs/result" in uris
    content = client.request("resources/read", uri="opwright://docs/result")["result"]["contents"][0]
    assert content["text"] == (ROOT / "docs/result.md").read_text() and content["mimeType"] == "text/markdown"


def has_command(place, name):
    return f"\n  {name} " in place.run("--help").stdout


@pytest.mark.parametrize("tool, command, arguments", [("backward", "backward", {"spec_path": "no_such.py"}), ("profile", "profile", {"kernel_code_path": "no_such.py"})])
def test_a_missing_command_says_so(place, client, tool, command, arguments):
    result = client.call(tool, **arguments)
    assert result["isError"]
    listed = next(t for t in client.request("tools/list")["result"]["tools"] if t["name"] == tool)
    missing = not has_command(place, command)
    assert (f"no `{command}` command" in text_of(result)) == missing and ("Not in this build" in listed["description"]) == missing


SLOW = "import time\nimport torch\nimport torch.nn as nn\ntime.sleep(60)\n"


def children(pid):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(p) for p in done.stdout.split()]


def test_ping_while_a_call_runs_and_cancel(place, client):
    slow = place.put("slow.py", SLOW)
    number = client.begin("tools/call", name="generate", arguments={"reference_path": str(slow)})
    time.sleep(1)
    start = time.monotonic()
    assert client.request("ping")["result"] == {}
    assert time.monotonic() - start < 1
    assert client.call("search", query="verdict")["structuredContent"]["hits"]
    again = client.request("ping")
    client.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "generate", "arguments": {"reference_path": str(slow)}}})
    assert client.wait(number)["error"]["code"] == -32600  # the same id twice
    left = children(client.proc.pid)
    assert left and again["result"] == {}
    client.notify("notifications/cancelled", requestId=number, reason="enough")
    client.notify("notifications/cancelled", requestId="unknown")
    deadline = time.monotonic() + 20
    while children(client.proc.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children(client.proc.pid)
    assert client.request("ping")["result"] == {} and not [m for m in client.others if m.get("id") == number]


def test_more_calls_than_may_run(place, client):
    ids = [client.begin("tools/call", name="search", arguments={"query": f"word{i} verdict"}) for i in range(20)]
    for number in ids:
        assert client.wait(number)["result"]["structuredContent"]["hits"]


def test_progress(place, client):
    number = client.begin("tools/call", name="generate", _meta={"progressToken": "p1"},
                          arguments={"reference_path": str(ROOT / "examples/relu.py"), "output_dir": "out", "no_verify": True})
    assert not client.wait(number)["result"]["isError"]
    told = [m for m in client.others if m.get("method") == "notifications/progress"]
    assert told and all(m["params"]["progressToken"] == "p1" and m["params"]["message"] for m in told)
    assert [m["params"]["progress"] for m in told] == list(range(1, len(told) + 1))


@pytest.mark.parametrize("how", ["close", "signal"])
def test_nothing_is_left_behind(place, how):
    c = Client(place)
    c.begin("tools/call", name="generate", arguments={"reference_path": str(place.put("slow.py", SLOW))})
    time.sleep(1)
    left = children(c.proc.pid)
    assert left
    if how == "close":
        assert c.close() == 0
    else:
        c.proc.send_signal(signal.SIGTERM)
        assert c.proc.wait(30) == -signal.SIGTERM
    time.sleep(0.5)
    assert not [p for p in left if os.path.exists(f"/proc/{p}") and "Z" not in open(f"/proc/{p}/stat").read().split(")")[-1].split()[0]]
