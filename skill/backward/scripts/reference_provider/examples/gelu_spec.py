"""GELU; its gradient by x, with an incoming gradient."""
import torch


def forward(x):
    return torch.nn.functional.gelu(x)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {"x": {"shape": ["M", "N"]}},
    "cases": [{"M": 64, "N": 128}, {"M": 7, "N": 33}],
    "dtypes": ["float32", "float16"],
    "grad_output": "explicit",
}
