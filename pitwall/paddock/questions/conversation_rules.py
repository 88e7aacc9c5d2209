"""What the words mean that go on with an answer, and those that ask for the whole session in short.

The rules stand in the midst of those of `settled`.
"""

from __future__ import annotations

from pitwall.paddock.questions.signs import SURE
from pitwall.paddock.questions.word_rules import (
    WordRule,
    begins,
    braking,
    in_text,
    placed,
    whole,
    without_braking,
)

CONVERSATION: tuple[WordRule, ...] = (
    WordRule("my average lap", lambda r, q: not (r.measures or r.laps or r.of or placed(r)),
         {"measures": ("time",)},
         in_text(r"\b(?:average|avg|mean|median|typical|usual) lap(?! (?!times?)\w+)")),
    WordRule("how much is that off my best", lambda r, q: r.laps == ("best",) and not r.measures,
         {"compares": True, "measures": ("delta",), "follows": True, "strange": ()},
         begins(r"(?:and |so )?how (?:much|far|many \w+) (?:is|was) (?:that|it|this) (?:\w+ )?(?:off|"
                 r"under|over|"
                 r"behind|below|above|down on|away from|from|slower than|faster than|beside) (?:my|the) "
                 r"best")),
    WordRule("and what was the gap to the best",
         lambda r, q: r.follows and r.laps == ("best",) and r.measures == ("delta",), {"compares": True},
         in_text(r"\b(?:gap|difference|delta|diff) (?:to|from|with) (?:my|the) best")),
    WordRule("what am I doing wrong", lambda r, q: not (r.laps or r.corners), {"follows": True},
         whole(r"(?:and |so |but )?what (?:am|was|did|do) i (?:do|doing) (?:so )?wrong(?: there| then)?")),
    WordRule("is that normal", lambda r, q: r.untold == "good times",
         {"untold": "", "which": (), "follows": True},
         whole(r"(?:and |so |but )*(?:is|was) (?:that|it|this) (?:normal|typical|usual)")),
    WordRule("how accurate is that", lambda r, q: SURE.fullmatch(q.begins),
         {"strange": (), "untold": "", "measures": (), "which": (), "coaching": False}),
    WordRule("too early?", lambda r, q: r.coaching, {"follows": True},
         whole(r"(?:and |so |is it |was it |is that |was that |am i |was i )*too (?:early|late|slow|fast|"
               r"hard|soft|"
               r"much|little|soon|deep)")),
    WordRule("which corners do I mess up", lambda r, q: r.measures == ("incident",) and r.of == "corner",
         {"measures": ("loss",)}, in_text(r"\b(?:mess|screw)")),
    WordRule("how much would i gain", lambda r, q: not (r.laps or r.corners or r.sectors),
         {"measures": ("loss",), "follows": True},
         whole(r"(?:and |so )?how much (?:time )?(?:would|could|can|will|do) (?:i|we|that|it) (?:\w+ )?"
                r"(?:gain|give|win|save|bring)(?: (?:me|us|there|from (?:that|it)))*|"
                r"(?:and |so )?(?:what|how much) (?:would|could|is|was) (?:that|it|this) (?:be )?worth")),
    WordRule("which lap do you mean", lambda r, q: True, {"of": "", "which": (), "follows": True},
         whole(r"(?:and |so |but )?(?:which|what) (?:lap|corner|turn|one) (?:do|did|are|were) (?:you|we) "
               r"(?:mean|talking about|speaking of)")),
    WordRule("what was different", lambda r, q: not (r.laps or r.corners), {"follows": True},
         whole(r"(?:and |so )?(?:what|whats)(?: (?:is|was|did|do))?(?: i)?(?: do)? (?:so )?different(?:ly)?"
                r"(?: there| then| about (?:it|that))?")),
    WordRule("was that from braking or from the throttle",
         lambda r, q: not (r.laps or r.said or r.corners or "incident" in r.measures),
         lambda r, q: {"measures": ("loss",), "per": "phase", "which": (), "of": "", "compares": False,
             "point": "", "follows": True, "strange": without_braking(r, "under", "phase"), "untold": "",
             "left": ("told",)},
         begins(r"(?:and |so |but )?(?:(?:is|was) (?:that|it|this)|(?:does|did) (?:that|it|this) come|"
                 r"(?:did|do) i lose (?:that|it)) (?:\w+ ){0,2}?(?:from|on|in|under|at|because of|due to|"
                 r"down to|"
                 r"by|the) (?:the |my )?(?:brak|entry|exit|throttle|gas|power|middle|mid|apex|steering|"
                 r"corner)|"
                 r"(?:(?:on|under|the|more|and|or) )*(?:brak\w+|entry|exit|throttle|gas|middle|apex) or "
                 r"(?:(?:on|under|"
                 r"the|at|getting|back|to) )*(?:brak\w+|entry|exit|throttle|gas|middle|apex)$|"
                 r"(?:where|how) .*\blos\w+\b.*\b(?:brak\w+|entry|throttle|gas) or (?:\w+ ){0,3}?"
                 r"(?:entry|exit|throttle|gas|brak\w+)$")),
    WordRule("compare this session with my previous one",
         lambda r, q: r.compares and r.sessions == ("this",) and r.step == -1 and not r.laps,
         {"sessions": ("previous",), "step": 0}),
    WordRule("one thing for turn 7", lambda r, q: "one_thing" in r.measures and r.corners,
         {"measures": (), "coaching": True}),
    WordRule("lap 6 in a nutshell", lambda r, q: "in_short" in r.measures and (r.laps or r.places),
         {"measures": ()}),
    WordRule("the one thing I should focus on", lambda r, q: {"one_thing", "in_short"} & {*r.measures},
         lambda r, q: {"coaching": False, "of": "", "which": (), "per": "", "compares": False,
             "counts": False, "left": (), "measures": tuple(each for each in r.measures
             if each in ("one_thing", "in_short"))}),
    WordRule("how many sectors are there", lambda r, q: "sector_count" in r.measures,
         {"sectors": (), "of": "", "counts": False}),
    WordRule("did you record the brakes", lambda r, q: "recorded" in r.measures and braking(r),
         lambda r, q: {"strange": without_braking(r), "measures": (*r.measures, "brake_bar")}),
)  # fmt: skip
