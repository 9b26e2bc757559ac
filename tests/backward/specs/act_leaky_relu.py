import torch.nn.functional as F


def forward(x):
    return F.leaky_relu(x, 0.1)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
    },
    "cases": [{"N": 7, "C": 131}, {"N": 64, "C": 256}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
