"""The network in PyTorch: its loss, its training, and the same network as plain layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from samples import Rows, column
from torch.nn import functional

from pitwall.coach.model.features import FEATURES, LAGS_S, PEDAL_LAGS_S
from pitwall.coach.model.forecast import HEADS, OUTPUTS, SPEED_UNIT_MPS, SPEEDS, WAY_UNIT_M

HIDDEN = (128, 64)
# Standardised inputs are cut off here: what was never seen may not drive a forecast anywhere.
LIMIT = 5.0
RATE, DECAY, BATCH = 2e-3, 1e-2, 512
# In so many of the rows pedals and rpm are taken away: most cars have a GPS and nothing else.
WITHOUT_PEDALS = 0.3
PEDALS = slice(1 + len(LAGS_S) + 2 * len(PEDAL_LAGS_S), 1 + len(LAGS_S) + 5 * len(PEDAL_LAGS_S) + 3)
# An accelerometer is never quite level, nor is the road: each row's g along is off by so much (1 sigma).
TILTED_G = 0.1
LONG_G = slice(1 + len(LAGS_S), 1 + len(LAGS_S) + len(PEDAL_LAGS_S))
# Each row is mixed with another, mostly a little (a Beta distribution of this): what lies between two
# instants that were driven could be driven too, and few laps are not learned by heart.
MIXED = 0.2
HELD, PEDAL_WEIGHT, SMALL = 0.9, 0.1, 0.05


def usable(rows: Rows) -> Rows:
    """Rows whose next seconds are known."""
    known = np.isfinite(column(rows, "true_mps")).all(1) & np.isfinite(column(rows, "true_way_m")).all(1)
    return rows[known]


def residuals(rows: Rows) -> Rows:
    """What the lookup was wrong by, in the heads' units: (n, HEADS)."""
    speeds = (column(rows, "true_mps") - column(rows, "lookup_mps")) / SPEED_UNIT_MPS
    ways = (column(rows, "true_way_m") - column(rows, "lookup_way_m")) / WAY_UNIT_M
    return np.concatenate([speeds, ways], 1)


class Net(torch.nn.Module):
    """Two hidden layers over standardised features, and a straight way past them: half a second is mostly as
    even as the present, and need not be learned by bends."""

    def __init__(self, mean: torch.Tensor, spread: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)
        first, second = HIDDEN
        self.layers = torch.nn.ModuleList(
            [
                torch.nn.Linear(FEATURES, first),
                torch.nn.Linear(first, second),
                torch.nn.Linear(second, OUTPUTS),
            ]
        )
        self.straight = torch.nn.Linear(FEATURES, OUTPUTS, bias=False)
        torch.nn.init.zeros_(self.straight.weight)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(n, FEATURES) -> (n, OUTPUTS)."""
        now = scaled = ((features - self.mean) / self.spread).clamp(-LIMIT, LIMIT)
        for layer in self.layers[:-1]:
            now = functional.relu(layer(now))
        return self.layers[-1](now) + self.straight(scaled)


def loss(
    outputs: torch.Tensor,
    weights: torch.Tensor,
    wanted: torch.Tensor,
    brake: torch.Tensor,
    throttle: torch.Tensor,
) -> torch.Tensor:
    """Absolute error of the middles, quantile loss of the bands (each head by its weight: (HEADS,)), cross
    entropy of pedals that are known."""
    middles = outputs[:, :HEADS]
    halves = functional.softplus(outputs[:, HEADS : 2 * HEADS])
    errors = wanted - middles
    total = (weights * functional.huber_loss(middles, wanted, delta=SMALL, reduction="none")).mean() / SMALL
    beyond = errors.detach().abs() - halves
    total = total + 2.0 * (weights * torch.maximum(HELD * beyond, (HELD - 1.0) * beyond)).mean()
    pedals = outputs[:, 2 * HEADS :]
    total = total + PEDAL_WEIGHT * functional.binary_cross_entropy_with_logits(pedals[:, :SPEEDS], brake)
    known = torch.isfinite(throttle)
    pressed = torch.where(known, throttle, torch.zeros_like(throttle)).clamp(0.0, 1.0)
    each = functional.binary_cross_entropy_with_logits(pedals[:, SPEEDS:], pressed, reduction="none")
    return total + PEDAL_WEIGHT * (each * known).mean()


def train_one(rows: Rows, epochs: int, seed: int) -> Net:
    """One network on these rows: the same rows and seed give the same network."""
    torch.manual_seed(seed)
    shuffle = torch.Generator().manual_seed(seed)
    features = torch.tensor(rows[:, :FEATURES], dtype=torch.float32)
    truth = [
        torch.tensor(values, dtype=torch.float32)
        for values in (residuals(rows), column(rows, "brake"), column(rows, "throttle"))
    ]
    # What is wrong by little counts as much as what is wrong by much, else 4 s ahead crowd out 0.5 s.
    weights = 1.0 / truth[0].abs().mean(0)
    weights = weights / weights.mean()
    net = Net(features.mean(0), features.std(0) + 1e-3)
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    steps = len(rows) // BATCH
    mixing = torch.distributions.Beta(MIXED, MIXED)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=epochs * steps + 1)
    for _ in range(epochs):
        order = torch.randperm(len(rows), generator=shuffle)
        for step in range(steps):
            chosen = order[step * BATCH : (step + 1) * BATCH]
            seen = features[chosen].clone()
            seen[:, LONG_G] += TILTED_G * torch.randn(BATCH, 1)
            blind = torch.rand(len(chosen), generator=shuffle) < WITHOUT_PEDALS
            seen[blind, PEDALS] = 0.0
            share, other = mixing.sample((BATCH, 1)), torch.randperm(BATCH)
            share = torch.maximum(share, 1.0 - share)
            seen, *wanted = (
                share * values + (1.0 - share) * values[other]
                for values in (seen, *(values[chosen] for values in truth))
            )
            optimizer.zero_grad()
            loss(net(seen), weights, *wanted).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return net.eval()


def as_layers(nets: Sequence[Net]) -> list[tuple[Rows, Rows]]:
    """Several networks with the same standardisation side by side, as three layers: their mean."""
    parts = [[(one.weight.detach().numpy(), one.bias.detach().numpy()) for one in net.layers] for net in nets]
    first, second = HIDDEN
    middle = np.zeros((second * len(nets), first * len(nets)), np.float32)
    for i, part in enumerate(parts):
        middle[i * second : (i + 1) * second, i * first : (i + 1) * first] = part[1][0]
    return [
        (np.concatenate([part[0][0] for part in parts]), np.concatenate([part[0][1] for part in parts])),
        (middle, np.concatenate([part[1][1] for part in parts])),
        (
            np.concatenate([part[2][0] for part in parts], 1) / len(nets),
            np.mean([part[2][1] for part in parts], 0),
        ),
    ]


def straight_of(nets: Sequence[Net]) -> Rows:
    """The straight ways of several networks: their mean, (OUTPUTS, FEATURES)."""
    return np.mean([net.straight.weight.detach().numpy() for net in nets], 0)
