"""Measures the delay from writing sound to hearing it: by a microphone, or by a person's taps.

Clicks go through the player as callouts do. Each delay counts from `on_handed`: from the write of a
clip's first samples. `parec --verbose` gives every 50 ms the moment of the stream at the
microphone, including the buffers of server and device.
"""

from __future__ import annotations

import math
import os
import re
import select
import selectors
import statistics
import subprocess
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import cycle, islice
from operator import mul

import msgspec

from pitwall.helpers.child_process import end_program, start_program
from pitwall.voice.clips import Clip
from pitwall.voice.delay import Calibration, How
from pitwall.voice.playback_queue import Player
from pitwall.voice.sound_program import CHUNK_SAMPLES
from pitwall.voice.wav import RATE_HZ, SAMPLE_BYTES, samples

CLICK_SAMPLES = 4 * CHUNK_SAMPLES  # 40 ms, whole chunks of the player
FROM_HZ, TO_HZ = 2200.0, 700.0  # every phone speaker gives these, and both fit below the thinned rate
ATTACK_S, DECAY_S = 0.001, 0.012  # sharp, so that the ear hears its onset where it is
PEAK = 16_000

THIN = 4  # samples to one: 0.18 ms of resolution, and sixteen times less work
MATCH_MIN = 0.4  # normalised; chance reaches 0.27 in 3900 places of white noise against 220 samples


def click_clip() -> Clip:
    """Return a falling chirp that dies away, 40 ms; it sounds from its first sample on."""
    length_s = CLICK_SAMPLES / RATE_HZ
    values = array("h")
    for number in range(CLICK_SAMPLES):
        t = number / RATE_HZ
        phase = 2.0 * math.pi * (FROM_HZ + (TO_HZ - FROM_HZ) * t / length_s / 2.0) * t
        values.append(round(PEAK * min(1.0, t / ATTACK_S) * math.exp(-t / DECAY_S) * math.sin(phase)))
    return Clip("click", None, length_s, values.tobytes())


def find_click(heard: Sequence[int]) -> int | None:
    """Return where in `heard` (samples at RATE_HZ) the click starts, in samples, or None.

    The place with the largest inner product of template and signal, accepted by their normalised
    correlation.
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


LATENCY_MS = 10  # asked of the server, for a steady flow; nothing depends on it
START_S = 5.0  # for a source that slept to deliver
TELLINGS = 10  # of the stream's time, before it is relied upon
_TIME = re.compile(rb"Time: (\d+\.\d+) sec")


class HearingError(Exception):
    """The source can't be heard: says why."""


class Hearing:
    """Records from construction until `close`. Times are s of time.monotonic()."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pcm = bytearray()
        self._starts_s: list[float] = []
        self._said = b""
        self._ended = False
        self._news = threading.Condition()
        options = f"--raw --format=s16le --rate={RATE_HZ} --channels=1 --latency-msec={LATENCY_MS}".split()
        try:
            self._process = start_program(
                ("parec", "--verbose", f"--device={source}", "--client-name=Pitwall", *options),
                env={**os.environ, "LC_ALL": "C"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise HearingError(
                f"parec does not start ({error.strerror}): install pulseaudio-utils"
            ) from error
        self._thread = threading.Thread(target=self._listen, name="pitwall-hearing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close it; nothing is left open."""
        self._process.kill()
        # The thread reads until both pipes end, and only then may they be closed.
        self._thread.join()
        end_program(self._process, within_s=1.0)

    def wait_hearing(self) -> None:
        """Wait until the source delivers and its clock is known. HearingError."""
        self._wait(lambda: len(self._starts_s) >= TELLINGS, START_S)

    def between(self, start_s: float, end_s: float) -> array[int]:
        """Return what was heard in that time; waits for it. HearingError."""
        self._wait(lambda: self._index(end_s) * SAMPLE_BYTES <= len(self._pcm), START_S)
        with self._news:
            first, last = max(0, self._index(start_s)), max(0, self._index(end_s))
            return samples(bytes(self._pcm[first * SAMPLE_BYTES : last * SAMPLE_BYTES]))

    @property
    def jitter_s(self) -> float:
        """How far the clock's tellings lie apart: the standard deviation of where each puts the
        start."""
        with self._news:
            return statistics.pstdev(self._starts_s) if self._starts_s else 0.0

    def _index(self, time_s: float) -> int:
        return round((time_s - statistics.median(self._starts_s)) * RATE_HZ)

    def _wait(self, come: Callable[[], bool], timeout_s: float) -> None:
        with self._news:
            if not self._news.wait_for(lambda: self._ended or come(), timeout_s) or self._ended:
                raise HearingError(f"{self._source} can't be heard: {self._complaint()}")

    def _complaint(self) -> str:
        lines = [line.strip() for line in self._said.decode("utf-8", "replace").splitlines()]
        last = next((line for line in reversed(lines) if line), "")
        return last if self._ended and last else "it delivers nothing"

    def _listen(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ, self._take)
            selector.register(self._process.stderr, selectors.EVENT_READ, self._tell)
            while selector.get_map():
                for key, _ in selector.select():
                    data = os.read(key.fd, 65536)
                    with self._news:
                        if data:
                            key.data(data, time.monotonic())
                        else:
                            selector.unregister(key.fileobj)
                            self._ended = True
                        self._news.notify_all()

    def _take(self, data: bytes, _: float) -> None:
        self._pcm += data

    def _tell(self, data: bytes, now_s: float) -> None:
        self._said = (self._said + data)[-1000:]
        times_s = [float(text) for text in _TIME.findall(data)]
        if times_s and times_s[-1] > 0.0:  # 0 until the source runs
            self._starts_s.append(now_s - times_s[-1])


LEAD_S = 0.3  # before the first click
READY_S = 5.0  # for the player's device to wake up
REACH_S = 0.6  # no output is later; beyond this it could be the next click
EARLY_S = 0.02  # a click is looked for from so long before it was handed over, for the clocks' sake
# Unequal: a delay longer than a gap then shows as a wide spread, never as a short delay.
UNEQUAL_GAPS_S = (0.66, 0.81, 0.72, 0.77, 0.69)
BEAT_S = 0.8  # 75 a minute: people keep time best around there
TAP_BEFORE_S = 0.25  # a tap from so long before the click belongs to it
# People tap before the beat, untrained ones by 20 to 80 ms (Repp 2005, Psychonomic Bulletin &
# Review 12, "negative mean asynchrony"); a key and a terminal add 10 to 30 ms. The difference of
# both middles is added; the method's own error covers the rest.
TAPS_LEAD_S = 0.03
MAD_TO_SIGMA = 1.4826  # of a normal distribution
OUTLIER_SIGMAS = 3.0


class CalibrationError(Exception):
    """No delay was found that can be trusted: says why, and what to do."""


class Method(msgspec.Struct, frozen=True):
    """How many clicks are played, how many must count, and how far the delays may lie apart.

    `warm_up`: first clicks, not counted. `floor_s`: less off the median is never an outlier.
    `blind_s`: what the spread can't show.
    """

    clicks: int
    warm_up: int
    needed: int
    spread_max_s: float
    floor_s: float
    blind_s: float
    advice: str


METHODS: dict[How, Method] = {
    # Blind: what the server believes of its device's buffer, a chunk of the player, 1 m of air, and
    # what a device says of its own input.
    "microphone": Method(10, 1, 6, 0.02, 0.01, 0.015, "make it louder, bring the microphone closer"),
    # Blind: half of the range of people's asynchrony and of keyboards' delays.
    "taps": Method(16, 4, 8, 0.06, 0.04, 0.03, "tap at each click, as evenly as they come"),
}

SILENT: dict[How, str] = {
    "microphone": "is this the right source, is the sound on, is it loud enough? taps measure without",
    "taps": "was the sound on? Tap Enter at each click",
}


class MeasuredDelays(msgspec.Struct, frozen=True):
    """Holds what the clicks gave, s: a median without outliers, and how far what counts lies
    apart."""

    median_s: float
    spread_s: float
    count: int
    outliers: int


def settle(delays_s: Sequence[float], floor_s: float) -> MeasuredDelays:
    """Return median and robust standard deviation, without what lies more than 3 such deviations,
    and more than `floor_s`, off the median of all."""
    middle_s = statistics.median(delays_s)
    limit_s = max(floor_s, OUTLIER_SIGMAS * _sigma(delays_s))
    kept = [delay_s for delay_s in delays_s if abs(delay_s - middle_s) <= limit_s]
    return MeasuredDelays(statistics.median(kept), _sigma(kept), len(kept), len(delays_s) - len(kept))


def judge(delays_s: Sequence[float], how: How, measured_utc_s: float, clock_s: float = 0.0) -> Calibration:
    """Return the calibration from the clicks' delays; `clock_s`: jitter of the clock that timed
    them. CalibrationError with the figures."""
    method, verb = METHODS[how], "tapped" if how == "taps" else "heard"
    played = method.clicks - method.warm_up
    if not delays_s:
        raise CalibrationError(f"none of {played} clicks was {verb}: {SILENT[how]}")
    found = settle(delays_s, method.floor_s)
    figures = (
        f"{found.count} of {played} clicks were {verb} at {_ms(found.median_s)}, spread {_ms(found.spread_s)}"
    )
    if found.count < method.needed or found.spread_s > method.spread_max_s:
        bounds = f"{method.needed} clicks within a spread of {_ms(method.spread_max_s)}"
        outliers = f", {found.outliers} far off" if found.outliers else ""
        raise CalibrationError(f"{figures}{outliers}; it takes {bounds}: {method.advice}")
    blind_s = method.blind_s + clock_s
    if found.median_s < -blind_s:
        raise CalibrationError(f"{figures}, so before they were played: {method.advice}")
    # The median of n normal values scatters by 1.2533 sigma / sqrt(n).
    error_s = blind_s + 2.0 * 1.2533 * found.spread_s / math.sqrt(found.count)
    return Calibration(
        delay_s=max(0.0, found.median_s),
        spread_s=found.spread_s,
        error_s=error_s,
        count=found.count,
        how=how,
        measured_utc_s=measured_utc_s,
    )


def calibrate_by_source(player: Player, source: str) -> Calibration:
    """Play clicks and hear them on a source of the sound server; 8 s. CalibrationError."""
    method = METHODS["microphone"]
    try:
        _ready(player)
        with closing(Hearing(source)) as hearing:
            hearing.wait_hearing()
            still = threading.Event()
            gaps_s = islice(cycle(UNEQUAL_GAPS_S), method.clicks)
            handed_s = play_clicks(player, tuple(gaps_s), lambda until_s: _wait(still, until_s))
            delays_s = [_heard_after_s(hearing, at_s) for at_s in handed_s[method.warm_up :]]
            clock_s = hearing.jitter_s
    except HearingError as error:
        raise CalibrationError(f"{error}; taps measure without") from None
    return judge([delay_s for delay_s in delays_s if delay_s is not None], "microphone", time.time(), clock_s)


def calibrate_by_taps(player: Player, keyboard: int) -> Calibration:
    """Play a steady beat, read a line at each from `keyboard`, a file descriptor; 13 s.
    CalibrationError."""
    method = METHODS["taps"]
    _ready(player)
    taps_s: list[float] = []
    handed_s = play_clicks(
        player, (BEAT_S,) * method.clicks, lambda until_s: read_taps(keyboard, until_s, taps_s)
    )
    return judge(delays_of_taps(handed_s[method.warm_up :], taps_s), "taps", time.time())


def delays_of_taps(handed_s: Sequence[float], taps_s: Sequence[float]) -> list[float]:
    """Return the delay that each click's first tap tells, s; clicks without a tap are left out."""
    delays_s: list[float] = []
    for at_s in handed_s:
        begin_s = at_s - TAP_BEFORE_S
        first_s = next((tap_s for tap_s in taps_s if begin_s <= tap_s < begin_s + BEAT_S), None)
        if first_s is not None:
            delays_s.append(first_s - at_s + TAPS_LEAD_S)
    return delays_s


def play_clicks(player: Player, gaps_s: Sequence[float], pause: Callable[[float], None]) -> list[float]:
    """Play a click before each gap; return when each was handed over, s of time.monotonic()."""
    click, handed_s = click_clip(), []
    player.on_handed = lambda _, at_s: handed_s.append(at_s)
    next_s = time.monotonic() + LEAD_S
    for gap_s in gaps_s:
        pause(next_s)
        player.play(click, cut=False)
        next_s += gap_s
    pause(next_s)
    player.on_handed = None
    return handed_s


def read_taps(keyboard: int, until_s: float, taps_s: list[float]) -> None:
    """Add the time of each line that is typed until then. CalibrationError if the input ends."""
    while (left_s := until_s - time.monotonic()) > 0:
        if not select.select([keyboard], [], [], left_s)[0]:
            return
        typed, now_s = os.read(keyboard, 1024), time.monotonic()
        if not typed:
            raise CalibrationError("the input has ended: tapping needs a terminal")
        taps_s.append(now_s)


def _heard_after_s(hearing: Hearing, handed_s: float) -> float | None:
    """How long after it was handed over the click sounded, s; None if it was not heard."""
    begin_s = handed_s - EARLY_S
    at = find_click(hearing.between(begin_s, handed_s + REACH_S + CLICK_SAMPLES / RATE_HZ))
    return None if at is None else at / RATE_HZ - EARLY_S


def _ready(player: Player) -> None:
    if not player.wait_ready(READY_S):
        raise CalibrationError(f"{player.name} does not play: {player.state().last_error or 'no answer'}")


def _wait(still: threading.Event, until_s: float) -> None:
    still.wait(max(0.0, until_s - time.monotonic()))


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _sigma(values: Sequence[float]) -> float:
    middle = statistics.median(values)
    return MAD_TO_SIGMA * statistics.median(abs(value - middle) for value in values)
