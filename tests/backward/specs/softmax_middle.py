import torch


def forward(x):
    return torch.softmax(x, 1)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", "C", "L"]},
    },
    "cases": [{"B": 3, "C": 19, "L": 33}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
