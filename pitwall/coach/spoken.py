"""Follows each callout until the car reaches its action point; writes the ledger line of every cue."""

from __future__ import annotations

import msgspec

from pitwall.coach.cue import Cue, LedgerLine, Outcome

# A car that takes this much longer has stopped.
GIVE_UP_S = 30.0


class Spoken(msgspec.Struct, gc=False):
    """A cue whose clip was started at `t` and is out of the loudspeaker at `end_t`.

    `at_s_m`: the action point on the odometer (None: no place); `left_s`: the time left to it that
    was counted on when the clip started.
    """

    cue: Cue
    t: float
    end_t: float
    text: str
    clip_s: float
    lead_s: float | None
    outcome: Outcome
    reason: str
    at_s_m: float | None = None
    distance_m: float | None = None
    left_s: float | None = None

    @property
    def predicted_in_hand_s(self) -> float | None:
        """From the clip's end to the action point, as counted on when it started."""
        return None if self.left_s is None else self.t + self.left_s - self.end_t


def spoken_line(spoken: Spoken, reached_t: float | None, note: str = "") -> LedgerLine:
    """The end of a spoken cue; `reached_t` is when the car was at the action point (None: it never
    was)."""
    predicted = spoken.predicted_in_hand_s
    line = _line(spoken.cue, spoken.t, spoken.outcome, _joined(spoken.reason, note), spoken.clip_s)
    return msgspec.structs.replace(
        line,
        text=spoken.text,
        action_distance_m=spoken.distance_m,
        time_in_hand_s=predicted if reached_t is None else reached_t - spoken.end_t,
        predicted_in_hand_s=predicted,
        lead_s=spoken.lead_s,
    )


def unspoken_line(
    cue: Cue, t: float, outcome: Outcome, reason: str, clip_s: float | None, distance_m: float | None = None
) -> LedgerLine:
    """The end of a cue that was never heard."""
    line = _line(cue, t, outcome, _joined(reason, cue.reason), clip_s)
    return msgspec.structs.replace(line, action_distance_m=distance_m)


def _line(cue: Cue, t: float, outcome: Outcome, reason: str, clip_s: float | None) -> LedgerLine:
    return LedgerLine(
        cue=cue.id,
        t=t,
        lap=cue.lap,
        corner=cue.corner,
        phase=cue.phase,
        text=cue.text,
        tier=cue.tier,
        priority=cue.priority,
        outcome=outcome,
        reason=reason,
        action_distance_m=None,
        clip_s=clip_s,
        time_in_hand_s=None,
        concept=cue.concept,
        loss_s=cue.loss_s,
    )


def settle(
    following: list[Spoken], t0: float, s0_m: float, t1: float, s1_m: float
) -> tuple[list[LedgerLine], list[Spoken]]:
    """The lines of callouts whose action point lies between two places of the car, and those still
    to come.

    `t0`, `t1` are when the car was at odometer `s0_m`, `s1_m`; the crossing is interpolated.
    """
    lines, left = [], []
    for spoken in following:
        at_m = spoken.at_s_m
        if at_m is None:
            if t1 < spoken.end_t:
                left.append(spoken)
            else:
                lines.append(spoken_line(spoken, None))
        elif s1_m >= at_m:
            share = (at_m - s0_m) / (s1_m - s0_m) if s1_m > s0_m else 1.0
            lines.append(spoken_line(spoken, t0 + min(max(share, 0.0), 1.0) * (t1 - t0)))
        elif t1 - spoken.t > GIVE_UP_S + (spoken.left_s or 0.0):
            lines.append(spoken_line(spoken, None, f"the car did not come in {t1 - spoken.t:.0f} s"))
        else:
            left.append(spoken)
    return lines, left


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
