import torch.nn.functional as F


def forward(x):
    return F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", 3, 10, 14]},
    },
    "cases": [{"B": 3}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
