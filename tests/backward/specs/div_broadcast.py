def forward(x, y):
    return x / (y * y + 1.0)


BACKWARD_SPEC = {
    "wrt": ["x", "y"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "y": {"shape": [1, "C"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
