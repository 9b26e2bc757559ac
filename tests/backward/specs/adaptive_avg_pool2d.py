import torch.nn.functional as F


def forward(x):
    return F.adaptive_avg_pool2d(x, (3, 4))


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", 3, 7, 10]},
    },
    "cases": [{"B": 3}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
