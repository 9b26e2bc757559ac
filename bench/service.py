"""The verification service as its users feel it, measured on this machine and printed; nothing is asserted.

1. Warm latency: one small add, asked for again and again without the cache.
2. A batch of 20 different small descriptions.
3. The idle service: memory of its own process, and processor time of all its processes, workers included.
4. 500 jobs at once: until all are accepted.

Usage: bench/service.py [--runs N] [--build DIR] [--json FILE]     (any Python; the service finds the one with PyTorch)
"""
import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = (ROOT / "examples/handwritten/add.py").read_text()
REFERENCE = (ROOT / "examples/add.py").read_text()
# instruction, what it computes in PyTorch
OPERATORS = {"Add": "x + y", "Sub": "x - y", "Mul": "x * y", "Max": "torch.maximum(x, y)", "Min": "torch.minimum(x, y)"}
TILES = ("8", "16", "24", "32")


def one_type(text):
    """The hand-written example for float32 alone, as most descriptions people send are for one type."""
    text = re.sub(r'\["float16", "float", "int32"\]', '["float"]', text)
    text = re.sub(r'\["ND", "ND", "ND"\]', '["ND"]', text)
    text = text.replace("{ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32}", "{ge::DT_FLOAT}")
    return text.replace("{ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND}", "{ge::FORMAT_ND}")


def request(name, tile_kib, **more):
    kernel = one_type(EXAMPLE).replace("AscendC::Add(", f"AscendC::{name}(").replace("TILE_BYTES = 16 *", f"TILE_BYTES = {tile_kib} *")
    return {"op": f"{name.lower()}_{tile_kib}", "kernel_code_src": kernel, "reference_src": REFERENCE.replace("x + y", OPERATORS[name]),
            "no_cache": True, **more}


class Service:
    def __init__(self, cli):
        self.folder = tempfile.TemporaryDirectory(prefix="opwright-bench-")
        port_file = Path(self.folder.name) / "port"
        self.process = subprocess.Popen([cli, "serve", "--port", "0", "--port-file", port_file, "--state-dir", f"{self.folder.name}/state"],
                                        stderr=subprocess.DEVNULL)
        while not port_file.exists():
            if self.process.poll() is not None:
                raise SystemExit("bench: the service did not start; run `opwright serve` to see why")
            time.sleep(0.05)
        self.url = f"http://127.0.0.1:{port_file.read_text().strip()}"

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})) as answer:
            return json.load(answer)

    def timed(self, path, body):
        start = time.monotonic()
        answer = self.call(path, body)
        return time.monotonic() - start, answer

    def processes(self):
        """Of the service and all below it: pid -> seconds of processor time, those of ended children included."""
        rows = {}
        for p in filter(str.isdigit, os.listdir("/proc")):
            try:
                fields = Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            rows[int(p)] = (int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"))
        mine = {self.process.pid}
        while more := {p for p, (parent, _) in rows.items() if parent in mine} - mine:
            mine |= more
        return {p: rows[p][1] for p in mine if p in rows}

    def cpu(self):
        return sum(self.processes().values())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()


def passed(answer):
    verdict = answer["result"][0]["verdict"]
    if verdict != "PASS":
        raise SystemExit(f"bench: {answer.get('summary')}")


def latency(service, runs):
    passed(service.call("/verify", request("Add", "16")))  # workers import PyTorch, headers are compiled
    walls, cpus = [], []
    for _ in range(runs):
        before = service.cpu()
        wall, answer = service.timed("/verify", request("Add", "16"))
        passed(answer)
        walls.append(wall)
        cpus.append(service.cpu() - before)
    return {"warm add, s": statistics.median(walls), "smallest": min(walls), "largest": max(walls), "processor time, s": statistics.median(cpus)}


def batch(service):
    items = [request(name, tile) for name in OPERATORS for tile in TILES]
    wall, answers = service.timed("/verify_batch", {"items": items})
    for answer in answers:
        passed(answer)
    return {"descriptions": len(items), "s": wall, "per second": len(items) / wall}


def acceptance(service):
    """One worker is busy with each of the first; the others wait, and are taken back afterwards."""
    items = [request("Add", "16", op=f"queued_{i}") for i in range(500)]
    thread = threading.Thread(target=lambda: service.call("/verify_batch", {"items": items}))
    start = time.monotonic()
    thread.start()
    while True:
        jobs = service.call("/jobs")
        ours = [j for j in jobs["queued"] + jobs["running"] if j["op"].startswith("queued_")]
        if len(ours) == len(items) or not thread.is_alive():
            break
        time.sleep(0.01)
    wall = time.monotonic() - start
    for job in ours:
        with contextlib.suppress(urllib.error.HTTPError):  # finished meanwhile
            urllib.request.urlopen(urllib.request.Request(f"{service.url}/jobs/{job['id']}", method="DELETE")).close()
    thread.join()
    return {"jobs": len(ours), "accepted after, s": wall}


def idle(service, seconds):
    time.sleep(2)  # workers tidy up after the last job
    before = service.cpu()
    time.sleep(seconds)
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return {"memory of the service, MB": int(re.search(r"VmRSS:\s*(\d+)", status).group(1)) / 1024,
            "processor, all its processes, %": (service.cpu() - before) / seconds * 100}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--runs", type=int, default=9)
    p.add_argument("--build", default=str(ROOT / "build"))
    p.add_argument("--json")
    args = p.parse_args()
    service = Service(f"{args.build}/opwright")
    found = {"load average before": os.getloadavg()[0]}
    try:
        for title, measure in (("warm latency", lambda: latency(service, args.runs)), ("batch", lambda: batch(service)),
                               ("idle", lambda: idle(service, 10)), ("acceptance", lambda: acceptance(service))):
            found[title] = measure()
            print(f"{title}: " + ", ".join(f"{k} {v:.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in found[title].items()), flush=True)
    finally:
        service.stop()
    if args.json:
        Path(args.json).write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
