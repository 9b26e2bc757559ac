import torch


def forward(x):
    return torch.tanh(x)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": [17, 29]},
    },
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
