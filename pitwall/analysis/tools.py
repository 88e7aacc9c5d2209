"""Tools of the agents: plain functions of data, each saying which session and which laps it means.

Speeds come in km/h, places in metres along the track from the start line, times in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from itertools import accumulate
from statistics import fmean
from typing import Any

import msgspec

from pitwall.analysis.compare import compare_laps, find_largest_loss, find_pace
from pitwall.analysis.compose_words import plain
from pitwall.analysis.corners import PassFacts
from pitwall.analysis.port import Facts
from pitwall.analysis.progress import find_goals
from pitwall.analysis.recall import best_matches, lesson_words
from pitwall.analysis.report import Report, find_conditions, plan_of, progress_on
from pitwall.analysis.setup import find_setup
from pitwall.analysis.tool_kit import (
    Result,
    ToolKit,
    ToolRefused,
    earlier_passes,
    flying_needed,
    gold_lap,
    head,
    lap_by_place,
    lap_number,
    others_here,
    tool,
)
from pitwall.coach.cue import PHASES
from pitwall.contract.questions import NAMED
from pitwall.store.queries import SessionRow, when_driven
from pitwall.store.sqlanswer import Refusal

# A model reads no more of an answer.
_MOST_ANSWER_BYTES = 7_000
# How many corners, laps or sessions are in one: those that tell most. The longest circuit has 76
# corners.
_MOST_ROWS, _MOST_PASSES = 24, 16
# Scripts are written for the corners of the plan.
_PLANNED = 2
# The most of an earlier answer.
_MOST_CHARS = 700


class Tools:
    """Tools over one source of facts; any thread may call them."""

    def __init__(self, facts: Facts) -> None:
        self.kit = ToolKit(facts)

    def about(self, row: SessionRow) -> Tools:
        """Bind the tools to one question about this session: "last" then means it."""
        other = copy(self)
        other.kit = self.kit.about(row)
        return other

    def reading(self, facts: Facts) -> Tools:
        """Share the memory with a reader of `facts` over the same records."""
        other = copy(self)
        other.kit = self.kit.reading(facts)
        return other

    def session(self, wanted: str = "last") -> SessionRow:
        """Find the session. ToolRefused, StoreError."""
        return self.kit.session(wanted)

    def table(self) -> dict[str, Callable[..., Result]]:
        """Return the tools by name."""
        return {
            function.__name__: function
            for function in (
                self.query_pitwall_db,
                self.lap_delta,
                self.corner_history,
                self.progress,
                self.setup_indicators,
                self.highlights,
                self.reference_lap_comparison,
                self.conditions,
                self.session_plan,
                self.incidents,
                self.race_pace,
                self.goal_targets,
                self.variance_map,
                self.audio_script_context,
                self.agent_telemetry,
                self.recall,
            )
        }

    def report(self, session: str = "last") -> Report:
        """Return the whole report that the tools speak from. ToolRefused, StoreError."""
        return self.kit.known(session).report

    @tool
    def query_pitwall_db(self, sql: str) -> Result:
        """Runs one read-only SQL SELECT over the stored data (DuckDB; at most 500 rows, 7 kB and
        2 seconds).

        Tables: sessions(id, track, start_utc_s, ...), laps(session, lap, kind, start_t, end_t, time_s,
        sectors_s), corner_passes(session, lap, corner, time_s, entry_speed_mps, min_speed_mps,
        exit_speed_mps, brake_m, ...), frames(session, lap, t, speed_mps, g_lat, g_long, brake_bar,
        throttle_pct, distance_m, ...), cues, driver_events, lessons. `DESCRIBE laps` shows a table.

        Args:
            sql: exactly one SELECT statement; speeds in the tables are m/s.
        """
        answer = self.kit.facts.sql(sql)
        if isinstance(answer, Refusal):
            raise ToolRefused(answer.reason, "mend the statement and ask again")
        rows = [[_cell(value) for value in row] for row in answer.rows]
        sizes = accumulate(len(msgspec.json.encode(row)) + 1 for row in rows)
        fitting = rows[: max(1, sum(size <= _MOST_ANSWER_BYTES for size in sizes))]
        more = answer.more or len(fitting) < len(rows)
        return {"columns": list(answer.columns), "rows": fitting, "row_count": len(fitting), "more": more}

    @tool
    def lap_delta(self, lap: int, against: int = 0, session: str = "last") -> Result:
        """Compares two laps of a session by position on track: where time was lost or won, corner by corner.

        Args:
            lap: the number of the lap to look at.
            against: the number of the lap to compare with; 0 means the session's fastest flying lap.
            session: a session id, or last.
        """
        drive = self.kit.driven(session)
        track = self.kit.track(drive.session.track)
        flying_needed(drive)
        reference = drive.reference()
        own, other = lap_number(lap), lap_number(against or 0) or (reference.lap if reference else 0)
        compared = compare_laps(track, lap_by_place(drive, own), lap_by_place(drive, other))
        slow = [
            {"lap": each.number, "reason": each.reason}
            for each in drive.laps
            if each.number in (own, other) and each.kind != "flying" and each.reason
        ]
        return {
            **head(drive),
            **_dearest(plain(compared)),
            "laps": [own, other],
            **({"no_flying_lap": slow} if slow else {}),
        }

    @tool
    def corner_history(self, corner: str, session: str = "last") -> Result:
        """Every pass through one corner in a session, and how that corner went in earlier sessions.

        Args:
            corner: an id, name, number or nickname, such as turn_7, 7 or carousel.
            session: a session id, or last.
        """
        drive, report = self.kit.judged(session)
        track = self.kit.track(drive.session.track)
        one = self.kit.corner(track, corner)
        passes = [each for each in report.passes if each.corner == one.id]
        lost_s = [each.loss_s for each in passes if each.loss_s is not None]
        return {
            **head(drive),
            "laps": [each.lap for each in passes],
            "mean_loss_s": round(fmean(lost_s), 3) if len(lost_s) > 1 else None,
            "corner": plain(report.places[one.id]),
            **_latest("passes", [_pass(each) for each in passes], _MOST_PASSES, lambda each: each["time_s"]),
            "opportunity": next(
                (plain(each) for each in report.opportunities if each.corner == one.id), None
            ),
            "earlier_sessions": earlier_passes(self.kit, one.id, drive),
        }

    @tool
    def progress(self, track: str = "") -> Result:
        """Best laps, usual laps and consistency over all sessions on one track, and the trend.

        Args:
            track: a track id such as sonoma; empty means the track of the last session.
        """
        wanted = str(track or "").strip() or self.kit.session("last").track
        found = progress_on(self.kit.facts, self.kit.track(wanted).id)
        if not found.sessions:
            raise ToolRefused(f"no session on {wanted} has a timed flying lap", "ask about another track")
        last = found.sessions[-1]
        named = {"track_name": self.kit.track(wanted).name, "session": last.session, "laps": list(last.laps)}
        shown = plain(found)
        return {**shown, **_latest("sessions", shown["sessions"]), **named}

    @tool
    def setup_indicators(self, session: str = "last") -> Result:
        """How the car's balance (understeer, oversteer) shows in steering, yaw and lateral g; says what is
        missing when it is unknown.

        Args:
            session: a session id, or last.
        """
        drive = self.kit.driven(session)
        return {**head(drive), **plain(find_setup(drive))}

    @tool
    def highlights(self, session: str = "last") -> Result:
        """Return what went well in a session: personal bests, cured faults, best sectors, gains, consistency.

        Args:
            session: a session id, or last.
        """
        drive, report = self.kit.judged(session)
        flying_needed(drive)
        best = {"best_lap": report.potential.best_lap, "best_lap_s": report.potential.best_lap_s}
        return {**head(drive), **plain(best), "highlights": plain(report.highlights)}

    @tool
    def reference_lap_comparison(self, session: str = "last", reference: str = "") -> Result:
        """Compares a session's best lap with a reference lap, corner by corner, and ranks where time is to be
        gained.

        Args:
            session: a session id, or last.
            reference: SESSION:LAP; empty means the fastest stored lap on this track by any other session,
                else the session's own best lap, against which its other laps are then judged.
        """
        drive, report = self.kit.judged(session)
        track = self.kit.track(drive.session.track)
        flying_needed(drive)
        own = drive.reference()
        gold = gold_lap(self.kit, drive, reference)
        timed = [row for row in others_here(self.kit, drive) if row.best_lap_s is not None]
        result = {
            **head(drive),
            "opportunities": plain(report.opportunities),
            "other_sessions": len(timed),
            "reference_day": "",
        }
        if own is not None and gold is not None and gold.label != own.label:
            [of] = [row for row in self.kit.facts.sessions() if row.id == gold.label.rpartition(":")[0]]
            result |= {
                "comparison": _dearest(plain(compare_laps(track, own, gold))),
                "reference": gold.label,
                "reference_day": "" if of.driven_utc_s is None else when_driven(of)[: len("2025-05-17")],
            }
        return result

    @tool
    def conditions(self, session: str = "last") -> Result:
        """Return what the data says of the day: recorded temperatures and whether grip rose or fell; says
        when no weather was recorded.

        Args:
            session: a session id, or last.
        """
        drive = self.kit.driven(session)
        return {**head(drive), **plain(find_conditions(drive, self.kit.facts))}

    @tool
    def session_plan(self, session: str = "last") -> Result:
        """A plan for the next session made from the last one's figures: laps, and what each block is for.

        Args:
            session: the session to build on, an id or last.
        """
        drive, report = self.kit.judged(session)
        flying_needed(drive)
        return {**head(drive), **plain(plan_of(report))}

    @tool
    def incidents(self, session: str = "last") -> Result:
        """Spins, excursions, hard knocks and sudden stops in a session, each with its evidence, and the most
        time that a lap lost at one place. Nothing here tells of flags, contact or other cars.

        Args:
            session: a session id, or last.
        """
        drive, report = self.kit.judged(session)
        return {
            **head(drive),
            "incidents": plain(report.incidents),
            "count": len(report.incidents),
            "track_known": bool(report.places),
            "largest_loss": plain(find_largest_loss(drive)),
        }

    @tool
    def race_pace(self, session: str = "last") -> Result:
        """Pace over each stint: best, median and range of lap times, and whether it fades lap by lap.

        Args:
            session: a session id, or last.
        """
        drive = self.kit.driven(session)
        notes = ["fuel load and tyre pressures are not recorded: a slope is pace, its cause is not known"]
        return {**head(drive), "stints": plain(find_pace(drive)), "notes": notes}

    @tool
    def goal_targets(self, session: str = "last") -> Result:
        """Targets for the next session: theoretical best, a next step, and where it is to be found.

        Args:
            session: the session to build on, an id or last.
        """
        drive, report = self.kit.judged(session)
        flying_needed(drive)
        return {**head(drive), **plain(find_goals(report.potential)), "potential": plain(report.potential)}

    @tool
    def variance_map(self, session: str = "last") -> Result:
        """Where the driver is inconsistent: the spread of each corner's time.

        Args:
            session: a session id, or last.
        """
        drive, report = self.kit.judged(session)
        self.kit.track(report.track)
        corners = plain(report.variance)
        # The least steady first, and last the steadiest.
        shown = [*corners[: _MOST_ROWS - 1], *corners[-1:]] if len(corners) > _MOST_ROWS else corners
        return {**head(drive), "corners": shown, **_left_out("corners", corners, shown)}

    @tool
    def audio_script_context(self, corner: str = "", session: str = "last") -> Result:
        """Return what is needed to write voice scripts: the present phrases, phrases that can be said
        instead, landmarks, and what the driver does wrong there. Nothing else than what can be said is
        saved.

        Args:
            corner: an id, name, number or nickname; empty means the corners of the plan, where most is lost.
            session: a session id, or last.
        """
        from pitwall.coach.phrases import MAX_WORDS, TELLS, can_say

        drive, report = self.kit.judged(session)
        track = self.kit.track(drive.session.track)
        asked = str(corner or "").strip()
        planned = [each.corner for each in report.opportunities] or [each.id for each in drive.corners]
        wanted = [self.kit.corner(track, each) for each in ([asked] if asked else planned[:_PLANNED])]
        scripts = self.kit.facts.scripts(track)
        faults = {each.corner: plain(each) for each in report.opportunities}
        rules = {
            "phases": {phase: TELLS[phase] for phase in PHASES},
            "short_form": "PHASE_short, shorter than its phase; optional",
            "most_words": MAX_WORDS,
        }
        corners = [
            {
                **plain(report.places[each.id]),
                "phrases": scripts.get(each.id, {}),
                "can_say": {phase: [*said] for phase, said in can_say(track, each).items()},
                "opportunity": faults.get(each.id),
            }
            for each in wanted
        ]
        return {**head(drive), "rules": rules, "corners": corners, "with_phrases": len(scripts)}

    @tool
    def recall(self, words: str = "") -> Result:
        """Finds what was learned of the driver, and what he asked and was answered before, about these words:
        verified lessons, questions, briefs and debriefs, the best match first.

        Args:
            words: a corner, a fault, a figure, such as turn 7 braking.
        """
        facts = self.kit.facts
        lessons = [each for each in facts.lessons() if each.active]
        before = facts.told_before()
        days = {row.id: when_driven(row) for row in facts.sessions()}
        texts = [*map(lesson_words, lessons), *(f"{each.asked} {each.answer}" for each in before)]
        found: list[Result] = []
        for at in best_matches(texts, str(words or "")):
            if at < len(lessons):
                found.append({"kind": "lesson", "told": lessons[at].text})
                continue
            one = before[at - len(lessons)]
            kind = next((kind for kind, text in NAMED.items() if text == one.asked), "question")
            answer = one.answer if len(one.answer) <= _MOST_CHARS else f"{one.answer[:_MOST_CHARS]} ..."
            found.append(
                {
                    "kind": kind, "session": one.session, "driven": days[one.session],
                    "asked": one.asked[:_MOST_CHARS], "told": answer,
                }
            )  # fmt: skip
        return {"session": self.session().id, "found": found, "searched": len(texts)}

    @tool
    def agent_telemetry(self, session: str = "last") -> Result:
        """An overview of a session: its laps with times and sectors, top speed, which signals there are.

        Args:
            session: a session id, or last.
        """
        drive = self.kit.driven(session)
        moments, track, best = drive.moments, drive.track, drive.best
        speeds = [speed_mps for speed_mps in moments.speed_mps if speed_mps is not None]
        laps = [
            {"lap": lap.number, "kind": lap.kind, "time_s": lap.time_s, "sectors_s": list(lap.sectors_s)}
            for lap in drive.laps
        ]
        overview = {
            "track_name": drive.session.venue if track is None else track.name,
            "vehicle": drive.session.vehicle,
            "driver": drive.session.driver,
            **_latest("lap_times", laps, key=lambda each: each["lap"] != (best.number if best else -1)),
            "best_lap": None if best is None else best.number,
            "best_lap_s": None if best is None else best.time_s,
            "flying_laps": len(drive.flying),
            "top_speed_mps": max(speeds, default=None),
            "duration_s": moments.t[-1] - moments.t[0] if moments.t else 0.0,
            "signals": list(drive.signals),
        }
        return {**head(drive), **plain(overview)}


def _left_out(name: str, rows: Sequence[Any], shown: Sequence[Any]) -> Result:
    return {f"{name}_left_out": len(rows) - len(shown)} if len(shown) < len(rows) else {}


def _dearest(compared: Result) -> Result:
    rows = compared["corners"]
    kept = sorted(rows, key=lambda each: -abs(each["delta_s"]))[:_MOST_ROWS]
    shown = [each for each in rows if each in kept]
    return {**compared, "corners": shown, **_left_out("corners", rows, shown)}


def _latest(
    name: str, rows: Sequence[Result], most: int = _MOST_ROWS, key: Callable[[Result], Any] | None = None
) -> Result:
    """Keep the last rows, behind the one with the least `key`, else the first."""
    kept = [*(rows if len(rows) <= most else rows[1 - most :])]
    first = min(rows, key=key) if key and rows else next(iter(rows), None)
    shown = kept if first is None or first in kept else [first, *kept]
    return {name: shown, **_left_out(name, rows, shown)}


def _pass(each: PassFacts) -> dict[str, Any]:
    return {key: value for key, value in plain(each).items() if key != "corner"}


def _cell(value: Any) -> Any:
    """Return a query's value as JSON with all its digits: the column's name says its unit."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [_cell(each) for each in value]
    return str(value)
