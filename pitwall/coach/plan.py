"""A call that a lap shall have: from where it may be heard, and which calls leave each other the room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from pitwall.coach.cue import Phase
from pitwall.coach.pace import PaceProfile
from pitwall.coach.policy import GAP_S
from pitwall.coach.scripts import Phrase
from pitwall.coach.straights import Straights
from pitwall.track.model import Corner

# So much before its lead a call may start where the road bends later: rally co-drivers look 4 s ahead, and a
# call that names its corner can't be taken for another one.
EARLY_S = 5.0
# Where there is no such place, as on a kart track, what names its corner and what to do there is kept in mind
# for so long: the last straight before it.
FAR_S = 10.0
# A place that serves one lap may serve the next a little later: the same straight, not its last metre.
EARLY_SLACK_S = 0.3


class PlannedCall(msgspec.Struct, frozen=True):
    """A call that this lap shall have.

    `open_m`: offered only so far before the action point; `early_s`: may start so much before its lead,
    because the road is not straight at the lead itself; `persisted`: the loss showed again since it was said;
    `loss_s`: what the advice says that the corner loses a lap (None: it is no advice of today). `sooner_s`:
    so much sooner starts the form that tells what the fault cost, where there is one.
    """

    corner: Corner
    phase: Phase
    concept: str
    phrase: Phrase
    action_m: float
    open_m: float
    early_s: float
    lead_s: float
    reason: str
    persisted: bool
    loss_s: float | None = None
    sooner_s: float = 0.0


def early_start_s(
    straights: Straights,
    pace: PaceProfile,
    action_m: float,
    open_m: float,
    leads_s: Sequence[float],
    most_s: float = EARLY_S,
) -> float | None:
    """Seconds before its lead that a call must start to be heard on a straight; None where it can't be.
    `open_m`: no sooner than so far before the action point; `leads_s`: of its forms, the long one first;
    `most_s`: no more seconds than this."""
    road_s = float("inf")
    if open_m < pace.length_m / 2.0:
        road_s = pace.time_between((action_m - open_m) % pace.length_m, open_m)
    for lead_s in leads_s:
        early_s = straights.early_s(action_m, lead_s, pace, min(most_s, road_s - lead_s))
        if early_s is not None:
            return early_s + (EARLY_SLACK_S if early_s else 0.0)
    return None


def spaced(
    wanted: Iterable[PlannedCall], most: int, pace: PaceProfile | None
) -> tuple[list[PlannedCall], dict[str, str]]:
    """The dearest calls that leave each other the room to be heard, and why each of the others does not, by
    corner. `wanted`: the dearest first."""
    chosen: list[PlannedCall] = []
    crowded: dict[str, str] = {}
    for call in wanted:
        near = [other.corner.name for other in chosen if pace is not None and not _apart(call, other, pace)]
        if len(chosen) == most:
            crowded[call.corner.id] = f"crowded out: {most} dearer corners in this lap"
        elif near:
            crowded[call.corner.id] = f"crowded out by {near[0]}"
        else:
            chosen.append(call)
    return chosen, crowded


def _apart(one: PlannedCall, other: PlannedCall, pace: PaceProfile) -> bool:
    length_m = pace.length_m
    ahead_m = (other.action_m - one.action_m) % length_m
    after_s = pace.time_between(one.action_m % length_m, ahead_m)
    before_s = pace.time_between(other.action_m % length_m, length_m - ahead_m)
    return after_s >= other.lead_s + GAP_S and before_s >= one.lead_s + GAP_S
