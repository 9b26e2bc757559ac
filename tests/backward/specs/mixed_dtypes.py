def forward(x, w):
    return x.float() * w


BACKWARD_SPEC = {
    "wrt": ["x", "w"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "w": {"shape": ["C"], "dtype": "float32"},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
