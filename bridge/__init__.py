"""opwright's Python side: reads a reference module, traces it, evaluates it beside a candidate.

Started by src/bridge as `python bridge/worker.py`; the protocol is docs/bridge.md, the traced graph docs/graph.md.
The package is loaded under the name `opwright_bridge`, so that its module names (trace, reference, ...) never shadow
what a user's file imports.
"""
