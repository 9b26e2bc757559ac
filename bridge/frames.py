"""Frames of docs/bridge.md: 4 bytes little-endian length, a JSON object, then the blobs its "blobs" list measures."""

from __future__ import annotations

import json
import os
import re
import struct
from typing import Any, Iterable, Optional, Union

Buffer = Union[bytes, bytearray, memoryview]
MAX_JSON_BYTES = 64 << 20  # a frame whose head says more is not one of ours
_HEAD = struct.Struct("<I")


class FrameError(Exception):
    """The stream is not made of frames; nothing after this point can be trusted."""


def read_exact(fd: int, n_bytes: int, at_start: bool = False) -> Optional[bytes]:
    """n_bytes from fd; None at a clean end of stream when at_start."""
    parts: list[bytes] = []
    left = n_bytes
    while left:
        part = os.read(fd, min(left, 1 << 20))
        if not part:
            if at_start and left == n_bytes:
                return None
            raise FrameError(f"stream ended {left} bytes before the end of a frame")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def read_frame(fd: int) -> Optional[dict[str, Any]]:
    """The next frame's object, its blobs (requests carry none today) read and dropped; None at the end of the stream."""
    head = read_exact(fd, _HEAD.size, at_start=True)
    if head is None:
        return None
    value, sizes = decode_json(read_exact(fd, check_length(head)) or b"")
    for n_bytes in sizes:
        read_exact(fd, n_bytes)
    return value


def check_length(head: bytes) -> int:
    n_bytes: int = _HEAD.unpack(head)[0]
    if n_bytes > MAX_JSON_BYTES:
        raise FrameError(f"frame of {n_bytes} bytes of JSON; the limit is {MAX_JSON_BYTES}")
    return n_bytes


def decode_json(text: bytes) -> tuple[dict[str, Any], list[int]]:
    try:
        value = json.loads(text.decode("utf-8"))
    except ValueError as exc:
        raise FrameError(f"frame is not JSON: {exc}") from None
    if not isinstance(value, dict):
        raise FrameError("frame is not a JSON object")
    sizes = value.get("blobs", [])
    if not isinstance(sizes, list) or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in sizes):
        raise FrameError('"blobs" is not a list of byte counts')
    return value, sizes


# Escapes that the C side takes for an error: NUL, and halves of surrogate pairs that stand alone. A doubled backslash and a
# whole pair are matched first, and kept.
_NO_TEXT = re.compile(r"(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\u0000|\\ud[89a-f]..")


def encode_head(value: dict[str, Any]) -> bytes:
    """Length and JSON; the blobs follow as they are. NaN and infinity are not JSON and raise ValueError."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    if "\\u0000" in text or "\\ud" in text:
        text = _NO_TEXT.sub(lambda m: m[1] or "\\ufffd", text)
    text = text.encode("ascii")
    if len(text) > MAX_JSON_BYTES:
        raise FrameError(f"answer of {len(text)} bytes of JSON; the limit is {MAX_JSON_BYTES}")
    return _HEAD.pack(len(text)) + text


def write_all(fd: int, data: Buffer) -> None:
    view = memoryview(data).cast("B")
    while len(view):
        view = view[os.write(fd, view[: 1 << 30]):]


def write_frame(fd: int, value: dict[str, Any], blobs: Iterable[Buffer] = ()) -> None:
    blobs = [memoryview(b).cast("B") for b in blobs]
    if blobs:
        value = {**value, "blobs": [len(b) for b in blobs]}
    write_all(fd, encode_head(value))
    for blob in blobs:
        write_all(fd, blob)
