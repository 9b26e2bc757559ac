import torch


def forward(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", "N", 64]},
        "cos": {"shape": ["N", 32]},
        "sin": {"shape": ["N", 32]},
    },
    "cases": [{"B": 3, "N": 17}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
