"""The policy table (ADR-002): when each category of message may be spoken."""

from __future__ import annotations

import msgspec

from pitwall.coach.cue import PHASES, SAFETY, STRATEGY, TECHNIQUE

# With more lateral g the driver is cornering. With less the car runs straight, also on a cambered
# road.
STRAIGHT_G = 0.3
# With the throttle open a bend of this much is held, and leaves a driver free to listen.
FREE_G = 0.6
# No corner is driven at 11 km/h: a car that is slower stands, or is about to, and only danger is
# said then.
STANDING_MPS = 3.0
# Between two corners of an S the lateral g passes through zero in a tenth of a second: that is no
# straight.
STRAIGHT_FOR_S = 0.3
# The least time from the end of one message to the start of the next.
GAP_S = 3.0
# For so long a lap time goes before a technique call that is not due yet.
NEWS_S = 5.0
# The most callouts in one lap.
CALLOUTS_PER_LAP = 8
# As many cues as one lap may hold.
QUEUE_LIMIT = 8


class PolicyRow(msgspec.Struct, frozen=True):
    """The rules for one category. `cooldown_laps`: the same sentence again only after this number
    of laps, unless the loss persisted; `cooldown_s`: the same by time. `ttl_s` counts from the cue.
    `in_budget`: shed when a lap's callouts are spent. `gap_s`: the least time from its end to the
    next message."""

    category: str
    priority: int
    ttl_s: float
    cooldown_laps: int
    cooldown_s: float
    may_cut: bool
    needs_straight: bool
    needs_gap: bool
    in_budget: bool
    gap_s: float = GAP_S


POLICY: dict[str, PolicyRow] = {
    row.category: row
    for row in (
        PolicyRow("safety", SAFETY, 5.0, 0, 10.0, True, False, False, False),
        PolicyRow("technique", TECHNIQUE, 5.0, 1, 0.0, False, True, True, True),
        PolicyRow("status", STRATEGY, 5.0, 0, 10.0, False, False, True, False),
        # Somebody waits for it to be heard; a minute is most of a lap.
        PolicyRow("crew", STRATEGY, 60.0, 0, 0.0, False, True, True, False),
        # The driver asked: it is news for as long as he remembers that.
        PolicyRow("again", STRATEGY, 15.0, 0, 0.0, False, True, True, False),
        PolicyRow("praise", STRATEGY, 15.0, 1, 0.0, False, True, True, True),
        # At the line a driver is mostly free; where he brakes there, he hears it behind the corner.
        # What comes next is soon said.
        PolicyRow("lap_time", STRATEGY, 10.0, 0, 0.0, False, False, False, False, 1.0),
        PolicyRow("numbers", STRATEGY, 4.0, 0, 0.0, False, False, False, True),
        PolicyRow("strategy", STRATEGY, 5.0, 1, 0.0, False, True, True, True),
    )
}


def row_of(phase: str, priority: int) -> PolicyRow:
    """The row for a cue: its phase names it; an unknown phase counts by its priority."""
    if priority >= SAFETY:
        return POLICY["safety"]
    if phase in PHASES:
        return POLICY["technique"]
    return POLICY.get(phase) or POLICY["technique" if priority == TECHNIQUE else "strategy"]
