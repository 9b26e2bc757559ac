import torch.nn.functional as F


def forward(x):
    return F.pad(x[:, 2:], (1, 3))


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", 40]},
    },
    "cases": [{"N": 33}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
