"""Indices repeat: their rows add up."""
import torch.nn.functional as F


def forward(weight, index):
    return F.embedding(index, weight)


BACKWARD_SPEC = {
    "wrt": ["weight"],
    "inputs": {
        "weight": {"shape": ["V", "C"]},
        "index": {"shape": ["N"], "dtype": "int64", "range": [0, "V"]},
    },
    "cases": [{"V": 13, "C": 24, "N": 50}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
