import torch
from torch.nn import Parameter


class Model(torch.nn.Module):
    """One layer in half; the state is computed in float32 and kept in half from step to step."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.w_ih = Parameter(torch.randn(3 * hidden_size, input_size, dtype=torch.float16))
        self.w_hh = Parameter(torch.randn(3 * hidden_size, hidden_size, dtype=torch.float16))
        self.b_ih = Parameter(torch.randn(3 * hidden_size, dtype=torch.float16))
        self.b_hh = Parameter(torch.randn(3 * hidden_size, dtype=torch.float16))
        self.register_buffer("h0", torch.randn(1, 2, hidden_size, dtype=torch.float16))

    def forward(self, x):
        state, states = self.h0[0], []
        for step in x:
            r, z, n = (step.float() @ self.w_ih.float().T + self.b_ih.float()).chunk(3, dim=1)
            hr, hz, hn = (state.float() @ self.w_hh.float().T + self.b_hh.float()).chunk(3, dim=1)
            r, z = torch.sigmoid(r + hr), torch.sigmoid(z + hz)
            state = ((1 - z) * torch.tanh(n + r * hn) + z * state.float()).half()
            states.append(state)
        return torch.stack(states)


def get_inputs():
    return [torch.rand(4, 2, 32, dtype=torch.float16)]


def get_init_inputs():
    return [32, 32]
