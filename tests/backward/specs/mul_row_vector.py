def forward(x, w):
    return x * w


BACKWARD_SPEC = {
    "wrt": ["x", "w"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "w": {"shape": ["C"]},
    },
    "cases": [{"N": 33, "C": 70}, {"N": 128, "C": 64}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
