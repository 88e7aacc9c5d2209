"""Measures the delay from writing sound to hearing it by a person's taps to clicks.

Clicks go through the player as callouts do. Each delay counts from `on_handed`: from the write of a
clip's first samples.
"""

from __future__ import annotations

import math
import os
import select
import statistics
import time
from array import array
from collections.abc import Sequence

import msgspec

from pitwall.voice.clips import Clip
from pitwall.voice.delay import Calibration
from pitwall.voice.playback_queue import Player
from pitwall.voice.sound_program import CHUNK_SAMPLES
from pitwall.voice.wav import RATE_HZ

CLICK_SAMPLES = 4 * CHUNK_SAMPLES  # 40 ms, whole chunks of the player
FROM_HZ, TO_HZ = 2200.0, 700.0  # every phone speaker gives these
ATTACK_S, DECAY_S = 0.001, 0.012  # sharp, so that the ear hears its onset where it is
PEAK = 16_000
LEAD_S = 0.3  # before the first click
READY_S = 5.0  # for the player's device to wake up
BEAT_S = 0.8  # 75 a minute: people keep time best around there
TAP_BEFORE_S = 0.25  # a tap from so long before the click belongs to it
# People tap before the beat, untrained ones by 20 to 80 ms (Repp 2005, Psychonomic Bulletin &
# Review 12, "negative mean asynchrony"); a key and a terminal add 10 to 30 ms. The difference of
# both middles is added; the method's own error, half of both ranges, covers the rest.
TAPS_LEAD_S, BLIND_S = 0.03, 0.03
# The first clicks, by which a person finds the beat, don't count.
CLICKS, WARM_UP, NEEDED = 16, 4, 8
SPREAD_MAX_S = 0.06
FLOOR_S = 0.04  # less off the median is never an outlier
MAD_TO_SIGMA = 1.4826  # of a normal distribution
OUTLIER_SIGMAS = 3.0
ADVICE = "tap at each click, as evenly as they come"


class CalibrationError(Exception):
    """No delay was found that can be trusted: says why, and what to do."""


class MeasuredDelays(msgspec.Struct, frozen=True):
    """What the clicks gave, s: a median without outliers, and its spread."""

    median_s: float
    spread_s: float
    count: int
    outliers: int


def click_clip() -> Clip:
    """Return a falling chirp that dies away, 40 ms; it sounds from its first sample on."""
    length_s = CLICK_SAMPLES / RATE_HZ
    values = array("h")
    for number in range(CLICK_SAMPLES):
        t = number / RATE_HZ
        phase = 2.0 * math.pi * (FROM_HZ + (TO_HZ - FROM_HZ) * t / length_s / 2.0) * t
        values.append(round(PEAK * min(1.0, t / ATTACK_S) * math.exp(-t / DECAY_S) * math.sin(phase)))
    return Clip("click", None, length_s, values.tobytes())


def settle(delays_s: Sequence[float]) -> MeasuredDelays:
    """Return median and robust standard deviation, without what lies more than 3 such deviations,
    and more than FLOOR_S, off the median of all."""
    middle_s = statistics.median(delays_s)
    limit_s = max(FLOOR_S, OUTLIER_SIGMAS * _sigma(delays_s))
    kept = [delay_s for delay_s in delays_s if abs(delay_s - middle_s) <= limit_s]
    return MeasuredDelays(statistics.median(kept), _sigma(kept), len(kept), len(delays_s) - len(kept))


def judge(delays_s: Sequence[float], measured_utc_s: float) -> Calibration:
    """Return the calibration from the clicks' delays. CalibrationError with the figures."""
    played = CLICKS - WARM_UP
    if not delays_s:
        raise CalibrationError(
            f"none of {played} clicks was tapped: was the sound on? Tap Enter at each click"
        )
    found = settle(delays_s)
    figures = (
        f"{found.count} of {played} clicks were tapped at {_ms(found.median_s)}, spread {_ms(found.spread_s)}"
    )
    if found.count < NEEDED or found.spread_s > SPREAD_MAX_S:
        bounds = f"{NEEDED} clicks within a spread of {_ms(SPREAD_MAX_S)}"
        outliers = f", {found.outliers} far off" if found.outliers else ""
        raise CalibrationError(f"{figures}{outliers}; it takes {bounds}: {ADVICE}")
    if found.median_s < -BLIND_S:
        raise CalibrationError(f"{figures}, so before they were played: {ADVICE}")
    # The median of n normal values scatters by 1.2533 sigma / sqrt(n).
    error_s = BLIND_S + 2.0 * 1.2533 * found.spread_s / math.sqrt(found.count)
    return Calibration(max(0.0, found.median_s), found.spread_s, error_s, found.count, measured_utc_s)


def calibrate_by_taps(player: Player, keyboard: int) -> Calibration:
    """Play a steady beat, read a line a tap from `keyboard`; 13 s. CalibrationError."""
    if not player.wait_ready(READY_S):
        raise CalibrationError(f"{player.name} does not play: {player.state().last_error or 'no answer'}")
    click, taps_s, handed_s = click_clip(), list[float](), list[float]()
    player.on_handed = lambda _, at_s: handed_s.append(at_s)
    next_s = time.monotonic() + LEAD_S
    for _ in range(CLICKS):
        read_taps(keyboard, next_s, taps_s)
        player.play(click, cut=False)
        next_s += BEAT_S
    read_taps(keyboard, next_s, taps_s)
    player.on_handed = None
    return judge(delays_of_taps(handed_s[WARM_UP:], taps_s), time.time())


def delays_of_taps(handed_s: Sequence[float], taps_s: Sequence[float]) -> list[float]:
    """Return the delay that each click's first tap tells, s; clicks without a tap are left out."""
    delays_s: list[float] = []
    for at_s in handed_s:
        begin_s = at_s - TAP_BEFORE_S
        first_s = next((tap_s for tap_s in taps_s if begin_s <= tap_s < begin_s + BEAT_S), None)
        if first_s is not None:
            delays_s.append(first_s - at_s + TAPS_LEAD_S)
    return delays_s


def read_taps(keyboard: int, until_s: float, taps_s: list[float]) -> None:
    """Add the time of each line that is typed until then. CalibrationError if the input ends."""
    while (left_s := until_s - time.monotonic()) > 0:
        if not select.select([keyboard], [], [], left_s)[0]:
            return
        typed, now_s = os.read(keyboard, 1024), time.monotonic()
        if not typed:
            raise CalibrationError("the input has ended: tapping needs a terminal")
        taps_s.append(now_s)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _sigma(values: Sequence[float]) -> float:
    middle = statistics.median(values)
    return MAD_TO_SIGMA * statistics.median(abs(value - middle) for value in values)
