"""A model's answer is a list of points: code tells facts and advice, and no word of the model is evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Asked, Reply
from opened_paddock import Open, answer
from pit_facts import TOOLBOX, obedient, points

from pitwall.config import shipped
from pitwall.paddock.model_text import LoopGuard
from pitwall.paddock.points import (
    MOST_ANSWER_CHARS,
    AnswerPoint,
    PointFacts,
    points_in,
    take_up_composed,
    take_up_losses,
)
from pitwall.paddock.roster import result_told, take_up
from pitwall.track.library import load_track
from pitwall.words.language import ENGLISH

TRUTHS = [f"Fact number {number} of the drive." for number in range(60)]


def said(part: str) -> list[str]:
    text = (Path(__file__).parent / "lies_and_truths.txt").read_text().split(f"== {part}\n")[1].split("==")[0]
    return [one.strip() for one in re.split(r"[|\n]", text) if one.strip()]


def facts(*certain: str) -> PointFacts:
    found = PointFacts(ENGLISH)
    for text in certain:
        found.add(text, certain=True)
    return found


def test_points_choose_and_order_and_the_certain_facts_stay() -> None:
    found = facts("One.", "Two.", "Three.")
    assert (
        found.told([AnswerPoint("F3"), AnswerPoint("f1"), AnswerPoint("F9"), AnswerPoint("F3")])
        == "Three. One. Two."
    )
    # Advice is told where code found its cause; any other is none.
    take_up_losses(
        found, [{"corner": "turn_7", "action": "brake_later", "cause": "brake_later", "loss_s": 0.31}]
    )
    told = found.told([AnswerPoint("F4", "brake_later"), AnswerPoint("F1", "brake_earlier")])
    assert told.startswith("Turn 7 0.31 s: you brake early. Brake a little later.")
    assert "One. Two." in told
    assert ENGLISH.term("advice", "brakes late") not in told


def test_what_stands_below_a_heading_keeps_its_order() -> None:
    found = PointFacts(ENGLISH)
    head = ENGLISH.say("things ranked", count=ENGLISH.term("things", "2"))
    take_up_composed(found, f"Best lap 1:52.3.\n\n{head}\n\nTurn 7.\n\nTurn 11.", certain=True)
    assert len(found) == 2
    assert found.told([AnswerPoint("F2")]) == f"{head}\n\nTurn 7.\n\nTurn 11.\n\nBest lap 1:52.3."


def test_a_query_in_sql_is_no_fact() -> None:
    found = PointFacts(ENGLISH)
    result = {"columns": ["lap", "lap_time_s"], "rows": [[3, 100.5]]}
    assert take_up(found, "query_pitwall_db", result) == result
    assert len(found) == 0
    assert result_told("save_voice_scripts", {"error": "no", "what_to_do": "say that"}, ENGLISH) != ""


def test_a_comparison_with_a_lap_that_stood_still_says_so() -> None:
    compared: dict[str, Any] = {
        "laps": [3, 5], "delta_s": -123.373, "lap_s": 65.725, "against_s": 189.099, "corners": [],
        "no_flying_lap": [{"lap": 5, "reason": "stood still for 16 s"}],
    }  # fmt: skip
    assert result_told("lap_delta", compared, ENGLISH) == (
        "Lap 3 was 123.373 s faster than lap 5 (1:05.725 against 3:09.099). "
        "Lap 5 is no flying lap: stood still for 16 s."
    )


@given(st.integers(0, 400))
def test_a_cut_answer_loses_its_unfinished_point_and_says_so(at: int) -> None:
    whole = json.dumps(
        {
            "emotion": "proud",
            "points": [{"fact": f"F{number}", "advice": "Do not brake"} for number in range(6)],
        }
    )
    got = points_in(whole[:at])
    assert got.points == points_in(whole).points[: len(got.points)]
    assert len(got.points) == whole[:at].count("}") or at >= len(whole)
    assert got.whole == (at == 0 or at >= len(whole))


@given(st.text("{}[]\"':,F1 factcomment\\\n", max_size=200))
def test_whatever_is_written_gives_points_or_none(text: str) -> None:
    assert isinstance(facts("One.").told(points_in(text).points), str)


@pytest.mark.parametrize(
    "text", ['{"fact": "F1"}' * 80_000, "{" * 1_000_000, '{"fact": ' * 100_000, "word. " * 8_000]
)
def test_the_work_on_an_answer_is_bounded(text: str) -> None:
    assert len(points_in(text).points) <= 24


def ways_to_lie(lies: list[str]) -> dict[str, str]:
    """Answers with lies as comments, ids, advice, mood, other keys and prose; whole, and cut."""
    ids = [f"F{number}" for number in range(40, 0, -1)]
    told = [
        {"fact": one, "comment": lie, "advice": lie, "text": lie} for one, lie in zip(ids, lies, strict=False)
    ]
    whole = json.dumps({"emotion": lies[0], "points": told})
    cut = json.dumps({"points": told[-20:]})[:900]
    return {
        "around": lies[-1] + json.dumps(told) + json.dumps([{"fact": lie, "comment": lie} for lie in lies]),
        "twice": json.dumps([*told[-10:], *told[-10:]]),
        "unknown": whole.replace('"F', '"G'),
        "braces": whole.replace('"comment": "', '"comment": "{'),
        "beside a truth": whole.replace('"comment": "', '"comment": "Smooth hands pay off. '),
        "prose": ". ".join(lies[:20]),
        "half": cut,
        "too long": cut,
        "unsafe": cut,
    }


FINISH = {
    "gemini": {"too long": "MAX_TOKENS", "unsafe": "SAFETY"},
    "openai": {"too long": "length", "unsafe": "content_filter"},
}


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_no_lie_is_shown_and_no_truth_is_lost(paddock: Open, kind: str) -> None:
    lies = said("lies")
    ways = ways_to_lie(lies)

    def lying(request: Asked) -> Reply:
        way = next(each for each in ways if f"({each})" in request.text)
        if not request.called:
            return obedient(request)
        return Reply(text=ways[way], finish=FINISH[kind].get(way, ""))

    text = "\n\n".join(TRUTHS[:20])
    options = {"words": ENGLISH, "compose": lambda agent, question: f"[focused] {text}"}  # type: ignore[arg-type]
    async with paddock(lying, kind=kind, **options) as (crew, _server):
        for way in ways:
            async with await crew.ask(f"where do I lose time ({way})", intent="GoldLapAgent") as stream:
                events = [event async for event in stream]
            given = events[-1].answer
            assert given.tier == ("rule" if way in ("unknown", "braces", "prose") else "paddock"), way
            assert (given.why == "The model named no fact that can be told.") == (given.tier == "rule"), way
            assert [one for one in TRUTHS[:20] if one not in given.text] == [], way
            assert [lie for lie in lies if any(lie in str(event) for event in events)] == [], way
            cut = ("the rest of the model's answer: it was cut off",)
            assert given.missing == (cut if way in ("half", "too long", "unsafe") else ()), way


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_an_answer_that_is_cut_says_so(paddock: Open, kind: str) -> None:
    def cut(request: Asked) -> Reply:
        if not request.called:
            return obedient(request)
        return Reply(text=points(request)[:-30] + " " * 90, pieces=40, cut=True)

    async with paddock(cut, kind=kind) as (crew, _server):
        given = await answer(crew)
    assert given.tier == "paddock"
    assert given.text.startswith("Composed for GoldLapAgent.")
    assert given.missing == ("the rest of the model's answer: it was cut off",)


@pytest.mark.parametrize(("kind", "pieces"), [("gemini", 1), ("openai", 400)])
async def test_no_length_holds_up_another_question(
    paddock: Open, kind: str, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed, fed = LoopGuard.feed, []
    monkeypatch.setattr(LoopGuard, "feed", lambda guard, piece: fed.append(len(piece)) or feed(guard, piece))

    def endless(request: Asked) -> Reply:
        if "slow one" in request.text and request.called:
            return Reply(text="Word by word, on and on. " * 40_000, pieces=pieces, pace_s=0.01)
        return obedient(request)

    async with (
        paddock(endless, kind=kind) as (crew, _server),
        await crew.ask("the slow one", intent="GoldLapAgent") as slow,
    ):
        await anext(slow)
        quick = await answer(crew)
        late = await slow.answer()
    assert (quick.tier, late.tier) == ("paddock", "rule")
    assert late.why.endswith("was stopped.")
    # Repeats are looked for character by character, which holds up whoever else asks.
    assert max(fed) <= MOST_ANSWER_CHARS


async def test_a_save_goes_to_the_corner_that_was_asked_for(paddock: Open) -> None:
    wrong = ("save_voice_scripts", {"corner_name": "turn 11", "phrases": {"brake": "Brake at the bump"}})

    def stray(request: Asked) -> Reply:
        return Reply(calls=[wrong]) if wrong[0] not in request.called else Reply(text=points(request))

    async with paddock(stray, toolbox=TOOLBOX, track=load_track(shipped("track_data") / "sonoma.json")) as (
        crew,
        _server,
    ):
        given = await answer(crew, "change the brake phrase at turn 7", "VoiceScriptAgent")
    assert {call.status for call in given.audit if call.tool == wrong[0]} == {"refused"}
    assert "Nothing was saved." in given.text
    assert "bump" not in given.text
