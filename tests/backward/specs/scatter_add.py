def forward(x, src, index):
    return x.scatter_add(0, index, src)


BACKWARD_SPEC = {
    "wrt": ["x", "src"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "src": {"shape": ["N", "C"]},
        "index": {"shape": ["N", "C"], "dtype": "int64", "range": [0, "N"]},
    },
    "cases": [{"N": 33, "C": 24}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
