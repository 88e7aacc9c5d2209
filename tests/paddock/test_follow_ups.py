"""Which step of `follow_ups` a follow-up takes, and what it then asks for."""

from __future__ import annotations

from typing import Any

import pytest
from labelled_questions import home_track

from pitwall.ask.corner_names import names_of
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.follow_ups import STEPS, follow, steps_taken
from pitwall.paddock.questions.reader import read

# A step, a conversation whose last question takes it, and fields of that question as it is meant.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("ideal", "what's my ideal lap | how far off am I", {"measures": ("ideal",)}),
    ("best of each", "exit speed of turn 7 each lap | which lap was best",
     {"measures": ("exit_speed",), "of": "lap", "corners": ("turn_7",)}),
    ("alone", "top speed on lap 4 | how many laps did I do", {"measures": ("lap_count",), "laps": ()}),
    ("all laps", "my best lap | and how many laps did I do", {"measures": ("lap_count",), "laps": ()}),
    ("lap of the usual", "minimum speed in turn 7 | which lap was that",
     {"corners": ("turn_7",), "measures": ("min_speed",), "beyond": "median", "nearest": True}),
    ("heeded", "what did you tell me about turn 7 | did it help", {"said": True, "corners": ("turn_7",)}),
    ("said there", "did I heed your advice in turn 2 | and in turn 7?",
     {"said": True, "corners": ("turn_7",)}),
    ("gap of several", "my three quickest laps | gap between them?",
     {"laps": ("top:3",), "measures": ("time",), "which": ("spread",)}),
    ("sectors of a lap", "sectors of lap 4 | and of 5?", {"laps": ("5",), "sectors": (0,), "strange": ()}),
    ("one", "which corner costs me the most | and the best one?", {"of": "corner", "which": ("least",)}),
    ("one", "which sector am I fastest in | and the slowest one?", {"of": "sector", "which": ("least",)}),
    ("varied", "where do I vary most | and least?", {"of": "corner", "which": ("spread", "least")}),
    ("unnamed figure", "where am I fastest | and on lap 3?", {"measures": ("speed",), "laps": ("3",)}),
    ("the other was better", "where was lap 6 better than lap 5 | and worse?",
     {"laps": ("5", "6"), "left": ("gains",)}),
    ("at the peak", "highest revs | in which gear", {"peak": ("rpm", "most"), "measures": ("gear",)}),
    ("place of the longest", "whats my longest coasting | where is that", {"per": "run", "of": "place"}),
    ("the rest", "average of my three best laps | and of the rest",
     {"laps": ("not:top:3",), "which": ("mean",)}),
    ("best of them", "the last 3 laps | and the best of those?", {"laps": ("lasts:3",), "of": "lap"}),
    ("sector found", "my slowest sector | how far off is it from the best",
     {"measures": ("loss",), "of": "sector"}),
    ("corner", "which corner costs me the most | where?", {"of": "corner", "measures": ("loss",)}),
    ("look", "oil temperature trend | and water?", {"measures": ("coolant_c",), "which": ("trend",)}),
    ("g of braking", "where do I brake hardest | and how many g?", {"measures": ("g_brake",)}),
    ("part of the lap", "which corner of sector 2 costs most | and of sector 3?",
     {"among": ("sector:3",), "sectors": ()}),
    ("left out", "average lap without lap 2 | and without lap 7?",
     {"laps": ("not:2,7",), "which": ("mean",)}),
    ("left out of laps", "average of laps 3 to 6 | and without lap 5?", {"laps": ("3", "4", "6")}),
    ("first corner", "the three worst corners | why the first one", {"laps": (), "corners": ("@loss",)}),
    ("rank of corners", "the three worst corners | and the second one", {"corners": ("@loss:2",)}),
    ("rank of laps", "top 5 laps | gap between first and fifth",
     {"laps": ("best:1", "best:5"), "compares": True, "strange": ()}),
    ("next corner", "where do I lose the most time | and the next worst?", {"corners": ("@loss:2",)}),
    ("rank of corner", "which corner costs me most | and the second worst?",
     {"laps": (), "corners": ("@loss:2",)}),
    ("rank of corner", "the slowest corner | and the second slowest?",
     {"laps": (), "corners": ("@least:2",)}),
    ("rank of laps", "second best lap | and the third?", {"laps": ("best:3",), "strange": ()}),
    ("rank of laps", "best lap | and the second?", {"laps": ("best:2",), "strange": ()}),
    ("rank of corners", "second slowest corner | what about the fourth?", {"corners": ("@least:4",)}),
    ("end of each", "top speed each lap | lowest?", {"measures": ("speed",), "of": "lap"}),
    ("phases", "do I lose it under braking or on the exit of 3 | and in turn 7?",
     {"per": "phase", "corners": ("turn_7",)}),
    ("lap found", "which lap had the best exit speed in turn 7 | what was the lap time on that lap",
     {"measures": ("time",), "laps": ("found",), "corners": ()}),
    ("whole lap", "exit speed in turn 7 on lap 4 | and what was the lap time?",
     {"measures": ("time",), "laps": ("4",), "corners": ()}),
    ("usual", "top speed on lap 4 | and on average?",
     {"measures": ("speed",), "laps": (), "which": ("mean",)}),
    ("one lap", "average exit speed in turn 7 | and on lap 4?", {"laps": ("4",), "which": ()}),
    ("other side", "how many laps over 1:55 | and under?", {"limit_s": 115.0, "over": False}),
    ("its lap", "what was my top speed | when was that", {"measures": ("speed",)}),
    ("best of all", "how many laps did I do | and which was best?", {"laps": ("best",), "compares": False}),
    ("two laps", "top speed on lap 3 | and on lap 5? | what's the difference",
     {"measures": ("speed",), "laps": ("3", "5")}),
    ("difference", "top speed on lap 3 | and on lap 5? | what's the difference",
     {"measures": ("speed",), "laps": ("3", "5")}),
    ("beside a lap", "lap 4 time | is that better than lap 1?", {"laps": ("4", "1"), "compares": True}),
    ("beside a corner", "brake pressure in turn 11 | more than in turn 7?",
     {"corners": ("turn_11", "turn_7")}),
    ("other end of the speed", "lowest speed anywhere on the track | and the highest?",
     {"measures": ("speed",), "which": ("most",)}),
    ("number", "exit speed turn 11 | and 7?", {"corners": ("turn_7",), "strange": ()}),
    ("number", "lap 4 time | and 7?", {"laps": ("7",), "strange": ()}),
    ("number", "sector 1 on lap 4 | and 2?", {"sectors": (2,), "laps": ("4",), "strange": ()}),
    ("other end", "my best lap | and the slowest?", {"laps": ("worst",), "which": ()}),
    ("lap judged", "which lap was i slowest in turn 4 | what happened",
     {"laps": ("found",), "corners": ("turn_4",)}),
    ("lap judged", "which lap was the worst | and why?", {"laps": ("worst",), "coaching": True}),
    ("lowest peak", "which lap had the highest top speed | and the lowest?", {"which": ("least", "most")}),
    ("where in a lap", "why was lap 7 slow | where exactly?", {"measures": ("loss",), "laps": ("7",)}),
    ("where in a sector", "what did I lose in sector 2 | where mostly?",
     {"among": ("sector:2",), "of": "corner", "sectors": ()}),
    ("of the session", "how many laps did I do | and lap 4?", {"measures": (), "laps": ("4",)}),
    ("speed of a corner", "how fast in turn 7 on lap 4 | was that my best?", {"measures": ("min_speed",)}),
    ("corner in there", "which sector costs me the most | which corner in there?", {"among": ("sector:0",)}),
    ("corner found", "what is my worst corner | how much do I lose there?", {"corners": ("@loss",)}),
    ("corner by speed", "which corner is the slowest | which gear there?", {"corners": ("@least",)}),
    ("all laps", "latest brake point in turn 7 | and each lap?", {"per": "lap", "which": ()}),
    ("figure there", "brake point in turn 7 on lap 4 | exit speed?", {"of": "", "corners": ("turn_7",)}),
    ("value of another", "highest exit speed in turn 7 | and the entry speed?",
     {"measures": ("entry_speed",), "which": ("most",), "corners": ("turn_7",)}),
    ("average of peaks", "brake pressure in turn 7 | and on average?", {"which": ("mean", "most")}),
    ("average of what goes both ways", "average exit speed in turn 7 | and the braking g?",
     {"measures": ("g_brake",), "which": ("mean", "most")}),
    ("lowest of peaks", "lateral g in turn 7 | and the lowest?", {"which": ("least", "most")}),
    ("by value", "exit speed in turn 7 on lap 4 | and the lowest?", {"laps": (), "which": ("least",)}),
    ("by value", "which corner has the highest exit speed | and my best lap? | and the lowest?",
     {"laps": ("best",), "which": ("least",), "of": "corner"}),
    ("average speed", "average speed | how did it develop", {"which": ("mean", "trend")}),
    ("by value", "lap time | and the lowest?", {"measures": ("time",), "which": ("most",), "left": ()}),
    ("by value", "exit speed in turn 7 | and the lowest?", {"which": ("least",), "left": ()}),
    ("how hot", "highest coolant temperature | how hot was it", {"measures": ("coolant_c",), "untold": ""}),
    ("how far", "how many laps did I do | and how far is that", {"measures": ("driven_km",)}),
    ("how far", "how many km did I do | and how long did it take", {"measures": ("duration",)}),
    ("where it was", "when was this | and where", {"measures": ("track",), "of": ""}),
    ("how long it is", "what track is this | and how long is it", {"measures": ("track_km",)}),
    ("next one", "where do I lose most | and what about the next one", {"corners": ("@loss:2",), "step": 0}),
    ("rank of laps", "my best lap | how far behind was the next one",
     {"laps": ("best:1", "best:2"), "compares": True}),
    ("one of them", "how many sectors are there | and which one is my worst",
     {"measures": ("loss",), "of": "sector", "which": ("most",)}),
    ("how long braked", "how many times did I brake in lap 4 | and how long in total",
     {"measures": ("brake_time",), "laps": ("4",), "which": ()}),
    ("beside its neighbour", "my best lap | compare it with the one before",
     {"laps": ("best", "best-1"), "measures": ("delta",), "compares": True}),
    ("when it was", "who drove this | and when", {"measures": ("when",)}),
    ("rank of corner", "where do I lose the most | what about the second worst",
     {"corners": ("@loss:2",), "laps": ()}),
    ("sure", "top speed on lap 4 | are you sure",
     {"measures": ("speed",), "laps": ("4",), "left": ("sure",)}),
    ("much of a loss", "where do I lose most | is that a lot?",
     {"measures": ("loss",), "of": "corner", "which": ("rank",)}),
    ("much", "my best lap | is that a lot?", {"measures": ("time",), "which": ("spread",), "laps": ()}),
    ("other places", "where do I lose most | and the others?",
     {"measures": ("loss",), "of": "corner", "which": ("rank",), "per": ""}),
    ("by how much", "which lap was quickest | and by how much",
     {"laps": ("best", "best:2"), "measures": ("delta",), "compares": True}),
    ("by how much", "which lap was slowest | by how much", {"laps": ("worst", "best")}),
    ("how", "which gear in turn 7 | and how fast", {"measures": ("speed",), "corners": ("turn_7",)}),
    ("how", "how hard did I brake into 11 | and how late",
     {"measures": ("brake_m",), "corners": ("turn_11",)}),
    ("corner of the peak", "my highest brake pressure | and in which corner",
     {"measures": ("brake_bar",), "of": "place", "which": ("most",)}),
    ("laps of the session", "how many laps did I do | and how consistent were they",
     {"measures": ("time",), "which": ("spread",)}),
    ("neighbour", "which lap was quickest | by how much | and the one before?",
     {"laps": ("best-1",), "compares": False}),
    ("beside a lap", "my worst lap | how much is that off my best?",
     {"laps": ("worst", "best"), "compares": True}),
    ("neighbour", "lap 4 time | and the one before?", {"laps": ("3",)}),
    ("side of a corner", "how fast in turn 7 | and the exit?", {"measures": ("exit_speed",)}),
]  # fmt: skip


@pytest.mark.parametrize(("step", "conversation", "meant"), CASES)
def test_a_follow_up_takes_its_step(step: str, conversation: str, meant: dict[str, Any]) -> None:
    names = names_of(home_track())
    *others, last = conversation.split(" | ")
    before: QuestionReading | None = None
    for question in others:
        before = follow(read(question, names), before)
    assert before is not None
    reading, taken = steps_taken(read(last, names), before)
    assert step in taken
    assert {field: getattr(reading, field) for field in meant} == meant


def test_each_step_has_its_conversation() -> None:
    assert {step.name for step in STEPS} == {step for step, _, _ in CASES}


def test_the_slowest_after_the_best_is_no_peak() -> None:
    """ "Best sector 3? And the slowest?" names no figure whose lowest value is that of its peaks."""
    names = names_of(home_track())
    assert follow(read("and the slowest?", names), read("best sector 3", names)).which == ("least",)


def test_a_unit_is_kept_for_figures_of_its_kind() -> None:
    names = names_of(home_track())
    before = read("minimum speed of turn 9 in mph", names)
    assert follow(read("and the exit speed?", names), before).unit == "mph"
    assert follow(read("gear?", names), before).unit == ""


def test_a_rank_after_what_has_none_stays_strange() -> None:
    """ "And the third?" after a top speed asks for nothing that is known."""
    names = names_of(home_track())
    assert follow(read("and the third?", names), read("top speed", names)).strange == ("third",)
