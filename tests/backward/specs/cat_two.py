import torch


def forward(x, y):
    return torch.cat([x * 2.0, y.sin()], dim=-1)


BACKWARD_SPEC = {
    "wrt": ["x", "y"],
    "inputs": {
        "x": {"shape": ["N", 24]},
        "y": {"shape": ["N", 40]},
    },
    "cases": [{"N": 33}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
