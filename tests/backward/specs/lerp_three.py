import torch


def forward(x, y, w):
    return x + torch.sigmoid(w) * (y - x)


BACKWARD_SPEC = {
    "wrt": ["x", "y", "w"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "y": {"shape": ["N", "C"]},
        "w": {"shape": ["C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
