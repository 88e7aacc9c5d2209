"""What the doctor says of the paddock: a model that can't be asked, an endpoint that is away, a lost file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.contract.status import Check
from pitwall.doctor import looked_at, table
from pitwall.settings import Settings

PADDOCK = ("paddock model", "paddock endpoint")
NOWHERE = "http://127.0.0.1:9/v1"


def checks(**model: str) -> dict[str, Check]:
    settings = PaddockSettings(model=ModelSettings(**model))  # type: ignore[arg-type]
    found = [
        check
        for row in table(Settings(paddock=settings))
        if row.name in PADDOCK
        for check in looked_at(row, Home(Path()), Settings(paddock=settings))
    ]
    assert len({check.name for check in found}) == len(found)
    assert all(check.mend for check in found if check.verdict != "good")
    assert all(check.verdict != "missing" for check in found), "the daemon runs without"
    return {check.name: check for check in found}


def test_no_model_is_a_note_that_says_what_is_done_without() -> None:
    found = checks()
    assert list(found) == ["paddock model"]
    assert "composed sentences" in found["paddock model"].found


@pytest.mark.parametrize(
    ("model", "what"),
    [
        ({"kind": "gemini", "base_url": NOWHERE}, "needs api_key"),
        ({"kind": "gemini", "project": "p", "base_url": NOWHERE}, "needs a location"),
        ({"kind": "openai"}, "needs base_url"),
    ],
)
def test_a_model_that_lacks_something_is_told_what(model: dict[str, str], what: str) -> None:
    assert what in checks(**model)["paddock model"].found


def test_an_endpoint_that_is_away_is_a_note() -> None:
    found = checks(kind="openai", name="small", base_url=NOWHERE)["paddock endpoint"]
    assert found.verdict == "note"
    assert "does not answer" in found.found
