import torch.nn.functional as F


def forward(x, gate):
    return F.silu(gate) * x


BACKWARD_SPEC = {
    "wrt": ["x", "gate"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "gate": {"shape": ["N", "C"]},
    },
    "cases": [{"N": 33, "C": 70}, {"N": 64, "C": 512}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
