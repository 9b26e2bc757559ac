import torch.nn.functional as F


def forward(x, weight, bias):
    return F.group_norm(x, 4, weight, bias)


BACKWARD_SPEC = {
    "wrt": ["x", "weight", "bias"],
    "inputs": {
        "x": {"shape": ["B", 12, "L"]},
        "weight": {"shape": [12]},
        "bias": {"shape": [12]},
    },
    "cases": [{"B": 3, "L": 35}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
