"""What each rule and page needs of the signals, and whether it is there now. For `/status` and for people."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.provenance import Provenance

FIX = (("lat_deg",), ("lon_deg",))
PLACE = (*FIX, ("speed_mps",))
# Below this a value says nothing a driver should be told by.
LEAST_CONFIDENCE = 0.2


class Need(msgspec.Struct, frozen=True):
    """What one thing needs: one signal of each group, the surest.

    `measured`: the last of a group stands in only in a car without the others, not for a lost one.
    """

    name: str
    what: str
    signals: tuple[tuple[str, ...], ...]
    measured: bool = False


class Capability(msgspec.Struct, frozen=True):
    """Whether one thing can be done now. `needs` in words; `uses` names the signals it goes by, `confidence`
    is that of the weakest; `reason` says what is missing and why, or what it makes do with."""

    name: str
    what: str
    available: bool
    confidence: float
    needs: tuple[str, ...]
    uses: tuple[str, ...]
    reason: str


NEEDS: tuple[Need, ...] = (
    Need("timing", "lap and sector times", FIX),
    Need("map", "the car's place on the track", FIX),
    Need("delta", "time ahead of or behind the reference lap", PLACE),
    Need("corner_calls", "calls before a corner", (*PLACE, ("g_lat",))),
    Need("braking_calls", "brake points and calls", (*PLACE, ("brake_bar", "brake_pct", "g_long")), True),
    Need("throttle_calls", "calls about the throttle", (*PLACE, ("throttle_pct",)), True),
    Need("speed", "speed", (("speed_mps", "wheel_speed_mps"),)),
    Need("g", "accelerations", (("g_lat",), ("g_long",))),
    Need("gear", "gear", (("gear",),)),
    Need("rpm", "engine speed", (("rpm",),)),
    Need("coolant_warning", "warning of a hot engine", (("coolant_c",),)),
    Need("oil_warning", "warning of hot oil", (("oil_temp_c",),)),
    Need("oil_pressure_warning", "warning of low oil pressure", (("oil_bar",),)),
    Need(
        "dead_reckoning",
        "place in a GPS hole of up to 5 s",
        (("wheel_speed_mps", "g_long"), ("yaw_rate_dps", "g_lat")),
    ),
)


def available(fusion: Fusion, t: float, needs: Sequence[Need] = NEEDS) -> dict[str, Capability]:
    """Every need by name, judged at data time `t`."""
    known: dict[str, Provenance] = {}
    for need in needs:
        for group in need.signals:
            for signal in group:
                if signal not in known:
                    known[signal] = fusion.provenance(signal, t)
    return {need.name: _judged(need, known) for need in needs}


def _judged(need: Need, known: dict[str, Provenance]) -> Capability:
    used, missing, confidence = [], [], 1.0
    for group in need.signals:
        found = _pick(group, known, need.measured)
        if found.confidence >= LEAST_CONFIDENCE:
            used.append(found)
            confidence = min(confidence, found.confidence)
        else:
            missing.append(f"{found.signal}: {found.reason or 'not known well enough'}")
    needs = tuple(" or ".join(group) for group in need.signals)
    if missing:
        return Capability(need.name, need.what, False, 0.0, needs, (), "; ".join(missing))
    makes_do = "; ".join(f"{found.signal}: {found.reason}" for found in used if found.reason)
    uses = tuple(found.signal for found in used)
    return Capability(need.name, need.what, True, confidence, needs, uses, makes_do)


def _pick(group: tuple[str, ...], known: dict[str, Provenance], measured: bool) -> Provenance:
    """The signal of a group to go by. Brake pressure that is lost is not replaced by deceleration: that
    would move every brake point; where it never worked deceleration is what was used all along."""
    found = [known[signal] for signal in group]
    if measured:
        sensors = [one for one in found[:-1] if one.age_s is not None and not one.dead]
        found = sensors or found
    return max(found, key=lambda one: one.confidence)
