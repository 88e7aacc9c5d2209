"""When the paddock's model may be asked: when somebody asks, but not after a failure or without a network."""

from __future__ import annotations

import pytest

from pitwall.contract.events import Answer, AnswerTier
from pitwall.contract.settings import NO_CONNECTION, ModelSettings
from pitwall.contract.status import PhoneReport
from pitwall.daemon.paddock import breaker as breaker_module
from pitwall.daemon.paddock.breaker import MOST_REST_S, REPORT_S, RESTS, SILENT, ModelBreaker

CLOUD = ModelSettings(kind="gemini", api_key="k")
HERE = ModelSettings(kind="openai", base_url="http://127.0.0.1:8080/v1")


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(breaker_module, "time", made)
    return made


def of(model: ModelSettings) -> ModelBreaker:
    return ModelBreaker(model, rest_s=10.0, answer_s=15.0)


def answer(tier: AnswerTier, rest_s: float = 0.0) -> Answer:
    return Answer(text="Yes.", emotion="calm", agent="A", tier=tier, verdict="PASSED", rest_s=rest_s)


def test_it_rests_after_each_failure_for_longer_and_as_long_as_the_server_says(clock: Clock) -> None:
    breaker = of(CLOUD)
    assert breaker.why_not() == ""
    for rest_s, wanted_s in (
        (1.0, 10.0),
        (1.0, 20.0),
        (90.0, 90.0),
        (1.0, 80.0),
        (1.0, 160.0),
        (1.0, MOST_REST_S),
    ):
        breaker.took(answer("rule", rest_s))
        clock.now_s += wanted_s - 0.1
        assert breaker.why_not() == RESTS
        clock.now_s += 0.2
        assert breaker.why_not() == "", "tried when asked"
    breaker.took(answer("paddock"))
    breaker.took(answer("rule", 1.0))
    assert breaker.status().rest_s == 10.0


def test_a_question_that_was_at_fault_is_no_reason_to_rest(clock: Clock) -> None:
    breaker = of(CLOUD)
    breaker.took(answer("rule"))
    assert breaker.status().state == "ready"


def test_others_do_not_wait_for_a_model_that_has_not_begun_to_speak(clock: Clock) -> None:
    breaker = of(CLOUD)
    breaker.asked("one")
    assert breaker.why_not() == ""
    clock.now_s += 5.1
    assert breaker.why_not() == SILENT
    breaker.spoke("one")
    assert breaker.why_not() == ""


@pytest.mark.parametrize(
    ("report", "asks", "jobs", "push"),
    [
        (PhoneReport(network="none"), False, False, False),
        (PhoneReport(network="wifi", captive=True), False, False, False),
        (PhoneReport(network="mobile"), True, False, False),
        (PhoneReport(network="mobile", metered=False), True, True, True),
        (PhoneReport(network="wifi", metered=True), True, False, False),
        (PhoneReport(network="wifi"), True, True, True),
        (PhoneReport(), True, True, True),
    ],
)
def test_the_phones_network_decides_while_its_report_is_fresh(
    clock: Clock, report: PhoneReport, asks: bool, jobs: bool, push: bool
) -> None:
    breaker = of(CLOUD)
    breaker.phone(report)
    assert breaker.why_not() == ("" if asks else NO_CONNECTION)
    assert (breaker.may_run_jobs(False), breaker.may_push(False)) == (jobs, push)
    assert breaker.may_run_jobs(True) == asks
    local = of(HERE)
    local.phone(report)
    assert local.why_not() == "", "a model on this machine needs no network"
    clock.now_s += REPORT_S + 1.0
    assert breaker.why_not() == ""


@pytest.mark.parametrize(
    "model", [ModelSettings(), ModelSettings(kind="gemini"), ModelSettings(kind="openai", base_url="box")]
)
def test_a_model_that_is_not_set_up_is_never_asked(model: ModelSettings) -> None:
    breaker = of(model)
    assert breaker.why_not() != ""
    assert not breaker.may_run_jobs(True)
    assert breaker.status().state == "offline"
