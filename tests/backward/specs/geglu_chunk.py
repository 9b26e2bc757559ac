import torch.nn.functional as F


def forward(x):
    a, b = x.chunk(2, dim=-1)
    return a * F.gelu(b)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", 64]},
    },
    "cases": [{"N": 33}, {"N": 100}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
