def forward(x, b):
    return x + b


BACKWARD_SPEC = {
    "wrt": ["x", "b"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "b": {"shape": ["N", 1]},
    },
    "cases": [{"N": 33, "C": 70}, {"N": 128, "C": 64}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
