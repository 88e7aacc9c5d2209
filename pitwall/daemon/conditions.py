"""Judge for /status what each rule needs, whether that is there now, and each signal that is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from pitwall.contract.status import Capability, Provenance
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.session import DriveSession
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.signals import CANONICAL

FIX = (("lat_deg",), ("lon_deg",))
PLACE = (*FIX, ("speed_mps",))
# Below this a value is too uncertain.
LEAST_CONFIDENCE = 0.2

Condition = Literal["track", "reference", "phrases", "messages", "sound"]
"""Needs other than signals. `track`: a recognised one. `reference`: a lap to compare with.
`phrases`: this track's clips, `messages`: those of no track. `sound`: somebody hears."""


class Need(msgspec.Struct, frozen=True):
    """One thing's needs: one signal of each group, the surest, and every condition."""

    name: str
    what: str
    signals: tuple[tuple[str, ...], ...]
    measured: bool = False
    conditions: tuple[Condition, ...] = ()


CALLED: tuple[Condition, ...] = ("track", "phrases", "sound")
SPOKEN: tuple[Condition, ...] = ("messages", "sound")

NEEDS: tuple[Need, ...] = (
    Need("timing", "lap and sector times", FIX, conditions=("track",)),
    Need("map", "the car's place on the track", FIX, conditions=("track",)),
    Need("delta", "time ahead of or behind the reference lap", PLACE, conditions=("track", "reference")),
    Need(
        "corner_calls",
        "calls in a corner",
        (*PLACE, ("g_lat",)),
        conditions=CALLED,
    ),
    Need(
        "braking_calls",
        "brake points and calls",
        (*PLACE, ("brake_bar", "brake_pct", "g_long")),
        True,
        conditions=CALLED,
    ),
    Need(
        "throttle_calls",
        "calls about the throttle",
        (*PLACE, ("throttle_pct",)),
        True,
        conditions=CALLED,
    ),
    Need("speed", "speed", (("speed_mps", "wheel_speed_mps"),)),
    Need("g", "accelerations", (("g_lat",), ("g_long",))),
    Need("gear", "gear", (("gear",),)),
    Need("rpm", "engine speed", (("rpm",),)),
    Need("coolant_warning", "warning of a hot engine", (("coolant_c",),), conditions=SPOKEN),
    Need("oil_warning", "warning of hot oil", (("oil_temp_c",),), conditions=SPOKEN),
    Need("oil_pressure_warning", "warning of low oil pressure", (("oil_bar",),), conditions=SPOKEN),
    Need(
        "dead_reckoning",
        "place in a GPS hole of up to 5 s",
        (("wheel_speed_mps", "g_long"), ("yaw_rate_dps", "g_lat")),
    ),
)


def available(
    fusion: Fusion, t: float, *, conditions: Mapping[Condition, str] | None = None
) -> dict[str, Capability]:
    """Judge every need by name at `t`; `conditions`: why each is not met."""
    known: dict[str, Provenance] = {}
    for need in NEEDS:
        for group in need.signals:
            for signal in group:
                if signal not in known:
                    known[signal] = fusion.provenance(signal, t)
    return {need.name: _judged(need, known, conditions or {}) for need in NEEDS}


def _judged(need: Need, known: dict[str, Provenance], conditions: Mapping[Condition, str]) -> Capability:
    used, missing, confidence = [], [], 1.0
    for group in need.signals:
        found = _pick(group, known, need.measured)
        if found.confidence >= LEAST_CONFIDENCE:
            used.append(found)
            confidence = min(confidence, found.confidence)
        else:
            missing.append(f"{found.signal}: {found.reason or 'not known well enough'}")
    missing += [f"{name}: {why}" for name in need.conditions if (why := conditions.get(name, ""))]
    needs = (*(" or ".join(group) for group in need.signals), *need.conditions)
    if missing:
        return Capability(need.name, need.what, False, 0.0, needs, (), "; ".join(missing))
    makes_do = [f"{found.signal}: {found.reason}" for found in used if found.reason]
    uses = tuple(found.signal for found in used)
    return Capability(need.name, need.what, True, confidence, needs, uses, "; ".join(makes_do))


def _pick(group: tuple[str, ...], known: dict[str, Provenance], measured: bool) -> Provenance:
    """Pick a group's signal. Deceleration does not replace lost brake pressure: that would move
    every brake point."""
    found = [known[signal] for signal in group]
    if measured:
        sensors = [one for one in found[:-1] if one.age_s is not None and not one.dead]
        found = sensors or found
    return max(found, key=lambda one: one.confidence)


def conditions(path: DriveSession, vocabulary: Vocabulary, sound_trouble: str) -> dict[Condition, str]:
    """Say of each condition why it is not met, "" where it is."""
    return {
        "track": "" if path.track is not None else "no known track is recognised here",
        "reference": "" if path.state.best_s is not None else "no flying lap yet",
        "phrases": vocabulary.trouble(path.track.id if path.track is not None else ""),
        "messages": vocabulary.trouble(""),
        "sound": sound_trouble,
    }


def signals(fusion: Fusion, t: float) -> tuple[Provenance, ...]:
    """List every signal that a source has sent."""
    found = (fusion.provenance(signal.name, t) for signal in CANONICAL)
    return tuple(one for one in found if one.age_s is not None)
