"""What a job is told of a wrong input: one sentence that names what is missing or wrong."""

from __future__ import annotations

from typing import Any

import pytest

from pitwall.contract.jobs import checked_input
from pitwall.contract.messages import JobKind


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("answer", {}, "an answer job needs: question"),
        ("voice_scripts", {"wish": "shorter"}, "a voice_scripts job needs: track"),
        ("brief", {"sesion": "last"}, "a brief job does not take: sesion; it takes: session, budget"),
        ("analysis", {"question": 7}, "an analysis job: question: Expected str, got int"),
        ("analysis", {"question": " "}, "an analysis job: question: Expected str matching regex "),
        ("debrief", {"budget": {"seconds": -1}}, "a debrief job: budget.seconds: Expected float >= 0.0"),
        ("debrief", ["last"], "the input of a debrief job must be an object with: session, budget"),
    ],
)
def test_a_wrong_input_is_named_in_a_sentence(kind: JobKind, given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^an? |^the input ") as refused:
        checked_input(kind, given)
    assert str(refused.value).startswith(said)
