#!/usr/bin/env bash
# Runs bench/first_light.py with a Python that has PyTorch. Arguments are handed on: --runs N, --build DIR, --json FILE.
set -eu
cd "$(dirname "$0")/.."
for python in ${OPWRIGHT_PYTHON:-} .venv/bin/python python3; do
    if "$python" -c 'import torch' >/dev/null 2>&1; then
        exec "$python" bench/first_light.py "$@"
    fi
done
echo "bench: no Python with PyTorch; run 'make deps' or set OPWRIGHT_PYTHON" >&2
exit 2
