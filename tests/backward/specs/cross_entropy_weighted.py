import torch.nn.functional as F


def forward(x, target, weight):
    return F.cross_entropy(x, target, weight.abs() + 0.1, ignore_index=3)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "target": {"shape": ["N"], "dtype": "int64", "range": [0, "C"]},
        "weight": {"shape": ["C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "ones",
}
