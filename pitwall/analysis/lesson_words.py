"""The text of lessons: what was seen, how often and when, and what to do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from pitwall.analysis.compose_words import ADVICE, corner_name, joined
from pitwall.analysis.places import Place
from pitwall.store.lessons import Evidence, LessonKind

SAID: dict[str, str] = {
    "brakes early": "you brake early",
    "brakes late": "you brake late",
    "coasts": "you coast",
    "releases abruptly": "you let the brake go abruptly",
    "drags the brake": "you drag the brake",
    "enters slowly": "you enter slowly",
    "over-slows": "you over-slow",
    "late on the throttle": "you are late on the throttle",
    "slow exit": "your exit is slow",
    "line": "your line costs time",
}


class Names(Protocol):
    """What tracks and corners are called."""

    def track(self, track: str) -> str:
        """The track's name; its id where the track is not known."""
        ...

    def places(self, track: str) -> dict[str, Place]:
        """The track's corners by id."""
        ...

    def also(self, track: str, corner: str) -> str:
        """What else the corner is called: number, nicknames."""
        ...


def lesson_text(
    kind: LessonKind, track: str, corner: str, cause: str, evidence: Sequence[Evidence], names: Names
) -> str:
    """The lesson in one to three sentences. Every number in it follows from the evidence."""
    places = names.places(track)
    where, said = corner_name(corner, places), SAID.get(cause, cause)
    shown = [each for each in evidence if each.shows]
    seen = _seen(shown)
    if kind == "fault":
        cost = f", about {shown[-1].seconds:.2f} s a lap" if shown and shown[-1].seconds is not None else ""
        advice = ADVICE[cause] if cause in ADVICE else ""  # noqa: SIM401 - this narrows the type
        return f"{where}: {said}{cost} ({seen}). {advice}".strip()
    if kind == "cured":
        gains = [each.seconds for each in shown if each.seconds is not None]
        gain = f", worth about {gains[-1]:.2f} s a lap" if gains else ""
        return f"{where} is cured{gain}: it used to be that {said} there. Driven without it: {seen}."
    if kind == "trouble":
        return f"{where} has caught you out ({cause}; {seen}). Build up to it, and leave a margin there."
    corners = joined([corner_name(each, places) for each in (shown[-1].corners if shown else ())])
    return f"A habit at {names.track(track)}: {said} in {corners} ({seen})."


def place_words(track: str, corner: str, names: Names) -> str:
    """Other words by which the place may be asked for."""
    known = (track, names.track(track), corner.replace("_", " "), names.also(track, corner))
    number = f"t{corner.removeprefix('turn_')}" if corner.startswith("turn_") else ""
    return " ".join(dict.fromkeys(" ".join((*known, number)).split()))


def date_of(utc_s: float, *, dated: bool) -> str:
    """A day as `2026-05-02`, in UTC. Where the day is not known `utc_s` is none to show."""
    if not dated:
        return "a day that is not known"
    return time.strftime("%Y-%m-%d", time.gmtime(utc_s))


def _seen(shown: Sequence[Evidence]) -> str:
    if not shown:
        return "in sessions that are gone"
    laps = sum(len(set(each.laps)) for each in shown)
    count = len({each.session for each in shown})
    sessions = "one session" if count == 1 else f"{count} sessions"
    return f"{laps} laps in {sessions}, last on {date_of(shown[-1].at_utc_s, dated=shown[-1].dated)}"
