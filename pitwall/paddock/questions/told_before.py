"""What a question points at in the answer before it: "why there?", "how do I fix that", "the one before"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from pitwall.contract.messages import Turn
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.follow_ups import stepped
from pitwall.paddock.questions.subject import Subject

_LOST = re.compile(r"@loss:(\d+)")


def pointed(asked: Subject, reading: QuestionReading, turns: Sequence[Turn]) -> QuestionReading:
    """The reading with the corner or the lap that the answer before named first, where the question points at
    one and nothing else says which."""
    if (rank := _LOST.fullmatch("".join(reading.corners))) is not None:
        # "And the second one?": of the corners in the order in which they were told.
        listed = (
            named for each in reversed(turns) if each.role != "driver" for named in [_named(asked, each.text)]
        )
        corner = next((named[int(rank[1]) - 1] for named in listed if len(named) >= int(rank[1])), "")
        return replace(reading, corners=(corner,), of="") if corner else reading
    points = "told" in reading.left or reading.step
    if not points or reading.sectors or reading.straight or reading.no_corner:
        return reading
    # "Which corner did I lose most in on lap 8? Why?": the corner that was told.
    explains = reading.coaching and reading.of == "corner" and "loss" in reading.measures
    if (reading.laps and not explains) or not all(each.startswith("@") for each in reading.corners):
        return reading
    said = next((each.text for each in reversed(turns) if each.role != "driver" and _tells(each.text)), "")
    corner = "" if reading.step or "lap" in reading.left else next(iter(_named(asked, said)), "")
    if corner:
        return replace(reading, corners=(corner,), laps=(), of="")
    # A figure is not asked for again of the lap that it was told of.
    if not (reading.step or "lap" in reading.left or {*reading.measures} <= {"time", "delta"}):
        return reading
    lap = re.search(re.escape(asked.words.say("lap", lap=0)).replace("0", r"(\d+)"), said, re.IGNORECASE)
    if lap is None or reading.corners or {*reading.sessions} - {"this", "today"}:
        return reading
    mark = stepped(lap[1], reading.step) if reading.step else lap[1]
    return replace(reading, laps=(mark,), of="", compares=reading.compares and not reading.step)


def _named(asked: Subject, said: str) -> list[str]:
    """The corners that an answer names, in its order; of two that begin alike that with the longer name."""
    found = sorted(
        (at.start(), -len(name), corner.id)
        for corner in asked.figures.corners
        for name in asked.called(corner.id)
        if (at := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said))
    )
    return list(dict.fromkeys(corner for _, _, corner in found))


def _tells(said: str) -> bool:
    """Whether an answer has a figure: what says that something is not known has none."""
    return any(char.isdigit() for char in said)
