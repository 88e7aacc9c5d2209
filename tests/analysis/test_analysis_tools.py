"""The tools over a real store: what they answer, what they refuse, and that all of it is plain JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from stored_facts import COMPOSED, WritableStoreFacts, all_tools

from pitwall.analysis.compose import compose_brief, compose_debrief
from pitwall.analysis.compose_words import plain
from pitwall.analysis.port import Facts
from pitwall.analysis.report import brief_facts
from pitwall.analysis.tools import Tools
from pitwall.coach.scripts import Phrase, load_scripts
from pitwall.paddock.roster import DUTIES, answer_of
from pitwall.simulator.plan import Mistake
from pitwall.store.store import Store

NAMES = [
    "query_pitwall_db", "lap_delta", "corner_history", "progress", "setup_indicators", "highlights",
    "reference_lap_comparison", "conditions", "session_plan", "incidents", "race_pace", "goal_targets",
    "variance_map", "audio_script_context", "agent_telemetry", "recall",
]  # fmt: skip
ARGUMENTS = {
    "query_pitwall_db": {"sql": "SELECT lap, time_s FROM laps"},
    "lap_delta": {"lap": 7},
    "corner_history": {"corner": "the Carousel"},
    "recall": {"words": "turn 7"},
}


def with_saving(store: Store) -> dict[str, Any]:
    """All tools, the one that writes included."""
    return all_tools(WritableStoreFacts(store))


def test_the_table_names_every_tool(tools):
    assert list(tools.table()) == NAMES
    assert all(function.__doc__ for function in tools.table().values())


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_plain_json_and_says_where_it_comes_from(tools, sonoma, name):
    result = tools.table()[name](**ARGUMENTS.get(name, {}))
    assert "error" not in result
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    if name not in ("query_pitwall_db", "recall"):
        assert result["session"] == sonoma[2].id
        assert result["laps"]
    assert "_mps" not in json.dumps(result), "drivers read km/h"


@pytest.mark.recordings
def test_sonoma_laps_and_corners_as_they_were_driven(tools):
    table = tools.table()
    overview = table["agent_telemetry"]()
    assert overview["best_lap"] == 6
    assert overview["best_lap_s"] == pytest.approx(109.098, abs=0.05)
    assert overview["flying_laps"] == 7
    delta = table["lap_delta"](lap=7)
    assert delta["laps"] == [7, 6]
    assert sum(each["delta_s"] for each in delta["corners"]) == pytest.approx(delta["delta_s"], abs=0.15)
    worst = max(delta["corners"], key=lambda each: each["delta_s"])
    assert worst["corner"] == "turn_7"
    history = table["corner_history"](corner="T10")
    assert [each["lap"] for each in history["passes"]] == [2, 3, 4, 5, 6, 7, 8]
    best = next(each for each in history["passes"] if each["lap"] == 6)
    assert best["loss_s"] == pytest.approx(0.0, abs=1e-6)
    assert history["opportunity"]["corner"] == "turn_10"


@pytest.mark.recordings
def test_sonoma_says_which_steering_is_missing(tools):
    setup = tools.table()["setup_indicators"]()
    assert "yaw_rate_dps" in setup["missing"]
    assert any("0% of the right turns" in note for note in setup["notes"])
    assert tools.table()["conditions"]()["weather_recorded"] is False


def test_goals_lie_between_theory_and_what_was_driven(tools):
    goals = tools.table()["goal_targets"]()
    assert goals["theory_s"] <= goals["best_s"]
    if goals["next_target_s"] is not None:
        assert goals["theory_s"] < goals["next_target_s"] < goals["best_s"]
    assert goals["best_s"] < goals["usual_target_s"] < goals["usual_s"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("query_pitwall_db", {"sql": "DROP TABLE laps"}, "DROP is not allowed"),
        ("query_pitwall_db", {"sql": "SELECT 1; SELECT 2"}, "2 statements"),
        ("lap_delta", {"lap": 99}, "lap 99 is not in this session"),
        ("lap_delta", {"lap": 0}, "lap 0 was not timed"),
        ("corner_history", {"corner": "turn 99"}, "is no corner of Sonoma"),
        ("corner_history", {"corner": "esses"}, "could be several corners"),
        ("highlights", {"session": "yesterday"}, "is no session"),
        ("progress", {"track": "nowhere"}, "no track 'nowhere' is known"),
        ("reference_lap_comparison", {"reference": "gold"}, "names no lap"),
        ("save_voice_scripts", {"corner_name": "turn 99", "phrases": {"brake": "Now"}}, "is no corner"),
        ("save_voice_scripts", {"corner_name": "7", "phrases": {"brake": "<b>Now</b>"}}, "can't speak"),
        ("save_voice_scripts", {"corner_name": "7", "phrases": {}}, "is empty"),
        ("save_voice_scripts", {"corner_name": "7", "phrases": ["Brake"]}, "must be an object"),
        (
            "save_voice_scripts",
            {"corner_name": "7", "phrases": {"brake": "Brake at the 500 board"}},
            'the nearest that can: "Brake at the board"',
        ),
        (
            "save_voice_scripts",
            {"corner_name": "7", "phrases": {"exit": "Throttle at one hundred and forty kph"}},
            'how to drive out; such as "Get back to full throttle"',
        ),
        ("save_voice_scripts", {"corner_name": "7", "phrases": {"exit": ""}}, "has no word in it"),
        ("save_voice_scripts", {"corner_name": "../../7", "phrases": {"brake": "Now"}}, "is no corner"),
    ],
)
def test_refusals_are_values_that_say_what_to_do(sonoma, name, arguments, said):
    home = sonoma[0].home
    before = sorted(home.audio_cache.rglob("*"))
    result = with_saving(sonoma[0])[name](**arguments)
    assert said in result["error"]
    assert result["what_to_do"]
    assert sorted(home.audio_cache.rglob("*")) == before


def test_arguments_are_taken_as_models_write_them(tools):
    table = tools.table()
    assert table["lap_delta"](lap="7", against="6", session=None)["laps"] == [7, 6]
    assert table["lap_delta"](lap="Lap 7")["laps"] == [7, 6]
    assert "is no lap number" in table["lap_delta"](lap="the fast one")["error"]
    assert table["corner_history"](corner=7)["corner"]["corner"] == "turn_7"
    assert table["progress"](track=None)["track"] == "sonoma"
    for words in ("Turn 6", "turn six", "CAROUSEL", "t6", "the carousel", "Turn 6, the Carousel"):
        assert table["corner_history"](corner=words)["corner"]["corner"] == "carousel", words
    assert table["corner_history"](corner="three A")["corner"]["corner"] == "turn_3a"


def test_a_change_is_what_the_coach_loads_and_the_rest_stays(clean_store, club):
    store, tools = clean_store, with_saving(clean_store)
    before = load_scripts(store.home.layers("audio_cache"), club)
    phrases = {"brake": "Firm brake, then ease off", "brake_short": "Firm brake"}
    result = tools["save_voice_scripts"](corner_name="Turn 4", phrases=phrases)
    assert (result["corner"], result["left_out"]) == ("turn_4", [])
    assert result["track"] == "club"
    assert Path(result["path"]).is_relative_to(store.home.audio_cache)
    loaded = load_scripts(store.home.layers("audio_cache"), club)
    assert loaded.phrase("turn_4", "brake") == Phrase("Firm brake, then ease off", "Firm brake")
    assert {**loaded.corners["turn_4"], "brake": None} == {**before.corners["turn_4"], "brake": None}
    context = tools["audio_script_context"](corner="4")
    assert context["corners"][0]["phrases"] == result["phrases"]
    # "Firm brake" would go on saying the old; "Brake" says as much as the new does.
    again = tools["save_voice_scripts"]("turn 4", {"brake": "Brake in a straight line"})
    assert again["left_out"] == ["brake_short"]
    tools["save_voice_scripts"]("turn 4", {"brake_short": "Brake"})
    kept = tools["save_voice_scripts"]("turn 4", {"brake": "Brake hard, straight"})
    assert (kept["left_out"], kept["phrases"]["brake_short"]) == ([], "Brake")


@pytest.mark.long
def test_a_disk_that_refuses_is_a_refusal(clean_store):
    (clean_store.home.audio_cache / "club").write_text("in the way")
    result = with_saving(clean_store)["save_voice_scripts"]("turn_4", {"brake": "Brake hard"})
    assert "can't be written" in result["error"]


@pytest.mark.long
def test_progress_counts_sessions_in_the_order_they_were_driven(store, drive):
    rows = [
        drive(Mistake("turn_4", "overslow", 5.0), seed=1, laps=3, start_utc_s=1.70e9),
        drive(Mistake("turn_4", "overslow", 1.0), seed=3, laps=3, start_utc_s=1.72e9),
        drive(Mistake("turn_4", "overslow", 3.0), seed=2, laps=3, start_utc_s=1.71e9),
    ]
    tools = Tools(Facts(store)).table()
    progress = tools["progress"]()
    assert [each["session"] for each in progress["sessions"]] == [rows[0].id, rows[2].id, rows[1].id]
    assert progress["trend"] == "faster"
    assert progress["personal_best_s"] == min(each["best_s"] for each in progress["sessions"])
    gold = tools["reference_lap_comparison"](session=rows[0].id)
    assert gold["reference"].startswith(rows[1].id)
    worst = max(gold["comparison"]["corners"], key=lambda each: each["delta_s"])
    assert worst["corner"] == "turn_4"
    assert len(tools["corner_history"](corner="4")["earlier_sessions"]) == 2


def test_an_empty_store_says_so(store):
    for name, function in Tools(Facts(store)).table().items():
        if name != "query_pitwall_db":
            arguments = (
                {"lap": 1} if name == "lap_delta" else {"corner": "1"} if name == "corner_history" else {}
            )
            assert "there are no sessions yet" in function(**arguments)["error"]


def test_an_intent_has_an_answer_without_a_model(tools):
    table = tools.table()
    for intent in COMPOSED:
        name = DUTIES[intent].answers_from
        facts = {name: table[name](**ARGUMENTS.get(name, {}))}
        answer = answer_of(intent, facts)
        assert len(answer) > 20, intent
        counts = [len(each) for each in facts[name].values() if isinstance(each, list)]
        assert unknown_numbers(answer, {**facts, "how many are listed": counts}) == [], intent
        assert "error" not in answer
    assert "nothing stored" in answer_of("TelemetryAgent", {})


# A number as it stands in a sentence: a lap time, or a figure. Those in corner names are names.
_NUMBER = re.compile(r"(?<![\w:.])(?:(\d+):(\d\d\.\d{3})|(\d+(?:\.\d+)?))(?![\w:])")


def numbers_in(value: object) -> list[float]:
    """Every number of the facts, those in texts too; speeds in km/h."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [abs(float(value))]
    if isinstance(value, str):
        return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", value)]
    values = value.values() if isinstance(value, dict) else value
    return [number for each in values for number in numbers_in(each)]


def unknown_numbers(text: str, facts: object) -> list[str]:
    """Numbers of the text that are no rounding of a fact."""
    known = numbers_in(plain(facts))
    strange = []
    for match in _NUMBER.finditer(text):
        minutes, rest, figure = match.groups()
        value = float(minutes) * 60 + float(rest) if minutes else float(figure)
        digits = len((rest or figure).partition(".")[2])
        slack = 0.51 * 10**-digits + 5e-4
        if not any(abs(value - number) <= slack for number in known):
            strange.append(match.group())
    return strange


@pytest.mark.recordings
def test_the_debrief_of_sonoma(tools, sonoma):
    facts = msgspec.structs.replace(tools.report(), passes=())
    text = compose_debrief(facts)
    paragraphs = text.split("\n\n")
    assert "best lap was a 1:49.098" in paragraphs[0]
    assert "Your usual lap was" in paragraphs[0]
    assert "joined make" in paragraphs[0]
    things = [each for each in paragraphs if re.match(r"Turn \d+|Carousel", each)]
    assert len(things) == 3
    assert all(re.search(r"\d s in \d of \d laps\. .+ Your best pass, lap \d, ", each) for each in things)
    assert any("the sign letters" in each or "the crest" in each for each in things), (
        "landmarks of the track file"
    )
    assert unknown_numbers(text, facts) == []


def test_a_number_that_is_no_fact_would_be_seen(tools):
    facts = msgspec.structs.replace(tools.report(), passes=())
    assert unknown_numbers("You lost 7.77 s there.", facts) == ["7.77"]
    assert unknown_numbers("Aim for 1:31.415.", facts) == ["1:31.415"]


def test_the_brief_of_sonoma(tools, sonoma):
    facts = brief_facts(tools.report(), sonoma[1])
    text = compose_brief(facts)
    assert "first bring that to" in text
    assert text.count("last time)") <= 3
    assert unknown_numbers(text, facts) == []
