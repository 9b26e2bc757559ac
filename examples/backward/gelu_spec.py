"""The forward of an exact GELU, for `opwright backward`."""
import torch


def forward(x):
    return torch.nn.functional.gelu(x)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {"x": {"shape": ["N"]}},
    "cases": [{"N": 1024}, {"N": 4096}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
