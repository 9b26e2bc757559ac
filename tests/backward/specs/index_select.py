def forward(x, index):
    return x.index_select(0, index)


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "index": {"shape": [40], "dtype": "int64", "range": [0, "N"]},
    },
    "cases": [{"N": 33, "C": 24}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
