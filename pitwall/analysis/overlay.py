"""A film of a lap: where in the film it was driven, and what is drawn over it, as ASS subtitles."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec

from pitwall.telemetry.lag import correlation, even_steps, top_between

# (seconds, m/s)
Speeds = Sequence[tuple[float, float]]
HZ = 5
# Two series alike to this (Pearson's r) are of one drive; a second place as good to `ALIKE` is a
# doubt.
LEAST_MATCH, ALIKE = 0.9, 0.02
LEAST_OVERLAP_S, HOLE_S, NEAR_UTC_S, APART_S = 10.0, 1.0, 60.0, 20.0
STEP_S = 0.1
# A callout stays for its sound, and long enough to be read.
LEAST_SHOWN_S = 2.5
# ASS writes colours as blue, green, red.
HEAD = """[Script Info]
ScriptType: v4.00+
PlayResX: {wide}
PlayResY: {high}

[V4+ Styles]
Format: Name,Fontname,Fontsize,PrimaryColour,SecondaryColour,OutlineColour,BackColour,Bold,Italic,Underline,\
StrikeOut,ScaleX,ScaleY,Spacing,Angle,BorderStyle,Outline,Shadow,Alignment,MarginL,MarginR,MarginV,Encoding
{styles}

[Events]
Format: Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,Effect,Text"""
WHITE, FASTER, SLOWER = "&HFFFFFF&", "&H8AD46B&", "&H669CFF&"


class Instant(msgspec.Struct, frozen=True):
    """A moment of the lap, s since its start; `delta_s`: against the other lap."""

    t: float
    speed: float
    gear: float | None
    delta_s: float | None
    place: tuple[float, float] | None


class HeardCall(msgspec.Struct, frozen=True):
    """Words of the coach, heard `t` seconds after the lap's start for `long_s`."""

    t: float
    long_s: float
    text: str


def begin_of(film: Speeds, driven: Speeds, clock_s: float | None) -> float | None:
    """Return when in the session a film began, by the speeds of both; None: not alike."""
    if len(film) < 2 or len(driven) < 2:
        return None
    one, two = (even_steps(each, each[0][0], each[-1][0], 1 / HZ, HOLE_S) for each in (film, driven))
    shift_s = driven[0][0] - film[0][0]
    least = round(HZ * max(LEAST_OVERLAP_S, min(60.0, len(one) / HZ / 2, len(two) / HZ / 2)))
    rough = [
        (correlation(one[::HZ], two[lag % HZ :: HZ], lag // HZ, least // HZ), lag)
        for lag in range(-len(one), len(two), HZ)
    ]
    tried = [lag for _, lag in sorted(rough, reverse=True)[:12]]
    if clock_s is not None:
        tried.append(round((clock_s - shift_s) * HZ))
    found: list[tuple[float, float]] = []
    for around in tried:
        fits = {lag: correlation(one, two, lag, least) for lag in range(around - HZ - 1, around + HZ + 2)}
        best = max(list(fits)[1:-1], key=lambda lag: fits[lag])
        between = max(-0.5, min(0.5, top_between(fits[best - 1], fits[best], fits[best + 1])))
        found.append((fits[best], shift_s + (best + between) / HZ))
    top, begin_s = max(found)
    if clock_s is not None:
        named = [each for each in found if abs(each[1] - clock_s) < NEAR_UTC_S and each[0] > top - ALIKE]
        top, begin_s = max(named, default=(top, begin_s))
    elif any(fit > top - ALIKE / 2 and abs(each_s - begin_s) > APART_S for fit, each_s in found):
        return None
    return begin_s if top >= LEAST_MATCH else None


def time_at(reached: Sequence[tuple[float, float]], distance_m: float) -> float | None:
    """Return when a lap was at this place; `reached`: (m, s) in order. None outside it."""
    i = bisect_right(reached, (distance_m, math.inf))
    if not 0 < i < len(reached):
        return None
    (m, s), (after_m, after_s) = reached[i - 1], reached[i]
    return s + (after_s - s) * (distance_m - m) / (after_m - m) if after_m > m else s


def subtitles(
    lap: Sequence[Instant],
    calls: Sequence[HeardCall],
    line: Sequence[tuple[float, float]],
    *,
    title: str,
    unit: str,
    size: tuple[int, int],
    ahead_s: float,
) -> str:
    """Draw a lap as ASS subtitles for a film of `size` pixels; it begins after `ahead_s`."""
    wide, high = size
    u = high / 720.0
    style = (
        "Style: {name},DejaVu Sans,{font:.0f},{white},{white},&H202020&,&H80000000&,1,0,0,0,100,100,0,0,1,"
        "{edge:.1f},0,{place},{side:.0f},{side:.0f},{side:.0f},1"
    )
    styles = [
        style.format(name=name, font=font * u, white=WHITE, edge=2.5 * u, place=place, side=24 * u)
        for name, font, place in (("speed", 54, 1), ("delta", 48, 8), ("title", 28, 7), ("call", 44, 2))
    ]
    events, end_s = [], ahead_s + (lap[-1].t if lap else 0.0)

    def show(begin_s: float, until_s: float, style: str, text: str) -> None:
        events.append(f"Dialogue: 0,{_clock(begin_s)},{_clock(until_s)},{style},,0,0,0,,{text}")

    show(0.0, end_s + LEAST_SHOWN_S, "title", _plain(title))
    place = _map(line, wide, high)
    if line:
        path = " l ".join("{:.0f} {:.0f}".format(*place(each)) for each in line)
        show(
            0.0,
            end_s + LEAST_SHOWN_S,
            "title",
            rf"{{\an7\pos(0,0)\1a&HFF&\3c{WHITE}\bord{3 * u:.1f}\p1}}m {path}",
        )
    r = 9.0 * u
    dot = rf"\an7\1c{SLOWER}\3c&H202020&\p1}}" + _circle(r)
    for each, after in pairwise(lap):
        begin_s, until_s = ahead_s + each.t, ahead_s + after.t
        gear = "" if each.gear is None else f"  {each.gear:.0f}"
        clock = f"{int(each.t // 60)}:{each.t % 60:04.1f}"
        show(begin_s, until_s, "speed", rf"{each.speed:.0f} {unit}{gear}\N{{\fs{30 * u:.0f}}}{clock}")
        if each.delta_s is not None:
            colour = FASTER if each.delta_s < 0.0 else SLOWER
            show(begin_s, until_s, "delta", rf"{{\1c{colour}}}{each.delta_s:+.2f}")
        if each.place is not None:
            x, y = place(each.place)
            x2, y2 = place(after.place or each.place)
            show(
                begin_s, until_s, "title", rf"{{\move({x - r:.0f},{y - r:.0f},{x2 - r:.0f},{y2 - r:.0f}){dot}"
            )
    for call in calls:
        show(ahead_s + call.t, ahead_s + call.t + max(call.long_s, LEAST_SHOWN_S), "call", _plain(call.text))
    head = HEAD.format(wide=wide, high=high, styles="\n".join(styles))
    return "\n".join((head, *events, ""))


def _map(
    line: Sequence[tuple[float, float]], wide: int, high: int
) -> Callable[[tuple[float, float]], tuple[float, float]]:
    """Return what brings a place in metres into the upper right corner of the film."""
    x = [each[0] for each in line] or [0.0]
    y = [each[1] for each in line] or [0.0]
    side, edge = 0.28 * high, 0.05 * high
    by = side / max(max(x) - min(x), max(y) - min(y), 1.0)
    right = wide - edge - by * (max(x) - min(x))
    return lambda each: (right + by * (each[0] - min(x)), edge + by * (max(y) - each[1]))


def _circle(r: float) -> str:
    low, mid, high, end = (f"{each:.1f}" for each in (0.4477 * r, r, 1.5523 * r, 2.0 * r))
    return (
        f"m {end} {mid} b {end} {high} {high} {end} {mid} {end} {low} {end} 0 {high} 0 {mid} "
        f"0 {low} {low} 0 {mid} 0 {high} 0 {end} {low} {end} {mid}"
    )


def _clock(t: float) -> str:
    cs = round(max(t, 0.0) * 100)
    return f"{cs // 360_000}:{cs // 6000 % 60:02d}:{cs // 100 % 60:02d}.{cs % 100:02d}"


def _plain(text: str) -> str:
    return " ".join(text.replace("\\", "/").replace("{", "(").replace("}", ")").split())
