import torch.nn.functional as F


def forward(x, target):
    return F.cross_entropy(x, target, reduction="none", ignore_index=0)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", "C", "L"]},
        "target": {"shape": ["B", "L"], "dtype": "int64", "range": [0, "C"]},
    },
    "cases": [{"B": 3, "C": 17, "L": 21}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
