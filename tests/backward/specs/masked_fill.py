def forward(x, mask):
    return x.masked_fill(mask, -1.0) * x


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {
        "x": {"shape": ["N", "C"]},
        "mask": {"shape": ["N", "C"], "dtype": "bool"},
    },
    "cases": [{"N": 33, "C": 70}],
    "dtypes": ["float16", "bfloat16", "float32"],
    "grad_output": "explicit",
}
