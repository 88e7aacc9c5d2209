"""What the words of a question mean that asks how something changed, or sets laps beside others."""

from __future__ import annotations

import re

from pitwall.paddock.question_reading import DRIVE_PARTS, MOST_LEAST, SPEED_AT, QuestionReading
from pitwall.paddock.questions.question_text import HOW_TO, QuestionText
from pitwall.paddock.questions.signs import COMPARATIVE
from pitwall.paddock.questions.word_rules import ENDS_ER, LESS, WordRule, begins, braking, but, in_text

_LOW = in_text(r"\b(?:down|low\w*|slow\w*|less|miss\w*|los\w+)\b")


def _way(r: QuestionReading, q: QuestionText) -> str:
    """Whether more of the figure is meant or less of it: a slower corner takes more time, at less speed."""
    timed = {*r.measures} <= {"time", "loss", "delta", "improved"}
    less = re.search(
        r"faster|quicker|better|sooner|improv|gain|fi?ou?nd" if timed else "slower|worst", q.begins
    )
    return "less" if less or LESS(q.begins) else "more"


CHANGE_RULES: tuple[WordRule, ...] = (
    WordRule("how close were laps 4 and 6", lambda r, q: len(r.laps) == 2 and not r.measures,
         {"measures": ("delta",), "which": ()}, begins("how close")),
    WordRule("did I brake later in turn 7 in lap 6 than in lap 3",
         lambda r, q: len(r.laps) == 2 and re.search(r"\bthan\b(?! \d)", q.begins),
         lambda r, q: {"which": (*but(r.which, *MOST_LEAST), "less" if LESS(q.begins) else "more")},
         in_text(r"\b(?:more|less|higher|lower|later|earlier|harder|longer|shorter|sooner)\b")),
    WordRule("do I shift earlier now", lambda r, q: r.measures and not r.laps and "trend" not in r.which,
         lambda r, q: {"which": ("trend",)},
         in_text(rf"\b(?:getting |gotten |become )(?:any )?(?:{ENDS_ER})\b|"
         rf"\b(?:{ENDS_ER})\b(?: \w+){{0,4}} now$")),
    # What became of it is told of the later one.
    WordRule("what changed from lap 4 to lap 6", lambda r, q: len(r.laps) == 2 and not r.measures,
         lambda r, q: {"laps": r.laps[::-1]},
         in_text(r"\bwhat\b.*\b(?:chang|differ)\w*\b.*\b(?:from|between)\b|"
         r"\bto lap \d+ ,? ?what\b.*\bchang")),
    WordRule("which lap was most different from my best", lambda r, q: "alike" in r.measures
         and r.of in ("", "lap"), {"which": ("least",), "of": ""}, in_text(r"\bdiffer|least")),
    WordRule("which corner changed most", lambda r, q: r.of == "corner" and not (r.measures or r.laps),
         {"measures": ("time",), "which": ("trend",)}, in_text(r"\b(?:changed|developed)")),
    WordRule("where do my laps differ most", lambda r, q: r.of == "place" and not (r.measures or r.laps),
         {"of": "corner", "which": ("spread",), "compares": False},
         begins(r"(?:and )?where (?:do|did) (?:(?:my |the )laps|i) (?:\w+ )?differ")),
    WordRule("where was my speed down on lap 5 against lap 1", lambda r, q: r.measures == ("speed",)
         and r.of == "place" and len(r.laps) == 2, lambda r, q: {"measures": ("min_speed",), "of": "corner",
         "which": ("less" if _LOW(q.begins) else "more",)}),
    WordRule("which corners do I enter faster than on lap 6", lambda r, q: r.point in SPEED_AT
         and not r.measures and len(r.laps) == 1 and (r.of == "corner" or r.laps[0].startswith(DRIVE_PARTS)),
         lambda r, q: {"measures": (SPEED_AT[r.point],)}, in_text(rf"\b(?:{ENDS_ER})\b")),
    WordRule("the biggest gap between two laps in a row",
         lambda r, q: {"consecutive", "delta"} <= {*r.measures},
         {"measures": ("step",), "which": ("spread",)}),
    WordRule("what got worse over the run", lambda r, q: not (r.of or r.measures or r.laps or r.places
         or {*r.sessions} - {"this"} or "since" in q.begins),
         lambda r, q: {"of": "corner", "which": ("trend",)},
         begins(r"(?:and |so )?what(?: has|s)? (?:got|gotten|gets|became|went) (?:worse|worst|slower|better|"
         r"faster)")),
    WordRule("how has my throttle point in 11 changed",
         lambda r, q: not (r.laps or {*r.which} - {"spread"} or {*r.sessions} - {"this"})
         and (r.measures or r.which or braking(r)), lambda r, q: {"which": (*r.which, "trend")},
         begins(r"(?:and |so )?(?:how )?(?:has|have|did) .*\bchang\w+(?! gears?)")),
    WordRule("where did I get slower", lambda r, q: r.of in ("corner", "sector", "place")
         and len(r.laps) < 2 and "both" not in r.laps and not HOW_TO.search(q.begins)
         and ("trend" in r.which or (len(r.laps) == 1 and (r.compares or (r.laps[0].startswith(DRIVE_PARTS)
         and not re.search("lo[os]", q.begins))))), lambda r, q: {"compares": r.compares or bool(r.laps),
         "which": (*but(r.which, *MOST_LEAST), _way(r, q))},
         in_text(rf"\b(?:{ENDS_ER}|worst|lo[os]\w+|improv\w+|gain\w*|found|find|longer|shorter|"
         r"(?:lat|earli)est)\b")),
    # Compares, and asks for no highest value.
    WordRule("more than lap 6?", lambda r, q: len(r.laps) == 1 and r.which,
         lambda r, q: {"which": but(r.which, *MOST_LEAST)},
         begins(r"(?:(?:and|so|is|was|it|that) )*(?:more|less|higher|lower|longer|shorter|harder|faster|"
         r"slower) than\b")),
    WordRule("was the oil hotter in the second half of the session",
         lambda r, q: len(r.laps) == 1 and r.laps[0].startswith(DRIVE_PARTS),
         lambda r, q: {"compares": True, "which": but(r.which, *MOST_LEAST)}, COMPARATIVE.search),
)  # fmt: skip
