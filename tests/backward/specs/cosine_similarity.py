import torch.nn.functional as F


def forward(x, y):
    return F.cosine_similarity(x, y, dim=-1)


BACKWARD_SPEC = {
    "wrt": ["x", "y"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "y": {"shape": ["N", "C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
