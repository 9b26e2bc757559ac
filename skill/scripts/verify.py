#!/usr/bin/env python3
"""Verifies a description against its PyTorch reference: by a verification service where one is named or answers, else here."""
import json
import os
import socket
import sys

import _opwright

DEFAULT_URL = "http://127.0.0.1:23457/verify"


def service_answers():
    try:
        with socket.create_connection(("127.0.0.1", 23457), timeout=1):
            return True
    except OSError:
        return False


def main():
    args = _opwright.options(
        __doc__,
        ("--op", {"required": True, "help": "operator name, for example add"}),
        ("--reference_path", {"required": True, "help": "PyTorch reference file"}),
        ("--kernel_code_path", {"required": True, "help": "description file with the six sources"}),
        ("--devices", {"help": "devices the service may use: npu:0,npu:1"}),
        ("--url", {"default": os.environ.get("ASCEND_VERIFY_URL"),
                   "help": f"the service; default $ASCEND_VERIFY_URL, else {DEFAULT_URL} when it answers, else this machine"}),
        ("--stream", {"action": "store_true", "help": "show the service's log as it comes"}),
        ("--result_json_path", {"default": "./result.json", "help": "where the answer is written; traj.json beside it grows"}))
    result_path = os.path.abspath(args.result_json_path)
    remote = args.url or service_answers()
    where = _opwright.words(url=args.url or DEFAULT_URL, stream=args.stream, devices=args.devices) if remote else ["--local"]
    print(f"[verify] op={args.op} {'url=' + (args.url or DEFAULT_URL) if remote else 'on this machine, simulated'}", flush=True)
    before = os.stat(result_path).st_mtime_ns if os.path.exists(result_path) else None
    status = _opwright.run("verify", *_opwright.words(op=args.op, reference_path=os.path.abspath(args.reference_path),
                                                      kernel_code_path=os.path.abspath(args.kernel_code_path), result_json_path=result_path), *where)
    if os.path.exists(result_path) and os.stat(result_path).st_mtime_ns != before:
        with open(result_path, encoding="utf-8") as f:
            answer = json.load(f)
        print("exit_code:", answer.get("exit_code"))
        print(f"[verify] Final JSON result saved to: {result_path}")
    return status


if __name__ == "__main__":
    sys.exit(main())
