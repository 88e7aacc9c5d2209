"""The mistakes that can be planted in a corner, as a table, and how they are typed."""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec

from pitwall.simulator.plan import Mistake, MistakeKind, SimulationError
from pitwall.track.model import Track

Needs = Literal["braking", "hard", "flat", "grip", ""]
Place = Literal["braked", "entry", "apex", "exit"]

# Why a corner does not fit a mistake.
WHY_NOT: dict[Needs, str] = {
    "braking": "nobody brakes for it, or not in one go",
    "hard": "nobody brakes hard for it, or not in one go",
    "flat": "it can't be driven flat",
    "grip": "it is driven flat",
}


class Swerve(msgspec.Struct, frozen=True):
    """A bulge of the line in a corner: a squared sine of `outward` metres per unit of the mistake,
    from `start_m` after one place to `end_m` after another. `braked`: where most speed is off.
    `by_turn`: more in a corner that turns more."""

    start: Place
    start_m: float
    end: Place
    end_m: float
    outward: float
    by_turn: bool = False


class MistakeRow(msgspec.Struct, frozen=True):
    """A kind of mistake: unit, largest amount, the corners where it can be made, its line."""

    unit: str
    most: float
    needs: Needs
    what: str
    line: tuple[Swerve, ...] = ()


# Bulges are metres of the amount, or so much for each metre (or for all) of another amount.
ROWS: dict[MistakeKind, MistakeRow] = {
    "brake_early": MistakeRow("metres", 200.0, "braking", "brakes earlier, and so more gently"),
    "coast": MistakeRow("metres", 300.0, "braking", "rolls with both feet off the pedals before braking"),
    "overslow": MistakeRow("m/s", 30.0, "grip", "takes the whole corner slower"),
    "late_throttle": MistakeRow("metres", 200.0, "", "goes on the throttle later"),
    "slow_exit": MistakeRow("share of drive, 0 to 1", 1.0, "", "leaves throttle unused on the way out"),
    "missed_apex": MistakeRow("metres", 10.0, "grip", "stays wide of the apex",
        (Swerve("entry", -40.0, "exit", 40.0, 1.0),)),
    # Too fast to turn in, the car runs straight on and has to be brought back with a tighter turn.
    "brake_late": MistakeRow("metres", 40.0, "braking",
        "brakes later, with all the grip there is, runs wide, and has to wait for the throttle",
        (Swerve("braked", -20.0, "braked", 110.0, 0.6, by_turn=True),)),
    "brake_hard": MistakeRow("m/s", 15.0, "braking", "brakes too hard, and is too slow on the way in"),
    "brake_soft": MistakeRow("share of braking, 0 to 1", 0.8, "braking", "brakes too lightly, and so longer"),
    "two_bites": MistakeRow("metres", 100.0, "hard",
        "all but lets the brake go in the middle of the braking"),
    "long_brake": MistakeRow("metres", 80.0, "braking", "holds the brake into the corner for too long"),
    "lift": MistakeRow("metres", 300.0, "flat", "lifts where the throttle can stay open"),
    "lifted_again": MistakeRow("metres", 150.0, "grip", "lifts a second time on the way out"),
    "gear_too_high": MistakeRow("gears", 3.0, "grip", "takes the corner in a gear too high"),
    "gear_too_low": MistakeRow("gears", 2.0, "grip", "takes the corner in a gear too low, up to the limiter"),
    "early_turn_in": MistakeRow("metres", 6.0, "grip",
        "turns in too early, and is wide where the corner ends",
        (Swerve("entry", -55.0, "apex", 15.0, -1.0), Swerve("apex", 0.0, "exit", 60.0, 1.0))),
    "late_turn_in": MistakeRow("metres", 6.0, "grip", "turns in too late, and then tighter",
        (Swerve("entry", -15.0, "apex", 25.0, 1.0),)),
    "pinched_exit": MistakeRow("metres", 6.0, "grip",
        "is at the inside too early, and has to hold the car tight on the way out",
        (Swerve("entry", -40.0, "apex", 20.0, -0.7), Swerve("apex", -10.0, "exit", 50.0, -1.0))),
    "exit_unused": MistakeRow("metres", 6.0, "grip", "leaves the road at the exit unused",
        (Swerve("apex", -15.0, "exit", 60.0, -1.0),)),
}  # fmt: skip


NUMBER = r"[-+]?\d+(?:\.\d+)?"
MISTAKE = re.compile(
    rf"(?P<corner>[\w-]+):(?P<kind>\w+)=(?P<amount>{NUMBER})(?:@(?P<first>\d+)(?:-(?P<last>\d+))?)?"
    r"(?:~(?P<fades>\d{1,3}))?"
)


def parse_mistake(text: str, track: Track) -> Mistake:
    """Parse `turn_7:brake_early=15@2-4~3` (corner, mistake, amount, laps, laps over which it fades;
    no laps: every flying lap; the out lap is 0). SimulationError says the fix."""
    match = MISTAKE.fullmatch(text.strip())
    if match is None:
        raise SimulationError(
            f"can't read the mistake {text!r}: "
            "write CORNER:KIND=AMOUNT@LAPS, such as turn_7:brake_early=15@2-4"
        )
    corner, kind = match["corner"], match["kind"]
    known = [each.id for each in track.corners]
    if corner not in known:
        raise SimulationError(
            f"in {text!r}: track {track.id!r} has no corner {corner!r}; "
            f"its corners: {', '.join(known) or 'none'}"
        )
    if kind not in get_args(MistakeKind):
        raise SimulationError(
            f"in {text!r}: no mistake {kind!r}; there are {', '.join(get_args(MistakeKind))}"
        )
    amount = float(match["amount"])
    row = ROWS[kind]  # type: ignore[index]  # checked just above
    if not 0.0 < amount <= row.most:
        raise SimulationError(f"in {text!r}: {kind} takes more than 0 and at most {row.most:g} ({row.unit})")
    first = int(match["first"]) if match["first"] else None
    last = int(match["last"]) if match["last"] else first
    if first is not None and last is not None and last < first:
        raise SimulationError(f"in {text!r}: laps {first}-{last} run backwards")
    fades = int(match["fades"] or 0)
    return Mistake(corner, kind, amount, first, last, fades)  # type: ignore[arg-type]  # checked above
