"""Each rule and each sign of a question, by an example that reads otherwise without it."""

from __future__ import annotations

import pytest
from labelled_questions import home_track

from pitwall.ask.corner_names import names_of
from pitwall.paddock.questions import settled
from pitwall.paddock.questions.reader import read
from pitwall.paddock.questions.signs import SIGNS


@pytest.mark.parametrize("rule", settled.RULES, ids=lambda rule: rule.example)
def test_a_rule_changes_its_example(rule: settled.WordRule, monkeypatch: pytest.MonkeyPatch) -> None:
    names = names_of(home_track())
    reading = read(rule.example, names)
    monkeypatch.setattr(settled, "RULES", [each for each in settled.RULES if each is not rule])
    assert read(rule.example, names) != reading


@pytest.mark.parametrize(("sign", "example", "_"), SIGNS)
def test_a_sign_stands_in_its_example(sign: str, example: str, _: object) -> None:
    assert sign in read(example, names_of(home_track())).left
