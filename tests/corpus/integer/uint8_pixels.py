import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, image, mask, row, column):
        sharp = torch.where(mask, image + row, image - column)
        return sharp, (image.to(torch.float32) / 255 - 0.5).to(torch.float16), sharp == -1


def get_inputs():
    return [torch.randint(0, 256, (61, 77), dtype=torch.uint8), torch.rand(61, 77) > 0.5,
            torch.randint(0, 256, (77,), dtype=torch.uint8), torch.randint(0, 256, (61, 1), dtype=torch.uint8)]
