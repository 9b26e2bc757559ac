import torch


def forward(x, y):
    return torch.clamp(1.0 - x * torch.sign(y), min=0.0).mean()


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "y": {"shape": ["N", "C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "ones",
}
