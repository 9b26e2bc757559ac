import torch.nn.functional as F


def forward(x):
    return F.instance_norm(x)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", 5, "H", "W"]},
    },
    "cases": [{"B": 3, "H": 7, "W": 11}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
