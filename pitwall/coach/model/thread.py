"""The thread that runs the network, so that nothing of it is waited for: one question at a time, each with a
deadline. The clock is for the deadline alone: what is said goes by the data's time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from pitwall.coach.model.forecaster import Question
from pitwall.coach.model.network import ModelError, Network

# An answer that comes later is of no use: the next question is due soon after.
DEADLINE_S = 0.05
# Questions whose times are kept for /status.
TIMES_KEPT = 600

Answered = Callable[[Question, list[float] | None], None]


class NetworkThread:
    """`ask` never waits. `answered` is called on the thread, with None for what came too late.

    `trouble` says why there is no network, "" while there is one or it is not yet known.
    """

    def __init__(
        self,
        answered: Answered,
        open_network: Callable[[], Network] = Network,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        self.trouble = ""
        self.asked = self.late = 0
        self._answered, self._open, self._deadline_s = answered, open_network, deadline_s
        self._questions: SimpleQueue[tuple[Question, float] | None] = SimpleQueue()
        self._busy = False
        self._ready = threading.Event()
        self._times_s: list[float] = []
        self._thread = threading.Thread(target=self._work, name="forecasts", daemon=True)

    def start(self) -> None:
        """Open the network, on the thread."""
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Return whether the network is open, and can be asked."""
        return self._ready.is_set() and not self.trouble

    def wait_ready(self, seconds: float) -> bool:
        """Wait until the network is open or can't be; whether it can be asked."""
        return self._ready.wait(seconds) and not self.trouble

    def ask(self, question: Question) -> bool:
        """Hand over a question. False where the last one is not answered yet: this one is left out."""
        if not self.ready:
            return False
        self.asked += 1
        if self._busy:
            self.late += 1
            return False
        self._busy = True
        self._questions.put((question, time.perf_counter()))
        return True

    def p99_s(self) -> float | None:
        """Of the last answers, the time that one in a hundred took longer than; None before the first."""
        times = sorted(self._times_s)
        return times[int(0.99 * (len(times) - 1))] if times else None

    def stop(self) -> None:
        """End the thread once it has answered."""
        self._questions.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        try:
            network = self._open()
        except ModelError as error:
            self.trouble = str(error)
            return
        finally:
            self._ready.set()
        while (item := self._questions.get()) is not None:
            question, asked_s = item
            try:
                outputs = network.run(question.features)
            except (RuntimeError, ValueError) as error:
                self.trouble = f"the network failed: {error}"
                return
            took_s = time.perf_counter() - asked_s
            self._busy = False
            self._times_s.append(took_s)
            del self._times_s[:-TIMES_KEPT]
            in_time = took_s <= self._deadline_s
            self.late += not in_time
            self._answered(question, outputs if in_time else None)
