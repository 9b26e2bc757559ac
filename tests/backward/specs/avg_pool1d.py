import torch.nn.functional as F


def forward(x):
    return F.avg_pool1d(x, 4)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", 6, "L"]},
    },
    "cases": [{"B": 5, "L": 32}, {"B": 16, "L": 1024}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
