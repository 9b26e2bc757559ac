def forward(x, y):
    return x.transpose(0, 1) * y


BACKWARD_SPEC = {
    "wrt": ["x", "y"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "y": {"shape": ["C", "N"]},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
