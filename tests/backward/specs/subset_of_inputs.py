"""Only one of three inputs wants a gradient."""
def forward(x, w, b):
    return x * w + b


BACKWARD_SPEC = {
    "wrt": ["w"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "w": {"shape": ["C"]},
        "b": {"shape": ["C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
