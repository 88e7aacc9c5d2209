"""The click that calibration plays, and the matched filter that finds it in a recording."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from operator import mul

from pitwall.voice.clips import Clip
from pitwall.voice.sound_program import CHUNK_SAMPLES
from pitwall.voice.wav import RATE_HZ

CLICK_SAMPLES = 4 * CHUNK_SAMPLES  # 40 ms, whole chunks of the player
FROM_HZ, TO_HZ = 2200.0, 700.0  # every phone speaker gives these, and both fit below the thinned rate
ATTACK_S, DECAY_S = 0.001, 0.012  # sharp, so that the ear hears its onset where it is
PEAK = 16_000

THIN = 4  # samples to one: 0.18 ms of resolution, and sixteen times less work
MATCH_MIN = 0.4  # normalised; chance reaches 0.27 in 3900 places of white noise against 220 samples


def click_clip() -> Clip:
    """A falling chirp that dies away, 40 ms; it sounds from its first sample on."""
    length_s = CLICK_SAMPLES / RATE_HZ
    values = array("h")
    for number in range(CLICK_SAMPLES):
        t = number / RATE_HZ
        phase = 2.0 * math.pi * (FROM_HZ + (TO_HZ - FROM_HZ) * t / length_s / 2.0) * t
        values.append(round(PEAK * min(1.0, t / ATTACK_S) * math.exp(-t / DECAY_S) * math.sin(phase)))
    return Clip("click", None, length_s, values.tobytes())


def find_click(heard: Sequence[int]) -> int | None:
    """Where in `heard` (samples at RATE_HZ) the click starts, in samples; None where it is not in it.

    The place with the largest inner product of template and signal, accepted by their normalised
    correlation (Cauchy-Schwarz: 1 is the click itself, whatever its loudness).
    """
    signal, template = _thinned(heard), _TEMPLATE
    places = len(signal) - len(template) + 1
    if places < 1:
        return None
    match = [sum(map(mul, template, signal[at : at + len(template)])) for at in range(places)]
    best = max(range(places), key=match.__getitem__)
    energy = sum(value * value for value in signal[best : best + len(template)])
    if energy == 0 or match[best] < MATCH_MIN * math.sqrt(energy) * _TEMPLATE_NORM:
        return None
    return best * THIN


def _thinned(values: Sequence[int]) -> list[int]:
    """Sums of THIN samples each: the crude low-pass is part of the template too."""
    return [sum(values[at : at + THIN]) for at in range(0, len(values) - THIN + 1, THIN)]


_TEMPLATE = _thinned(array("h", click_clip().pcm))
_TEMPLATE_NORM = math.sqrt(sum(value * value for value in _TEMPLATE))
