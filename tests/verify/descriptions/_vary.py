"""vary(source_name=[(old, new), ...]): the six sources of pair_sum.py with pieces replaced. Every piece must be there."""
import os
import runpy

NAMES = ("project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src")


def vary(**changes):
    base = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pair_sum.py"))
    sources = {name: base[name] for name in NAMES}
    for name, pairs in changes.items():
        for old, new in pairs:
            assert old in sources[name], f"{name} has no {old!r}"
            sources[name] = sources[name].replace(old, new, 1)
    return sources
