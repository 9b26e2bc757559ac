#!/usr/bin/env bash
# Time of one `golden save` into a store of many operators (default 10000), each save a new process:  bench/store.sh [operators]
set -eu
cd "$(dirname "$0")/.."
n=${1:-10000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 - "$dir" "$n" <<'PY'
import json, pathlib, sys, time
folder, n = pathlib.Path(sys.argv[1]), int(sys.argv[2])
times = {"mean": 0.177, "median": 0.176, "std": 0.00604, "min": 0.139, "max": 0.194, "num_trials": 100}
item = {"index": 0, "op": "", "category": "custom", "language": "ascendc", "compiled": True, "correctness": True, "performance": times,
        "hardware": "ai_core-Ascend910B4", "compile_info": "", "baseline_performance": times, "speedup": 1.06, "saved_at": "2026-01-01T00:00:00Z"}
(folder / "golden").mkdir()
(folder / "golden/info.json").write_text(json.dumps({f"op_{i}": {**item, "op": f"op_{i}"} for i in range(n)}, indent=4))
(folder / "r.json").write_text(json.dumps({**item, "op": f"op_{n // 2}"}))
PY
printf '%s operators, info.json of %s bytes\n' "$n" "$(stat -c %s "$dir/golden/info.json")"
for i in 1 2 3 4 5 6 7; do
    echo "# version $i" >"$dir/k.py"
    start=$(date +%s%N)
    build/opwright golden save --result_path "$dir/r.json" --kernel_code_path "$dir/k.py" --output_dir "$dir/golden" --force >/dev/null 2>&1
    printf '  save %s: %s ms\n' "$i" $((($(date +%s%N) - start) / 1000000))
done
