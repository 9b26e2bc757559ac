import torch.nn.functional as F


def forward(x):
    return F.max_pool2d(x, 2)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", 3, 16, 18]},
    },
    "cases": [{"B": 3}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
