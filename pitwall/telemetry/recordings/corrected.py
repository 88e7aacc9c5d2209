"""Correct recordings before they are fused: names, units, days, jitter, a receiver that is late.

Channels that a person names (`steering_deg = "a_ste:deg"`: ours, the file's, its unit), a speed of
missing or refuted unit, a day that a receiver gives 1,024 weeks too early.
"""

from __future__ import annotations

import difflib
import math
import re
import time
from calendar import timegm
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import chain, islice, pairwise, takewhile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.even import EvenClock
from pitwall.telemetry.findings import Finding
from pitwall.telemetry.fix import metres_between
from pitwall.telemetry.lag import LEAST_LAG_S, WITNESSES, Fit, LaggedRows, Series, is_new
from pitwall.telemetry.recordings.base import ChangedRecording, Recording, RecordingError, readings_of
from pitwall.telemetry.recordings.columns import Conversion, has_unit, slug, to_canonical
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.session_clock import DAY_S, WEEK_S
from pitwall.telemetry.signals import SIGNALS

# Names of a speed, and which signal that is.
_SPEEDS = (
    (re.compile(r"(gps_?)?(speed|velocity)(_?gps|_over_ground)?"), "speed_mps"),
    (re.compile(r"(vehicle|car|drive|road|wheel|indicated|ground|corr(ected)?)_?speed|vss\d?|v_?car"),
     "wheel_speed_mps"),
)  # fmt: skip
_SPEED_SIGNALS = {signal for _, signal in _SPEEDS}
# Fixes this far apart in time give the speed to a few percent; the nearest two units differ by 15
# %.
_SPEED_UNITS = ("km/h", "mph", "m/s", "knots")
STEP_S, LONGEST_STEPS, LEAST_MPS = 2.0, 3.0, 5.0
# Where these tell nothing, as of rows each 15 s or positions to 11 m, steps of so long may.
SPARSER_S = (STEP_S, 8.0, 15.0)
# Enough such steps; how many must agree, how closely each and all.
LEAST_STEPS, MOST_STEPS = 20, 500
AGREEING_SHARE, EACH_OFF, ALL_OFF = 0.7, 0.10, 0.05
# Further off, the stated unit is wrong.
REFUTED = 1.3
# A car that stands this long first is not waited for.
WITHIN_S = 1_800.0


class _Wish(NamedTuple):
    target: str
    source: str
    unit: str


def check_channel(target: str, source: str) -> None:
    """Refuse what can't be a channel: our signal, the file's name, perhaps its unit. UserError."""
    if target not in SIGNALS:
        near = difflib.get_close_matches(target, SIGNALS, 1)
        raise UserError(f"{target[:60]!r} is no signal of Pitwall's; known: {', '.join(near or SIGNALS)}")
    name, _, unit = source.partition(":")
    if not name.strip() or (unit and to_canonical(target, unit) is None):
        raise UserError(f"{target} = {source[:60]!r}: give the file's name of it, and a unit such as "
                        f"{SIGNALS[target].unit or 'none'} after a colon")  # fmt: skip


def _with_channels(
    recording: Recording, changes: Mapping[tuple[int, int], tuple[str, Conversion]], *notes: Finding
) -> Recording:
    """Return the recording with some channels renamed and converted."""
    targets = {target for target, _ in changes.values()}
    streams = []
    all_scaled: dict[int, list[tuple[int, float, float]]] = {}
    for stream in recording.info.streams:
        names, channels = {channel.name for channel in stream.channels}, []
        for at, channel in enumerate(stream.channels):
            if (change := changes.get((stream.id, at))) is not None:
                target, conversion = change
                channels.append(Channel(target, SIGNALS[target].unit, channel.label))
                if conversion[1:] != (1.0, 0.0):
                    scaled = (at, conversion.scale, conversion.offset)
                    all_scaled.setdefault(stream.id, []).append(scaled)
            elif channel.name in targets:
                number, own = 2, f"{slug(channel.label)}_own"
                while own in names or own in SIGNALS:
                    own, number = f"{slug(channel.label)}_own_{number}", number + 1
                names.add(own)
                channels.append(Channel(own, channel.unit, channel.label))
            else:
                channels.append(channel)
        streams.append(Stream(stream.id, stream.source, tuple(channels), stream.latency_s))
    # Of what a person named, his unit counts.
    scales = {at: each for at, each in recording.info.scales.items() if at not in changes}
    info = msgspec.structs.replace(recording.info, streams=tuple(streams), scales=scales)

    def samples(own: Recording) -> Iterator[Sample]:
        for sample in own.samples():
            scaled = all_scaled.get(sample.stream)
            if scaled is None:
                yield sample
                continue
            values = list(sample.values)
            for at, scale, offset in scaled:
                value = values[at]
                values[at] = None if value is None else value * scale + offset
            yield Sample(sample.stream, sample.t, tuple(values))

    return ChangedRecording(recording, samples, *notes, info=info)


def renamed(recording: Recording, settled: Mapping[str, str], given: Mapping[str, str]) -> Recording:
    """Return the recording with renamed channels: `settled` ones if it has them, `given` ones else
    RecordingError."""
    found: dict[tuple[int, int], tuple[str, Conversion]] = {}
    for target, text in {**settled, **given}.items():
        name, _, unit = text.partition(":")
        wish = _Wish(target, slug(name), unit.strip())
        places = [
            (s.id, at, c) for s in recording.info.streams for at, c in enumerate(s.channels) if _is(c, wish)
        ]
        path = Path(recording.info.path)
        if places:
            stream, at, channel = places[0]
            conversion = _conversion(channel, wish, recording.info.scales.get((stream, at), (1.0, 0.0)))
            if conversion is not None:
                found[stream, at] = (target, conversion)
            elif target in given:
                hint = f"give its unit: {target}={name}:{SIGNALS[target].unit}"
                raise RecordingError(path, f"{name} in {channel.unit or 'no unit'} is no {target}", hint=hint)
        elif target in given:
            labels = {c.label or c.name for s in recording.info.streams for c in s.channels}
            near = difflib.get_close_matches(name, sorted(labels), 3, 0.4) or sorted(labels)[:8]
            raise RecordingError(path, f"has no channel {name!r}", hint=f"it has {', '.join(near)}")
    return _with_channels(recording, found) if found else recording


def _is(channel: Channel, wish: _Wish) -> bool:
    return wish.source in (slug(channel.label), channel.name, slug(channel.label.rpartition(".")[2]))


def _conversion(channel: Channel, wish: _Wish, scaled: tuple[float, float]) -> Conversion | None:
    if channel.canonical and not wish.unit:
        same = SIGNALS[channel.name].dimension == SIGNALS[wish.target].dimension
        return Conversion(SIGNALS[wish.target].dimension, 1.0) if same else None
    found = to_canonical(wish.target, wish.unit or channel.unit)
    if found is None or not channel.canonical:
        return found
    scale, offset = scaled  # the sign is the format's convention, and stays
    by = math.copysign(found.scale, scale) / scale
    return Conversion(found.dimension, by, math.copysign(1.0, scale) * found.offset - by * offset)


def with_speed_unit(recording: Recording) -> Recording:
    """Return the recording with its speed in the unit that agrees with the fixes; a note says
    so."""
    channels = [(s, at, c) for s in recording.info.streams for at, c in enumerate(s.channels)]
    known = {channel.name for _, _, channel in channels}
    placed = {"lat_deg", "lon_deg"} <= known
    changes: dict[tuple[int, int], tuple[str, Conversion]] = {}
    notes: list[Finding] = []
    for stream, at, channel in channels:
        place = (stream.id, at)
        if placed and channel.name in _SPEED_SIGNALS and place in recording.info.scales:
            scale = recording.info.scales[place][0]
            refuted = _refuted(recording, place, scale)
            if refuted is not None:
                unit, by, count = refuted
                changes[place] = (channel.name, Conversion("speed", by))
                stated = next((each for each in _SPEED_UNITS if math.isclose(_mps(each), scale)), "another")
                what = f"{channel.label!r}: the file says {stated}, its positions say {unit}: read as {unit}"
                notes.append(Finding("reckoned", channel.name, count, None, what))
        target = next((to for name, to in _SPEEDS if name.fullmatch(slug(channel.label))), "")
        target = "wheel_speed_mps" if target and stream.source == "ecu" else target
        if channel.canonical or not target or has_unit(channel.unit) or target in known:
            continue
        known |= _SPEED_SIGNALS  # of several without a unit the first is read
        steps: list[tuple[float, float]] = []
        found = None
        for step_s in SPARSER_S if placed else ():
            steps = list(islice(_steps(recording, place, step_s=step_s), MOST_STEPS)) or steps
            if (found := _agreeing(steps)) is not None:
                break
        if not placed:
            steps = list(islice(_by_distance(recording, place), MOST_STEPS))
            found = _agreeing(steps) or _possible(recording, place)
        if found is None:
            why = "agrees with the fixes in none" if steps else "nothing tells it"
            what = f'has no unit, and {why}: not used; give it, --channel {target}="{channel.label}:km/h"'
            notes.append(Finding("blank_channel", channel.name, 1, None, what))
        else:
            changes[place] = (target, Conversion("speed", _mps(found)))
            of = "fixes" if placed else "distance" if steps else "speeds of cars alone"
            what = f"{channel.label!r} has no unit: read as {found}, in which it agrees with the {of}"
            notes.append(Finding("reckoned", target, max(len(steps), 1), None, what))
    return _with_channels(recording, changes, *notes) if notes else recording


def _mps(unit: str) -> float:
    found = to_canonical("speed_mps", unit)
    assert found is not None
    return found.scale


def _refuted(
    recording: Recording, place: tuple[int, int], stated_mps: float
) -> tuple[str, float, int] | None:
    """Return the true unit of a speed, its factor, and how many steps agree; None if the stated
    unit fits, or no other does in both halves."""
    found = _steps(recording, place, WITHIN_S)
    steps = list(islice(found, LEAST_STEPS))
    if len(steps) < LEAST_STEPS or 1 / REFUTED < median(value / mps for value, mps in steps) < REFUTED:
        return None
    steps += found
    raw = [(value / stated_mps, mps) for value, mps in steps]
    half = len(raw) // 2
    unit = _agreeing(raw)
    if unit is None or {unit} != {_agreeing(raw[:half]), _agreeing(raw[half:])}:
        return None
    by = _mps(unit) / stated_mps
    return None if 1 / REFUTED < by < REFUTED else (unit, by, len(steps))


def _steps(
    recording: Recording, speed: tuple[int, int], within_s: float = math.inf, step_s: float = STEP_S
) -> Iterator[tuple[float, float]]:
    """Yield a column's mean between two fixes, and the speed (m/s) between them, while driving."""
    mean_of: list[float] = []
    count = 0
    begun: tuple[float, float, float] | None = None
    for sample, lat, lon in _placed(recording):
        if sample.t > within_s and count < LEAST_STEPS:
            return
        if sample.stream == speed[0] and (value := sample.values[speed[1]]) is not None:
            mean_of.append(value)
        if lat is None or lon is None:
            continue
        if begun is not None and sample.t - begun[0] < step_s:
            continue
        if begun is not None and mean_of and (passed_s := sample.t - begun[0]) <= LONGEST_STEPS * step_s:
            mps = metres_between(*begun[1:], lat, lon) / passed_s
            if mps >= LEAST_MPS:
                count += 1
                yield sum(mean_of) / len(mean_of), mps
        begun, mean_of = (sample.t, lat, lon), mean_of[-1:]


def _placed(recording: Recording) -> Iterator[tuple[Sample, float | None, float | None]]:
    places = {
        stream.id: (names.index("lat_deg"), names.index("lon_deg"))
        for stream in recording.info.streams
        if {"lat_deg", "lon_deg"} <= set(names := [channel.name for channel in stream.channels])
    }
    for sample in recording.samples():
        at = places.get(sample.stream)
        yield (sample, *((sample.values[at[0]], sample.values[at[1]]) if at else (None, None)))


# No car is so fast; where so large a share of the moves is, it is no jump of a receiver.
IMPOSSIBLE_MPS, LEAST_PLACES, JUMPING_SHARE = 150.0, 50, 0.15


def with_times_believed(recording: Recording) -> Recording:
    """Refuse times that are not those of the places, as rows have that are stamped where they
    arrive. RecordingError."""
    moves = jumps = 0
    last: tuple[float, float, float] | None = None
    for sample, lat, lon in _placed(recording):
        if sample.t > READ_S:
            break
        if lat is None or lon is None or (last is not None and (lat, lon) == last[1:]):
            continue
        if last is not None and (passed_s := sample.t - last[0]) > 0.0:
            moves += 1
            jumps += metres_between(*last[1:], lat, lon) > IMPOSSIBLE_MPS * passed_s
        last = (sample.t, lat, lon)
    if moves >= LEAST_PLACES and jumps > JUMPING_SHARE * moves:
        what = f"its times are not those of its places: {jumps} of {moves} moves are faster than any car"
        hint = "export it with the logger's own time of each row, not that of its arrival"
        raise RecordingError(Path(recording.info.path), what, hint=hint, recognised=True)
    return recording


# Names of a distance driven, in metres.
_WAY = re.compile(r"(lap_?)?dist(ance)?(_?(m|traveled|travelled|round_track))?|lap_?dist\w*")


def _by_distance(recording: Recording, speed: tuple[int, int]) -> Iterator[tuple[float, float]]:
    """Yield as `_steps` does, by a column of the distance in the same stream."""
    channels = recording.info.streams[speed[0]].channels
    way_at = next((i for i, c in enumerate(channels) if _WAY.fullmatch(slug(c.label))), None)
    if way_at is None or channels[way_at].unit not in ("", "m"):
        return
    values: list[float] = []
    begun: tuple[float, float] | None = None
    for sample in recording.samples():
        way_m, value = sample.values[way_at], sample.values[speed[1]]
        if sample.stream != speed[0] or way_m is None or value is None:
            continue
        values.append(value)
        if begun is not None and sample.t - begun[0] < STEP_S:
            continue
        if begun is not None and (mps := (way_m - begun[1]) / (sample.t - begun[0])) >= LEAST_MPS:
            yield sum(values) / len(values), mps
        begun, values = (sample.t, way_m), []


# No car of a track day is so fast in miles an hour; in metres a second none is half so fast.
MOST_MPH, MOST_KMH = 235.0, 450.0


def _possible(recording: Recording, speed: tuple[int, int]) -> str | None:
    found = (each.values[speed[1]] for each in recording.samples() if each.stream == speed[0])
    return "km/h" if MOST_MPH < max(filter(None, found), default=0.0) < MOST_KMH else None


def _agreeing(steps: list[tuple[float, float]]) -> str | None:
    if len(steps) < LEAST_STEPS:
        return None
    for unit in _SPEED_UNITS:
        shares = [value * _mps(unit) / mps for value, mps in steps]
        agreeing = sum(abs(share - 1.0) <= EACH_OFF for share in shares)
        if abs(median(shares) - 1.0) <= ALL_OFF and agreeing >= AGREEING_SHARE * len(steps):
            return unit
    return None


# The week number has ten bits: a receiver that missed the rollover of April 2019 gives days from
# August 1999 on.
ROLLOVER_S = 1024 * WEEK_S
EPOCH_UTC_S = 935_280_000.0


def with_day_doubted(recording: Recording, now_utc_s: float | None = None) -> Recording:
    """Drop a day that may be 1,024 weeks too early; keep the time of day."""
    now_utc_s = time.time() if now_utc_s is None else now_utc_s
    start_utc_s = recording.info.start_utc_s
    names = {channel.name for stream in recording.info.streams for channel in stream.channels}
    if (
        "lat_deg" not in names
        or start_utc_s is None
        or not EPOCH_UTC_S <= start_utc_s <= now_utc_s - ROLLOVER_S
    ):
        return recording
    days = (time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (start_utc_s, start_utc_s + ROLLOVER_S))
    what = (
        "the receiver says {}, as one that missed a rollover of the GPS week does on {}: the day is not "
        "known (pitwall sessions date sets it)"
    ).format(*days)
    info = msgspec.structs.replace(recording.info, start_utc_s=None, time_of_day_s=start_utc_s % DAY_S)
    note = Finding("jump", "day", 1, None, what)
    return ChangedRecording(recording, _as_it_is, note, info=info)


# A day, perhaps with a time, in the name of a file.
_NAMED = re.compile(
    r"(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])"
    r"(?:[-_ T@.]+([01]\d|2[0-3])[-_.:h]?([0-5]\d)(?:[-_.:m]?([0-5]\d))?(?!\d)\s*([ap]m)?|(?!\d))",
    re.IGNORECASE,
)


def with_named_day(recording: Recording) -> Recording:
    """Return the recording with the day that its file's name tells, where nothing in it does; a
    time of day too must be known. A note says so."""
    info, named = recording.info, _NAMED.search(Path(recording.info.path).name)
    if info.start_utc_s is not None or named is None:
        return recording
    tod_s = info.time_of_day_s
    if tod_s is None and named[4]:
        hours = int(named[4]) % 12 + 12 if (named[7] or "").lower() == "pm" else int(named[4])
        tod_s = hours * 3600.0 + int(named[5]) * 60.0 + int(named[6] or 0)
    try:
        midnight_s = timegm(date(*map(int, named.groups()[:3])).timetuple())
    except ValueError:
        return recording
    if tod_s is None or midnight_s > time.time() + DAY_S:
        return recording
    note = Finding("reckoned", "day", 1, None, "as the file's name tells")
    info = msgspec.structs.replace(info, start_utc_s=midnight_s + tod_s, time_of_day_s=tod_s)
    return ChangedRecording(recording, _as_it_is, note, info=info)


def _as_it_is(recording: Recording) -> Iterator[Sample]:
    return recording.samples()


# Three laps of a usual circuit.
READ_S = 360.0
# Times jitter if the fixes' own motion fits an even clock so much better, by this many steps of
# this speed. A few rows tell whether the times are even as they are.
BETTER, LEAST_MOVES, MOVING_MPS, FIRST_ROWS, LEAST_JITTER_S = 1.5, 100, 8.0, 600, 0.01


def _moved(recording: Recording) -> Iterator[tuple[Sample, float]]:
    names = [channel.name for channel in recording.info.streams[0].channels]
    at = [names.index(name) for name in ("lat_deg", "lon_deg", "speed_mps")]
    last: list[float | None] = [None] * 3
    for sample in recording.samples():
        now, moved_s = [sample.values[i] for i in at], 0.0
        if None not in last and None not in now:
            moved_s = _seconds_between(*last, *now)  # type: ignore[arg-type]
        yield sample, moved_s
        last = now


def _seconds_between(
    lat: float, lon: float, mps: float, to_lat: float, to_lon: float, to_mps: float
) -> float:
    moved_m = metres_between(lat, lon, to_lat, to_lon)
    return 2.0 * moved_m / (mps + to_mps) if min(mps, to_mps) >= MOVING_MPS else 0.0


def evened(recording: Recording) -> Recording:
    """Return the recording on an even clock if its times jitter and the fixes' motion does not."""
    streams = recording.info.streams
    names = {channel.name for channel in streams[0].channels} if len(streams) == 1 else set()
    if not {"lat_deg", "lon_deg", "speed_mps"} <= names:
        return recording
    rows = ((sample.t, moved_s) for sample, moved_s in _moved(recording))
    first = list(islice(rows, FIRST_ROWS))
    steps = [b - a for (a, _), (b, _) in pairwise(first)]
    step_s = median(steps) if steps else 0.0
    if step_s <= 0.0 or median(abs(each - step_s) for each in steps) < LEAST_JITTER_S:
        return recording
    read = chain(first, takewhile(lambda row: row[0] < READ_S, rows))
    moves = [(b - a, moved_s) for (a, _), (b, moved_s) in pairwise(read) if moved_s > 0.0]
    if len(moves) < LEAST_MOVES:
        return recording
    counts = [max(1, round(moved_s / step_s)) for _, moved_s in moves]
    step_s = sum(stamped_s for stamped_s, _ in moves) / sum(counts)
    jitter_s = median(abs(moved_s - stamped_s) for stamped_s, moved_s in moves)
    uneven_s = median(abs(moved_s - n * step_s) for n, (_, moved_s) in zip(counts, moves, strict=True))
    if jitter_s <= max(BETTER * uneven_s, LEAST_JITTER_S):
        return recording

    def samples(own: Recording) -> Iterator[Sample]:
        clock = EvenClock(step_s)
        for sample, moved_s in _moved(own):
            yield Sample(sample.stream, clock.at(sample.t, moved_s), sample.values)

    what = f"the rows' times jitter by {jitter_s:.3f} s and the fixes do not: put on an even clock"
    return ChangedRecording(recording, samples, Finding("reckoned", "time", len(moves), None, what))


def find_lag_s(recording: Recording) -> tuple[float, str] | None:
    """Return how late the receiver is, seconds, and by which signal; None if unsure."""
    fit = Fit(_read(recording, {"speed_mps", *(name for name, _ in WITNESSES)}))
    while not fit.step():
        pass
    return fit.found


def aligned(recording: Recording) -> Recording:
    """Return the recording with the car's signals moved to the receiver's time, if that is late."""
    channels = [channel for stream in recording.info.streams for channel in stream.channels]
    names = {channel.name for channel in channels}
    if "speed_mps" not in names or names.isdisjoint(name for name, _ in WITNESSES):
        return recording
    found = find_lag_s(recording)
    if found is None or found[0] < LEAST_LAG_S:
        return recording
    lag_s, source = round(found[0], 3), found[1]

    def samples(own: Recording) -> Iterator[Sample]:
        rows = {stream.id: LaggedRows(stream, lag_s) for stream in own.info.streams}
        for sample in own.samples():
            yield rows[sample.stream].moved(sample)

    what = f"the fixes were {lag_s:.2f} s late by it: the car's signals are moved to them"
    return ChangedRecording(recording, samples, Finding("lag", source, 1, None, what))


def _read(recording: Recording, names: set[str]) -> dict[str, Series]:
    series: dict[str, Series] = {}
    for name, t, value in readings_of(recording, names, READ_S):
        known = series.setdefault(name, [])
        if not known or is_new(known[-1], t, value):
            known.append((t, value))
    return series
