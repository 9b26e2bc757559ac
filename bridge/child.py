"""Runs one request in a forked child with limits, and turns every way it can end into a reply.

The child answers into a memory file of its own, so a child killed half way never spoils the stream to the C side; its
stdout and stderr are drained into the reply's log while it runs.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import struct
import sys
import time
from typing import Any, Callable, Optional

from . import errors, frames

Handler = Callable[[dict[str, Any]], tuple[dict[str, Any], list[frames.Buffer]]]

LOG_HEAD_BYTES, LOG_TAIL_BYTES = 32 << 10, 96 << 10
DEFAULT_WALL_S, DEFAULT_MEMORY_MB = 120.0, 8192.0
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_TRAIL = struct.Struct("=32sII32s")  # SimTrail of src/sim/sim.h


class Log:
    """Keeps the beginning and the end of what foreign code prints."""

    def __init__(self) -> None:
        self.head, self.tail, self.dropped = bytearray(), bytearray(), 0

    def add(self, data: bytes) -> None:
        room = LOG_HEAD_BYTES - len(self.head)
        self.head += data[:room]
        self.tail += data[room:] if room < len(data) else b""
        if len(self.tail) > 2 * LOG_TAIL_BYTES:
            self._cut()

    def _cut(self) -> None:
        extra = len(self.tail) - LOG_TAIL_BYTES
        if extra > 0:
            self.dropped += extra
            del self.tail[:extra]

    def text(self) -> str:
        self._cut()
        middle = f"\n[... {self.dropped} bytes left out ...]\n".encode() if self.dropped else b""
        return (bytes(self.head) + middle + bytes(self.tail)).decode("utf-8", "replace")


class Reply:
    """What goes back: the JSON, and where its blobs lie in a memory file. Close after use."""

    def __init__(self, value: dict[str, Any], fd: int = -1, blobs_at: int = 0, blobs: Optional[list[int]] = None) -> None:
        self.value, self.fd, self.blobs_at, self.blobs = value, fd, blobs_at, blobs or []

    def send(self, out_fd: int) -> None:
        value = {k: v for k, v in self.value.items() if k != "blobs"}
        if self.blobs:
            value["blobs"] = self.blobs
        frames.write_all(out_fd, frames.encode_head(value))
        at, left = self.blobs_at, sum(self.blobs)
        while left:
            n = os.sendfile(out_fd, self.fd, at, min(left, 1 << 30))
            if n == 0:
                raise frames.FrameError("a blob is shorter than it was")
            at, left = at + n, left - n

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def run(handler: Handler, params: dict[str, Any], limits: dict[str, Any], private_fds: tuple[int, ...] = ()) -> Reply:
    """Calls handler(params) in a child. private_fds are closed there: foreign code must not reach the protocol."""
    wall_s = _positive(limits.get("wall_s"), DEFAULT_WALL_S)
    memory_mb = _positive(limits.get("memory_mb"), DEFAULT_MEMORY_MB)
    reply_fd = os.memfd_create("opwright-reply", os.MFD_CLOEXEC)
    log_read, log_write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _child(handler, params, memory_mb, wall_s, reply_fd, log_write, (log_read, *private_fds), parent)
    os.close(log_write)
    log = Log()
    try:
        status = _wait(pid, log_read, log, wall_s)
    finally:
        os.close(log_read)
    return _judge(status, reply_fd, log, params, wall_s)


def _positive(value: Any, default: float) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else default


# ---- in the child ---------------------------------------------------------------------------------------------------


def _child(handler: Handler, params: dict[str, Any], memory_mb: float, wall_s: float, reply_fd: int, log_fd: int,
           close: tuple[int, ...], parent: int) -> None:
    """Never returns. Exit status 0 only when a whole reply was written."""
    status = 1
    try:
        os.setpgid(0, 0)
        die_with_parent(parent)
        _redirect(log_fd, close)
        _limit(memory_mb, wall_s)
        _answer(handler, params, reply_fd)
        status = 0
    except BaseException as exc:  # noqa: BLE001 - the last line of defence: the log says why
        try:
            sys.stderr.write(errors.format_trace(exc))
        except BaseException:  # noqa: BLE001
            pass
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:  # noqa: BLE001
                pass
        os._exit(status)


def die_with_parent(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the call
        os._exit(1)


def _redirect(log_fd: int, close: tuple[int, ...]) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log_fd, 1)
    os.dup2(log_fd, 2)
    for fd in (null, log_fd, *close):
        os.close(fd)


def _limit(memory_mb: float, wall_s: float) -> None:
    """Address space above what the worker already maps (PyTorch alone maps gigabytes), no core files, and as much CPU time as all
    cores could give: what slipped away from the clock must end, too."""
    seconds = int(wall_s * (os.cpu_count() or 1)) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with open("/proc/self/statm", encoding="ascii") as f:
        mapped = int(f.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limit = mapped + int(memory_mb * (1 << 20))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(handler: Handler, params: dict[str, Any], fd: int) -> None:
    blobs: list[frames.Buffer] = []
    try:
        result, blobs = handler(params)
        value: dict[str, Any] = {"result": result}
        frames.encode_head(value)  # a result that is not JSON is our bug: say so instead of dying
    except errors.BridgeError as exc:
        value, blobs = {"error": exc.to_json()}, []
    except BaseException as exc:  # noqa: BLE001 - SystemExit and KeyboardInterrupt of foreign code included
        value, blobs = {"error": _unexpected(exc).to_json()}, []
    frames.write_frame(fd, value, blobs)


def _unexpected(exc: BaseException) -> errors.BridgeError:
    if errors.is_out_of_memory(exc):
        return errors.out_of_memory()
    return errors.BridgeError("internal", errors.describe(exc), trace=errors.format_trace(exc),
                              hint="this is a defect of opwright's bridge, not of your file")


# ---- in the parent --------------------------------------------------------------------------------------------------


def _wait(pid: int, log_fd: int, log: Log, wall_s: float) -> Optional[int]:
    """Wait status of the child, its whole group killed afterwards; None when it was killed at the time limit."""
    deadline = time.monotonic() + wall_s
    os.set_blocking(log_fd, False)
    pidfd = _open_pidfd(pid)
    watch = [log_fd] + ([pidfd] if pidfd >= 0 else [])
    timed_out = True
    while (left := deadline - time.monotonic()) > 0:
        ready = select.select(watch, [], [], left if pidfd >= 0 else min(left, 0.02))[0]
        if log_fd in ready and not _drain(log_fd, log):
            watch.remove(log_fd)
        if pidfd in ready or (pidfd < 0 and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            timed_out = False
            break
    if pidfd >= 0:
        os.close(pidfd)
    _kill_group(pid)  # before it is reaped, so that the number cannot belong to anyone else
    status = os.waitpid(pid, 0)[1]
    _end_strays()
    _drain(log_fd, log)
    return None if timed_out else status


def _open_pidfd(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # before Linux 5.3: _wait looks every 20 ms instead
        return -1


def _drain(fd: int, log: Log) -> bool:
    """Reads what is there; False at the end of the stream. Bounded, so that endless printing cannot stop the clock."""
    for _ in range(64):
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return True
        if not data:
            return False
        log.add(data)
    return True


def _kill_group(pid: int) -> None:
    for kill in (os.killpg, os.kill):  # the group exists only once the child has run setpgid
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def guard_parent() -> None:
    """What a request's child leaves running in sessions of its own becomes ours, to be ended with the request. And no child
    can open our memory or descriptors in /proc: whoever wrote there would answer for the requests of others."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _end_strays() -> None:
    """Kills all children there are, and theirs as they become ours."""
    for _ in range(500):
        try:
            with open(f"/proc/self/task/{os.getpid()}/children", "rb") as f:
                pids = [int(p) for p in f.read().split()]
        except OSError:
            return  # a kernel without this list: the cage ends them with the worker
        if not pids:
            return
        for pid in pids:
            os.kill(pid, signal.SIGKILL)  # not reaped yet, so it is still that process
        for pid in pids:
            os.waitpid(pid, 0)


def _judge(status: Optional[int], fd: int, log: Log, params: dict[str, Any], wall_s: float) -> Reply:
    text = log.text()
    if status == 0:
        try:
            reply = _load_reply(fd)
            reply.value["log"] = text
            return reply
        except frames.FrameError:
            pass  # it called _exit itself: below
    os.close(fd)
    error = _death(status, wall_s)
    trail = read_trail(params.get("trail"))
    if trail:
        error["trail"] = trail
    return Reply({"error": error, "log": text})


def _load_reply(fd: int) -> Reply:
    size = os.fstat(fd).st_size
    head = os.pread(fd, 4, 0)
    if len(head) != 4:
        raise frames.FrameError("no reply")
    n_bytes = frames.check_length(head)
    text = os.pread(fd, n_bytes, 4)
    if len(text) != n_bytes:
        raise frames.FrameError("short reply")
    value, blobs = frames.decode_json(text)
    if 4 + n_bytes + sum(blobs) != size or not ("result" in value or "error" in value):
        raise frames.FrameError("not a reply")
    return Reply(value, fd, 4 + n_bytes, blobs)


def _death(status: Optional[int], wall_s: float) -> dict[str, Any]:
    if status is None:
        return errors.BridgeError("timeout", f"not done after {wall_s:g} s",
                                  hint="look for an endless loop, use smaller sizes, or raise the time limit").to_json()
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = str(number)
        error = errors.BridgeError("child_died", f"the process that ran the code was killed by {name}").to_json()
        error["signal"] = number
        return error
    return errors.BridgeError("child_died", f"the process that ran the code ended by itself with exit status "
                              f"{os.WEXITSTATUS(status)} before it had answered",
                              hint="remove calls such as os._exit from the code; the log holds what it printed").to_json()


def read_trail(path: Any) -> Optional[dict[str, Any]]:
    """Where the kernel was when it stopped, from the file the simulator keeps mapped; None when it never began."""
    if not isinstance(path, str):
        return None
    try:
        with open(path, "rb") as f:
            data = f.read(_TRAIL.size)
    except OSError:
        return None
    if len(data) < _TRAIL.size or not any(data):
        return None
    file, line, block, api = _TRAIL.unpack(data)
    return {"file": file.split(b"\0")[0].decode("utf-8", "replace"), "line": line,
            "api": api.split(b"\0")[0].decode("utf-8", "replace"), "block": block}
