"""Find a session's highlights, and what followed the coach's advice."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.analysis.opportunities import FAULT_S as NOISE_S
from pitwall.coach.cue import SPOKEN, TIME_LOST, LedgerLine
from pitwall.diagnosis.counts import OFF_PACE
from pitwall.store.queries import SessionRow
from pitwall.track.lap import CornerPass
from pitwall.words.language import Language

HighlightKind = Literal[
    "personal best", "best here", "best sector", "gain", "consistent corner", "consistent laps"
]
STEADY_CORNER: HighlightKind = "consistent corner"
# Half a per cent of a lap is what club drivers call consistent: 0.5 s in 1:40.
CONSISTENT_SHARE = 0.005
# Between the fastest and the slowest of five laps lie two of these shares.
CONSISTENT_RANGE_SHARE = 0.01
# Every lap within the noise of a corner's time: the same drive.
CONSISTENT_CORNER_S = 0.10
FEWEST_LAPS = 3
# Two laps may agree by chance.
FEWEST_PASSES = 4


class Highlight(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that went well, s. `before_s`: what it was, `gain_s`: the difference."""

    kind: HighlightKind
    laps: tuple[int, ...]
    value_s: float
    before_s: float | None = None
    gain_s: float | None = None
    corner: str = ""
    sector: int | None = None


def _found(
    kind: HighlightKind,
    laps: Sequence[int],
    value_s: float,
    before_s: float | None = None,
    *,
    corner: str = "",
    sector: int | None = None,
) -> Highlight:
    gain_s = None if before_s is None else before_s - value_s
    return Highlight(
        kind=kind, laps=tuple(laps), value_s=value_s, before_s=before_s, gain_s=gain_s,
        corner=corner, sector=sector,
    )  # fmt: skip


def find_highlights(drive: Drive, history: Sequence[SessionRow] = ()) -> list[Highlight]:
    """Find what went well, the best first. `history`: other sessions here, for personal bests."""
    return [
        *_personal_best(drive, history),
        *_gain(drive),
        *_best_sectors(drive),
        *_consistency(drive),
        *_steady_corners(drive),
    ]


def bests_of(own: SessionRow, history: Sequence[SessionRow]) -> list[tuple[float | None, float]]:
    """Return when each other drive of this driver here was, unix seconds, and its best lap."""
    return [
        (row.driven_utc_s, row.best_lap_s)
        for row in history
        if row.best_lap_s is not None
        and row.track == own.track != ""
        and row.counts_with(own)
        and not row.is_same_drive(own)
        and row.driver == own.driver
    ]


def _personal_best(drive: Drive, history: Sequence[SessionRow]) -> list[Highlight]:
    """Find the best lap of all days until then; of all stored where a day is unknown."""
    best, own = drive.best, drive.session
    others = bests_of(own, history)
    own_s = own.driven_utc_s
    dated = own_s is not None and all(driven_s is not None for driven_s, _ in others)
    if dated:
        others = [(driven_s, time_s) for driven_s, time_s in others if (driven_s or 0.0) <= (own_s or 0.0)]
    least_s = min((time_s for _, time_s in others), default=None)
    if best is None or best.time_s is None or least_s is None or best.time_s >= least_s:
        return []
    return [_found("personal best" if dated else "best here", [best.number], best.time_s, least_s)]


def _gain(drive: Drive) -> list[Highlight]:
    laps, best = drive.counting, drive.best
    if best is None or best.time_s is None or len(laps) < FEWEST_LAPS or laps[0].time_s is None:
        return []
    if laps[0].time_s - best.time_s < CONSISTENT_SHARE * best.time_s:
        return []
    return [_found("gain", [laps[0].number, best.number], best.time_s, laps[0].time_s)]


def _best_sectors(drive: Drive) -> list[Highlight]:
    laps = [lap for lap in drive.counting if lap.sectors_s and all(lap.sectors_s)]
    if len(laps) < FEWEST_LAPS:
        return []
    count = min(len(lap.sectors_s) for lap in laps)
    found = []
    for index in range(count):
        fastest = min(laps, key=lambda lap: lap.sectors_s[index] or 0.0)
        usual_s = median(lap.sectors_s[index] or 0.0 for lap in laps)
        time_s = fastest.sectors_s[index] or 0.0
        if usual_s - time_s >= NOISE_S:
            found.append(_found("best sector", [fastest.number], time_s, usual_s, sector=index + 1))
    return sorted(found, key=lambda each: -(each.gain_s or 0.0))


def _consistency(drive: Drive) -> list[Highlight]:
    laps = drive.counting
    times = [lap.time_s for lap in laps if lap.time_s is not None]
    if len(times) < FEWEST_PASSES:
        return []
    range_s = max(times) - min(times)
    if range_s > CONSISTENT_RANGE_SHARE * median(times):
        return []
    return [_found("consistent laps", [lap.number for lap in laps], range_s)]


def _steady_corners(drive: Drive) -> list[Highlight]:
    """Find corners that took the same time every lap, the steadiest first, three at most."""
    found = []
    for own in () if drive.study is None else drive.study.passes.values():
        range_s = max(each.time_s for each in own) - min(each.time_s for each in own)
        if own[0].corner and len(own) >= FEWEST_PASSES and range_s <= CONSISTENT_CORNER_S:
            laps = [each.lap for each in own]
            found.append(_found(STEADY_CORNER, laps, range_s, corner=own[0].corner))
    return sorted(found, key=lambda each: each.value_s)[:3]


# A next pass that gained this share of the loss heeded the words; under so many seconds, not.
HEEDED, PARTLY_S = 0.5, 0.1


class AdviceResult(msgspec.Struct, frozen=True):
    """Advice and the corner's loss when seen and in the next pass, s."""

    lap: int
    corner: str
    concept: str
    text: str
    spoken: bool
    outcome: str
    why: str
    loss_s: float | None
    next_loss_s: float | None

    @property
    def is_advice(self) -> bool:
        """Return whether there was something to do; a corner's cost alone is none."""
        return self.concept != TIME_LOST

    @property
    def gained_s(self) -> float | None:
        """Return what the next pass gained, s; None where it shows nothing."""
        if not self.spoken or self.loss_s is None or self.next_loss_s is None:
            return None
        return self.loss_s - self.next_loss_s

    @property
    def heeded(self) -> bool:
        """Return whether the next pass won back what counts."""
        return self.gained_s is not None and self.gained_s >= HEEDED * (self.loss_s or 0.0)

    @property
    def judged(self) -> bool:
        """Return whether there was an action, and enough to gain for the next pass to show it."""
        return self.is_advice and self.gained_s is not None and (self.loss_s or 0.0) >= NOISE_S

    def followed(self, words: Language) -> str:
        """Say what the next pass shows of it, "" where nothing."""
        gained_s, loss_s = self.gained_s, self.loss_s or 0.0
        if gained_s is None or loss_s < NOISE_S:
            return ""
        if self.concept == TIME_LOST:
            key = "passed again"  # he heard what it costs, but no action
        elif self.heeded:
            key = "heeded"
        else:
            key = "partly heeded" if gained_s >= PARTLY_S else "not heeded"
        return words.say(key, loss=self.next_loss_s, before=loss_s)


def at_pace(laps: Iterable[tuple[int, str, float | None]]) -> frozenset[int]:
    """Return the flying laps near enough to the best to show what was heeded."""
    timed = {number: time_s for number, kind, time_s in laps if kind == "flying" and time_s is not None}
    best_s = min(timed.values(), default=0.0)
    return frozenset(number for number, time_s in timed.items() if time_s <= OFF_PACE * best_s)


def explained(
    lines: Sequence[LedgerLine],
    passes: Iterable[CornerPass],
    lost_s: Mapping[tuple[int, str], float | None],
    laps: Collection[int],
) -> list[AdviceResult]:
    """Return all advice of a ledger with the losses around it; only passes of `laps` count."""
    losses: dict[str, dict[int, float]] = defaultdict(dict)
    for (lap, corner), loss_s in lost_s.items():
        if loss_s is not None:
            losses[corner][lap] = loss_s
    left_t = {(each.corner, each.lap): each.exit_t for each in passes}
    return [
        _result_of(line, losses[line.corner], laps, left_t.get((line.corner, line.lap), math.inf))
        for line in lines
        if line.concept
    ]


def _result_of(
    line: LedgerLine, losses: Mapping[int, float], laps: Collection[int], left_t: float
) -> AdviceResult:
    # Words before a corner are about earlier laps, unless the corner lies behind the gate and was
    # left in this lap already, at `left_t`.
    before = line.action_distance_m is not None and line.t < left_t
    # Not the loss that the ledger states: that may be against the lap of somebody else.
    seen = max((lap for lap in losses if lap in laps and lap < line.lap + (not before)), default=None)
    after = min((lap for lap in losses if lap >= line.lap + (not before)), default=None)
    return AdviceResult(
        lap=line.lap,
        corner=line.corner,
        concept=line.concept,
        text=line.text,
        spoken=line.outcome in SPOKEN,
        outcome=line.outcome,
        why="" if line.outcome in SPOKEN else line.reason,
        loss_s=None if seen is None else losses[seen],
        next_loss_s=losses[after] if after is not None and after in laps else None,
    )
