"""Whether the paddock's model may be asked now: it is tried when somebody asks, and rests after a failure."""

from __future__ import annotations

import time

from pitwall.contract.events import Answer
from pitwall.contract.settings import NO_CONNECTION, NOT_SET, ModelSettings, endpoint_of, model_trouble
from pitwall.contract.status import ConnectivityStatus, PhoneReport
from pitwall.helpers.backoff import Backoff, Retry
from pitwall.telemetry.sources.base import is_loopback

# The phone helper reports more often.
REPORT_S = 120.0
# The rest doubles with each failure up to this.
MOST_REST_S = 300.0
# Silent for this share of an answer's time, a model counts as hung.
_SILENT_SHARE = 1 / 3
SILENT = "The model has not answered the question before yet."
RESTS = "The model failed a moment ago and is left alone for a while."


class ModelBreaker:
    """Whether the model may be asked, on one event loop. `rest_s`: after the first failure."""

    def __init__(self, model: ModelSettings, rest_s: float, answer_s: float) -> None:
        self.endpoint = (endpoint_of(model) or ("", 0))[0]
        self._needs_network = not is_loopback(self.endpoint)
        self._trouble = NOT_SET if model.kind == "none" else model_trouble(model)
        self._silent_s = answer_s * _SILENT_SHARE
        self._rests = Backoff(Retry(rest_s, max(rest_s, MOST_REST_S)))
        self._due_s = 0.0
        self._asked_s: dict[object, float] = {}
        self._phone: PhoneReport | None = None
        self._phone_s = 0.0

    def phone(self, report: PhoneReport) -> None:
        """Note what the phone helper says of the network."""
        if report.network is not None:
            self._phone, self._phone_s = report, time.monotonic()

    def asked(self, question: object) -> None:
        """Note that the model was asked this."""
        self._asked_s[question] = time.monotonic()

    def spoke(self, question: object) -> None:
        """Note that it began to answer, or the question is over."""
        self._asked_s.pop(question, None)

    def took(self, answer: Answer) -> None:
        """Note what an answer shows of the model."""
        if answer.tier == "paddock":
            self.answered()
        else:
            self.failed(answer.rest_s)

    def answered(self) -> None:
        """Note that it works."""
        self._rests.reset()
        self._due_s = 0.0

    def failed(self, rest_s: float) -> None:
        """Note that it failed and wants this rest; 0: it was not the model."""
        if rest_s > 0.0:
            self._due_s = time.monotonic() + max(self._rests.next_s(), rest_s)

    def why_not(self) -> str:
        """Return why the model is not asked now, if so."""
        if self._trouble:
            return self._trouble if self._trouble == NOT_SET else f"The model can't be used: {self._trouble}."
        if self._needs_network and self._network() in ("none", "captive"):
            return NO_CONNECTION
        now_s = time.monotonic()
        if now_s < self._due_s:
            return RESTS
        silent = any(now_s - asked_s > self._silent_s for asked_s in self._asked_s.values())
        return SILENT if silent else ""

    def may_run_jobs(self, metered: bool) -> bool:
        """Return whether jobs may ask the model; `metered`: on paid data too."""
        paid = self._needs_network and self._network() == "metered"
        return not self.why_not() and (metered or not paid)

    def may_push(self, metered: bool) -> bool:
        """Return whether sessions may go over the network; `metered`: on paid data too."""
        return self._network() in ("", "free", *(("metered",) if metered else ()))

    def status(self) -> ConnectivityStatus:
        """Return the state."""
        why, left_s = self.why_not(), self._due_s - time.monotonic()
        return ConnectivityStatus(
            state="ready" if not why else "resting" if why in (RESTS, SILENT) else "offline",
            why=why,
            endpoint=self.endpoint,
            rest_s=max(0.0, left_s),
        )

    def _network(self) -> str:
        """Return none, captive, metered or free; "" if no helper has said lately."""
        report = self._phone
        if report is None or time.monotonic() - self._phone_s > REPORT_S:
            return ""
        if report.network == "none" or report.captive:
            return "none" if report.network == "none" else "captive"
        paid = report.network == "mobile" if report.metered is None else report.metered
        return "metered" if paid else "free"
