import torch.nn.functional as F


def forward(x, target):
    return F.nll_loss(x, target, ignore_index=2)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "target": {"shape": ["N"], "dtype": "int64", "range": [0, "C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "ones",
}
