"""The arbiter: of all that coaches want said, what is said now, by the data's own time.

Every rule is a row of `policy.POLICY`. Nothing vanishes: each cue that is offered ends as one
LedgerLine.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from pitwall.coach.cue import PHASES, SAFETY, Callout, Cue, LedgerLine, Outcome, Tier
from pitwall.coach.lead import Delays
from pitwall.coach.policy import CALLOUTS_PER_LAP, GAP_S, NEWS_S, QUEUE_LIMIT, PolicyRow, row_of
from pitwall.coach.spoken import Spoken, settle, spoken_line, unspoken_line

# A clip may start this long before its last moment, since the estimate jitters.
LATITUDE_S = 0.25


class Moment(msgspec.Struct, gc=False):
    """The car as the arbiter sees it.

    `s_m` is an odometer that runs on over laps; `step_s` the time to the next frame; `blocked` says
    why technique must wait ("" when it need not); `standing`: the car is no faster than a runner;
    `reserve_s` is how long until the next technique call has to start (inf: none in sight), of a
    corner that costs `reserve_loss_s`; `free_s` is how long the driver will be free to listen.
    `behind_s`: so much has gone by since `t`, for the data came late.
    """

    t: float
    s_m: float
    blocked: str
    straight: bool
    braking: bool
    standing: bool
    fix_age_s: float
    step_s: float
    reserve_s: float
    free_s: float
    behind_s: float = 0.0


class _Waiting(msgspec.Struct, gc=False, order=True):
    """A cue in the queue, in the order of importance: what has a place before what is said after
    it, of that the dearest corner first, and then what is stale first."""

    rank: tuple[int, bool, float, float, int]
    cue: Cue
    row: PolicyRow
    long_s: float | None
    short_s: float | None
    at_s_m: float | None
    early_s: float
    held: str = ""

    @property
    def ttl_s(self) -> float:
        """How long it may wait: one that may start sooner is offered sooner."""
        return self.row.ttl_s + self.early_s


class _Fit(msgspec.Struct, gc=False):
    """The form of a cue that still fits: its clip and what is known of the way to the action point,
    who knows it, and what the ledger says of that."""

    text: str
    clip_s: float
    due: bool
    lead_s: float | None = None
    left_s: float | None = None
    distance_m: float | None = None
    tier: Tier = "rule"
    note: str = ""


class TimeLeft(NamedTuple):
    """Holds the seconds to count on up to an action point, who says so, and a note on it for the
    ledger."""

    seconds: float
    tier: Tier
    note: str


SecondsTo = Callable[[Cue, float], TimeLeft]
"""The time left up to a cue's action point, the given metres ahead."""


class Arbiter:
    """Chooses what sounds. `offer` cues, `step` once a frame, `drain` the finished ledger lines."""

    def __init__(self, clip_s: Callable[[str], float | None], delays: Delays) -> None:
        self._clip_s, self._delays = clip_s, delays
        self._queue: list[_Waiting] = []
        self._following: list[Spoken] = []
        self._lines: list[LedgerLine] = []
        self._playing: Spoken | None = None
        self._quiet_since, self._gap_s = -math.inf, GAP_S
        self._said: dict[str, tuple[float, int]] = {}
        self._callouts: Counter[int] = Counter()
        # Why nobody hears what is played, "" while the driver does.
        self.unheard = ""

    @property
    def busy(self) -> bool:
        """Return whether a cue is in the queue."""
        return bool(self._queue)

    @property
    def heads_for_a_place(self) -> bool:
        """Return whether a cue in the queue waits for a place on the track."""
        return any(waiting.at_s_m is not None for waiting in self._queue)

    @property
    def playing_cue(self) -> Cue | None:
        """The cue that was spoken last."""
        return self._playing.cue if self._playing is not None else None

    def offer(
        self,
        cue: Cue,
        *,
        at_s_m: float | None = None,
        early_s: float = 0.0,
        persisted: bool = False,
    ) -> None:
        """Take a cue. `at_s_m`: its action point on the odometer; `early_s`: how much sooner than
        its lead it may start; `persisted`: the loss showed again since the same sentence was last
        said."""
        row = row_of(cue.phase, cue.priority)
        long_s = cue.clip_s or self._clip_s(cue.text)
        short_s = self._clip_s(cue.text_short) if cue.text_short else None
        if long_s is None and short_s is None:
            self._end(cue, cue.t, "suppressed", "no clip of known length: not rendered", None)
            return
        again = self._said_before(cue, row, persisted)
        if again:
            self._end(cue, cue.t, "suppressed", again, long_s)
            return
        self._supersede(cue)
        rank = (-row.priority, at_s_m is None, -(cue.loss_s or 0.0), cue.t + row.ttl_s, cue.id)
        waiting = _Waiting(rank, cue, row, long_s, short_s, at_s_m, early_s)
        insort(self._queue, waiting, key=lambda w: w.rank)
        if len(self._queue) > QUEUE_LIMIT:
            shed = self._queue.pop()
            self._end(shed.cue, cue.t, "shed", f"queue of {QUEUE_LIMIT} full", shed.long_s)

    def refuse(self, cue: Cue, why: str) -> None:
        """A cue that can't be made at present: it ends here."""
        self._end(cue, cue.t, "suppressed", why, self._clip_s(cue.text))

    def hush(self, t: float, why: str) -> None:
        """End every cue that waits, but danger."""
        for waiting in tuple(self._queue):
            if waiting.cue.priority < SAFETY and waiting.cue.phase != "crew":
                self._drop(waiting, t, "suppressed", why)

    def words_changed(self, t: float) -> None:
        """Other phrases are rendered than before: a cue whose clip is gone ends here."""
        for waiting in tuple(self._queue):
            texts = (waiting.cue.text, waiting.cue.text_short)
            clips_s = [self._clip_s(text) if text else None for text in texts]
            clips_s[0] = waiting.cue.clip_s or clips_s[0]
            if clips_s == [None, None]:
                self._drop(waiting, t, "expired", "its words were made again")
            else:
                waiting.long_s, waiting.short_s = clips_s

    def step(self, now: Moment, seconds_to: SecondsTo) -> Callout | None:
        """At most one callout for this moment."""
        for waiting in tuple(self._queue):
            callout = self._consider(waiting, now, seconds_to)
            if callout is not None:
                return callout
        return None

    def passed(self, t0: float, s0_m: float, t1: float, s1_m: float) -> None:
        """The car moved from one place on the odometer to another: close what reached its action
        point."""
        if self._following:
            lines, self._following = settle(self._following, t0, s0_m, t1, s1_m)
            self._lines += lines

    def tick(self, t: float) -> None:
        """Time went on: close messages heard to the end, and calls whose place was never
        reached."""
        if self._following:
            self.passed(t, -math.inf, t, -math.inf)

    def displaced(self, t: float, why: str) -> None:
        """The place of the car is not where it was thought to be: what hangs on a place ends
        here."""
        for waiting in [waiting for waiting in self._queue if waiting.at_s_m is not None]:
            self._drop(waiting, t, "expired", why)
        gone = [spoken for spoken in self._following if spoken.at_s_m is not None]
        self._lines += [spoken_line(spoken, None, why) for spoken in gone]
        self._following = [spoken for spoken in self._following if spoken.at_s_m is None]

    def flush(self, t: float) -> None:
        """The drive is over: every cue gets its end."""
        for waiting in tuple(self._queue):
            self._drop(waiting, t, "expired", "the drive ended")
        self._lines += [spoken_line(spoken, None, "the drive ended before it") for spoken in self._following]
        self._following.clear()

    def note(self, cue: Cue) -> None:
        """Nobody is to hear this: it only stands in the ledger."""
        self._end(cue, cue.t, "noted", "", None)

    def drain(self) -> list[LedgerLine]:
        """The lines finished since the last call, in the order in which they were finished."""
        lines, self._lines = self._lines, []
        return lines

    def _consider(self, waiting: _Waiting, now: Moment, seconds_to: SecondsTo) -> Callout | None:
        row, waited_s = waiting.row, now.t - waiting.cue.t
        if waited_s > waiting.ttl_s:
            why = f"{waited_s:.1f} s in the queue, stale after {waiting.ttl_s:.0f}"
            self._drop(waiting, now.t, "expired", why)
            return None
        if now.standing and row.needs_straight:
            self._drop(waiting, now.t, "expired", "the car stands")
            return None
        if now.blocked and waiting.at_s_m is not None:
            waiting.held = waiting.held or now.blocked
            return None
        left: TimeLeft | None = None
        if waiting.at_s_m is not None:
            left = seconds_to(waiting.cue, waiting.at_s_m - now.s_m)
        fit = self._fit(waiting, now, left)
        if fit is None or not fit.due:
            return None
        why = self._why_wait(waiting, now, fit)
        if why:
            waiting.held = waiting.held or why
            return None
        if row.in_budget and self._callouts[waiting.cue.lap] >= CALLOUTS_PER_LAP:
            what = f"{CALLOUTS_PER_LAP} callouts spent in lap {waiting.cue.lap}"
            self._drop(waiting, now.t, "shed", what)
            return None
        return self._speak(waiting, fit, now)

    def _fit(self, waiting: _Waiting, now: Moment, left: TimeLeft | None) -> _Fit | None:
        """The longest form that still ends in time; None where none does, and the cue is finished.
        What has no place ends in time where the driver is free for so long."""
        forms = ((waiting.cue.text, waiting.long_s), (waiting.cue.text_short, waiting.short_s))
        known = [(text, clip_s) for text, clip_s in forms if clip_s is not None]
        if left is None or waiting.at_s_m is None:
            return _Fit(*next((form for form in known if form[1] <= now.free_s), known[0]), True)
        fits = [fit for form in known if (fit := self._in_time(waiting, now, left, *form)) is not None]
        if fits:
            # The shorter form where the longer one would be heard in the next bend.
            return next((fit for fit in fits if fit.clip_s <= now.free_s), fits[0])
        lead_s = self._delays.lead_s(now.fix_age_s + now.behind_s, known[-1][1])
        late = f"too late: {left.seconds:.2f} s left, {lead_s:.2f} s needed"
        what = "; ".join(part for part in (late, left.note) if part)
        self._drop(waiting, now.t, "expired", what, waiting.at_s_m - now.s_m)
        return None

    def _in_time(
        self, waiting: _Waiting, now: Moment, left: TimeLeft, text: str, clip_s: float
    ) -> _Fit | None:
        """A form of a cue that has a place, None where it would not end in time."""
        lead_s = self._delays.lead_s(now.fix_age_s + now.behind_s, clip_s)
        if left.seconds < lead_s:
            return None
        due = left.seconds <= lead_s + max(LATITUDE_S, 1.5 * now.step_s) + waiting.early_s
        distance_m = (waiting.at_s_m or 0.0) - now.s_m
        return _Fit(text, clip_s, due, lead_s, left.seconds, distance_m, left.tier, left.note)

    def _why_wait(self, waiting: _Waiting, now: Moment, fit: _Fit) -> str:
        """Why this may not sound now, "" when it may."""
        row = waiting.row
        playing = self._playing if self._playing is not None and now.t < self._playing.end_t else None
        if row.may_cut:
            return "another safety message is playing" if playing and playing.cue.priority >= SAFETY else ""
        if now.behind_s:
            # What the driver does by now is not known.
            return f"the data came {now.behind_s:.1f} s late"
        if now.braking:
            return "braking"
        if now.standing:
            return "the car stands"
        if row.needs_straight and not now.straight:
            return "in a corner"
        if playing:
            return f"cue {playing.cue.id} is playing"
        since_s = now.t - self._quiet_since
        if row.needs_gap and since_s < self._gap_s:
            return f"{since_s:.1f} s after the last message, {self._gap_s:.0f} needed"
        if row.needs_straight and row.in_budget and fit.clip_s > now.free_s:
            return f"free for {now.free_s:.1f} s only"
        is_news = row.category == "lap_time" and now.t - waiting.cue.t <= NEWS_S
        if fit.lead_s is not None or row.category == "status" or is_news:
            return ""
        if fit.clip_s + GAP_S > now.reserve_s:
            return f"a technique call is due in {now.reserve_s:.1f} s"
        if any(each.at_s_m is not None for each in self._queue):
            return "a technique call waits for its place"
        return ""

    def _speak(self, waiting: _Waiting, fit: _Fit, now: Moment) -> Callout:
        cue = waiting.cue
        if fit.tier != cue.tier and waiting.at_s_m is not None:
            cue = msgspec.structs.replace(cue, tier=fit.tier)
        cut = self._cut(now.t, cue)
        end_t = now.t + now.behind_s + self._delays.ends_s(fit.clip_s)
        held = f"held: {waiting.held}" if waiting.held else ""
        self._playing = Spoken(
            cue=cue,
            t=now.t,
            end_t=end_t,
            text=fit.text,
            clip_s=fit.clip_s,
            lead_s=fit.lead_s,
            outcome="not heard" if self.unheard else "held then spoken" if held else "spoken",
            reason="; ".join(part for part in (cue.reason, held, fit.note, self.unheard) if part),
            at_s_m=waiting.at_s_m,
            distance_m=fit.distance_m,
            # The place is as old as the fix: so much of the time to the action point is gone
            # already.
            left_s=None if fit.left_s is None else fit.left_s - now.fix_age_s - now.behind_s,
        )
        self._queue.remove(waiting)
        self._following.append(self._playing)
        self._quiet_since, self._gap_s = end_t, row_of(cue.phase, cue.priority).gap_s
        if not self.unheard:
            self._said[cue.text] = (now.t, cue.lap)
        self._callouts[cue.lap] += 1
        return Callout(cue=cue.id, t=now.t, text=fit.text, clip_s=fit.clip_s, cut=cut)

    def _cut(self, t: float, by: Cue) -> bool:
        """Stop what is playing, if anything is; its cue was not heard to the end."""
        playing = self._playing
        if playing is None or t >= playing.end_t:
            return False
        playing.outcome = "superseded"
        what = f"cut off {t - playing.t:.2f} s after its start by safety cue {by.id}"
        self._lines.append(spoken_line(playing, None, what))
        self._following = [spoken for spoken in self._following if spoken is not playing]
        return True

    def _said_before(self, cue: Cue, row: PolicyRow, persisted: bool) -> str:
        said = self._said.get(cue.text)
        if said is None:
            return ""
        ago_s, laps = cue.t - said[0], cue.lap - said[1]
        if ago_s < row.cooldown_s:
            return f"said {ago_s:.1f} s ago, again after {row.cooldown_s:.0f} s"
        if row.cooldown_laps and laps <= row.cooldown_laps and not (persisted and laps > 0):
            return f"said in lap {said[1]}, and the loss was not seen again since"
        return ""

    def _supersede(self, cue: Cue) -> None:
        """A newer word on the same matter takes the place of one that waits: no two that
        contradict."""
        for waiting in [waiting for waiting in self._queue if _matter(waiting.cue) == _matter(cue)]:
            self._drop(waiting, cue.t, "superseded", f"by cue {cue.id}: {cue.text}")

    def _drop(
        self, waiting: _Waiting, t: float, outcome: Outcome, reason: str, distance_m: float | None = None
    ) -> None:
        self._queue.remove(waiting)
        if waiting.held:
            reason += f"; held: {waiting.held}"
        self._end(waiting.cue, t, outcome, reason, waiting.long_s, distance_m)

    def _end(
        self,
        cue: Cue,
        t: float,
        outcome: Outcome,
        reason: str,
        clip_s: float | None,
        distance_m: float | None = None,
    ) -> None:
        self._lines.append(unspoken_line(cue, t, outcome, reason, clip_s, distance_m))


def _matter(cue: Cue) -> tuple[str, str]:
    """Return what a cue is about: a corner, the sources, one danger, one praise."""
    if cue.corner and cue.phase in PHASES:
        return "corner", cue.corner
    return cue.phase, "" if cue.phase in ("status", "strategy") else cue.text
