"""Redaction: nothing that was planted comes out, wherever it stood; figures that are no secret stay."""

from __future__ import annotations

import itertools
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from planted_secrets import CARS, DRIVERS, FILES, KEY, NAMED, SHAPED, TOKEN

from pitwall.analysis.traces import Redactor

REDACTOR = Redactor(DRIVERS, (*CARS, *FILES), (TOKEN, KEY), home="/srv/box/pitwall")
PLANTED = SHAPED | NAMED


@pytest.mark.parametrize("text", PLANTED)
def test_what_was_planted_is_gone(text: str) -> None:
    assert PLANTED[text] not in REDACTOR.text(text)


@pytest.mark.parametrize(
    "text",
    [
        "lap 7 was a 1:51.937, lap 5 a 97.381, 0.43 s in turn_7",
        "session 20260502-101500-abcdef, job 20260502-101500-1a2b3c",
        "97.381 98.204 at 12:30:45, tokens: 2500, latency 0.123",
        "query_pitwall_db failed after 1.25 s at 127.0.0.1",
        "The model's server failed. (HTTP 503)",
        "brake 12 m later, 142.5 km/h; 3 of 10 laps; -0.4 s",
        "jo is the end of nothing, annual, antlers",
        "gemini-3.5-flash",
        "pitwall 0.1.0 and google-adk 2.13.0",
        "20261126-004119-363966 was over after midnight",
    ],
)
def test_figures_ids_and_plain_words_stay(text: str) -> None:
    assert REDACTOR.text(text) == text


def test_places_become_regions() -> None:
    assert REDACTOR.text("lat=38.1612 lon=-122.4549") == "lat=38.2 lon=-122.5"
    value = {"lat_deg": 38.161234, "lon": -122.454912, "g_lat": 1.2345678, "latency_s": 0.1234567}
    assert REDACTOR.value(value) == {
        "lat_deg": 38.2, "lon": -122.5, "g_lat": 1.2345678, "latency_s": 0.1234567,
    }  # fmt: skip
    assert REDACTOR.value([[38.161234, -122.454912], [1.5, 2.5]]) == [[38.2, -122.5], [1.5, 2.5]]


def test_a_value_under_the_name_of_a_secret_goes_whatever_it_is() -> None:
    value = {"api_key": "x", "token": "ab", "max_tokens": 2048, "keys": ["a"], "password": "", "turkey": "b"}
    assert REDACTOR.value(value) == {
        "api_key": "[secret]", "token": "[secret]", "max_tokens": 2048, "keys": ["a"], "password": "",
        "turkey": "b",
    }  # fmt: skip


def test_the_home_is_not_told() -> None:
    assert REDACTOR.text("/srv/box/pitwall/journals/a.pwj") == "[home]/journals/a.pwj"


def test_names_in_another_normal_form() -> None:
    assert "u" not in REDACTOR.text(unicodedata.normalize("NFD", "Müller"))


def test_without_anything_known_the_shapes_still_go() -> None:
    bare = Redactor()
    assert bare.text("Ann: AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY") == "Ann: [secret]"


AROUND = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=30)
BEFORE = st.sampled_from([" ", ", ", "\n", ": ", " (", ' "', "=", ":", "'", "<", "|", "*", ">", "; "])
AFTER = st.sampled_from([" ", ", ", "\n", ": ", ". ", ".", "!", "?", ")", '"', "'", ";", ":", "|", ">", "*"])
ONES = st.sampled_from(sorted(PLANTED))


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text with planted pieces, and what must not come out."""
    planted = draw(st.lists(ONES, min_size=1, max_size=3))
    parts = [draw(AROUND)]
    for each in planted:
        parts += [draw(BEFORE), each, draw(AFTER), draw(AROUND)]
    return "".join(parts), [PLANTED[each] for each in planted]


@st.composite
def values(draw: st.DrawFn) -> tuple[Any, list[str]]:
    """A JSON value with such texts in it: as values, keys, list items, and as JSON within a string."""
    text, gone = draw(texts())
    shape = draw(st.sampled_from(["plain", "value", "key", "list", "inner", "deep"]))
    value: Any = {
        "plain": text,
        "value": {"why": text, "took_s": 1.25},
        "key": {text: 1},
        "list": [1, text, None],
        "inner": json.dumps({"why": text}),
        "deep": {"a": [{"b": json.dumps([text], ensure_ascii=False)}]},
    }[shape]
    return value, gone


@pytest.mark.parametrize("between", [" ", "  ", ".=", "::", ".:", ": ", "='", ", "])
def test_no_two_secrets_side_by_side_hide_each_other(between: str) -> None:
    out = [
        (one, other, told)
        for one, other in itertools.product(PLANTED, repeat=2)
        for told in [REDACTOR.text(f" {one}{between}{other} ")]
        for piece in {PLANTED[one], PLANTED[other]}
        if piece in told and piece not in between
    ]
    assert out == []


@given(values())
@example((" 0170/1234567.0", ["1234567"]))
@example((" the password is hunter2.=07700 900123 ", ["hunter2", "900123"]))
@example((" +1 (555) 123-4567  555-123-4567 ", ["123-4567"]))
@example((" +1 (555) 123-4567 555 123 4567 ", ["123-4567", "123 4567"]))
@example((" API_KEY=hunter2.=+49 170 1234567 ", ["hunter2", "1234567"]))
def test_no_planted_secret_survives(made: tuple[Any, list[str]]) -> None:
    value, gone = made
    before = json.dumps(value, ensure_ascii=False)
    after = json.dumps(REDACTOR.value(value), ensure_ascii=False)
    # What the text around happens to hold too was not planted.
    around = before
    for text in sorted(PLANTED, key=len, reverse=True):
        around = around.replace(text, "").replace(json.dumps(text)[1:-1], "")
    for piece in gone:
        if piece not in around:
            assert piece not in after, f"{piece!r} of {before!r} came out: {after!r}"
