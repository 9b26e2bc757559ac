import torch.nn.functional as F


def forward(x):
    return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["B", 2, 45, 77]},
    },
    "cases": [{"B": 3}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
