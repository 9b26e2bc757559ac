"""References that are nearly the reference: the slip that was made is among them and gives exactly the wrong numbers."""
import pytest
import torch
import torch.nn.functional as F

from bridge import near_miss

X = torch.randn(6, 6, generator=torch.Generator().manual_seed(3)) * 2
Y = torch.randn(6, 6, generator=torch.Generator().manual_seed(4)) + 3
IMAGE = X.reshape(1, 1, 6, 6)

# the reference, what was computed instead, words of the change that explains it
SLIPS = [
    (lambda: torch.sigmoid(X), lambda: X * torch.sigmoid(X), "in place of sigmoid"),
    (lambda: X.sigmoid() + Y, lambda: F.silu(X) + Y, "in place of sigmoid"),
    (lambda: F.silu(X), lambda: torch.sigmoid(X), "sigmoid in place of silu"),
    (lambda: F.gelu(X), lambda: F.gelu(X, approximate="tanh"), "the other form of gelu"),
    (lambda: F.gelu(X, approximate="tanh"), lambda: F.gelu(X), "the other form of gelu"),
    (lambda: X.var(dim=1), lambda: X.var(dim=1, unbiased=False), "the other divisor"),
    (lambda: torch.std(X, 1, False), lambda: torch.std(X, 1), "the other divisor"),
    (lambda: X.mean(dim=-1), lambda: X.sum(dim=-1), "a sum in place of the mean"),
    (lambda: torch.sum(X, 1), lambda: X.mean(dim=1), "a mean in place of the sum"),
    (lambda: F.softmax(X, dim=1), lambda: F.softmax(X, dim=0), "another dimension"),
    (lambda: torch.log_softmax(X, 1), lambda: torch.log_softmax(X, 1) / 2.302585092994046, "base 10"),
    (lambda: X.amax(1), lambda: X.amin(1), "the minimum in place of the maximum"),
    (lambda: torch.matmul(X, Y), lambda: torch.matmul(X, Y.T), "the second operand transposed"),
    (lambda: X @ Y, lambda: X.T @ Y, "the first operand transposed"),
    (lambda: X - Y, lambda: Y - X, "its operands swapped"),
    (lambda: X / Y, lambda: Y / X, "its operands swapped"),
    (lambda: torch.where(X > 0, X, Y), lambda: torch.where(X > 0, Y, X), "its condition inverted"),
    (lambda: X.masked_fill(X > 0, -1.0), lambda: X.masked_fill(X <= 0, -1.0), "its condition inverted"),
    (lambda: F.avg_pool2d(IMAGE, 3, 2, 1), lambda: F.avg_pool2d(IMAGE, 3, 2, 1, count_include_pad=False), "count_include_pad"),
    (lambda: F.layer_norm(X, (6,), Y[0], Y[1]), lambda: F.layer_norm(X, (6,)), "no weight and bias"),
    (lambda: F.linear(X, Y, Y[0]), lambda: F.linear(X, Y), "no bias"),
    (lambda: torch.clamp(X, -1.0, 1.0), lambda: torch.clamp(X, max=1.0), "no lower limit"),
    (lambda: torch.relu(X * 3) + Y, lambda: X * 3 + Y, "relu left out"),
    (lambda: torch.exp(torch.exp(X / 9)), lambda: torch.exp(X / 9), "exp left out (call 1 of 2)"),
    (lambda: torch.cumsum(X, 1), lambda: torch.cumsum(X, 1) - X, "without the element itself"),
]


@pytest.mark.parametrize("number", range(len(SLIPS)))
def test_slip_is_found(number):
    right, wrong, words = SLIPS[number]
    found = near_miss.near_results(lambda: [right()])
    equal = [n for n in found if torch.allclose(n["outputs"][0], wrong(), rtol=1e-5, atol=1e-6)]
    assert any(words in n["text"] for n in equal), [n["text"] for n in found]
    assert all(n["text_zh"] for n in found)
    assert not any(torch.equal(n["outputs"][0], right()) for n in found), "a change that changes nothing explains nothing"


def test_what_does_not_run_is_left_out():
    """A function whose change needs another shape or type is passed over; so is a reference without calls."""
    assert near_miss.near_results(lambda: [X]) == []
    odd = torch.randn(4, 7)
    assert all(n["outputs"][0].shape == (4, 4) for n in near_miss.near_results(lambda: [odd @ odd.T]))


def test_changes_are_bounded():
    def long():
        y = X
        for _ in range(200):
            y = torch.sigmoid(y)
        return [y]

    assert len(near_miss.near_results(long)) <= near_miss.MAX_CHANGES
