"""The facts of a store in this process, with the writes that the paddock's worker makes over its channel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pitwall.analysis.drive import load_drive
from pitwall.analysis.port import Facts
from pitwall.analysis.report import Report, make_report
from pitwall.analysis.tool_kit import Result
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.contract.scripts import ScriptAuthor
from pitwall.paddock.composed import Composed
from pitwall.paddock.roster import DUTIES
from pitwall.store.lessons import DriverEvent, Lesson, put_lessons, put_profile_events
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store
from pitwall.store.voice_scripts import save_script
from pitwall.track.model import Track

# The agents that answer without a model from a result of one tool.
COMPOSED = tuple(name for name, duty in DUTIES.items() if duty.answers_from)


@contextmanager
def opened(home: Home) -> Iterator[Store]:
    with Store(home) as store:
        store.open()
        yield store


class WritableStoreFacts(Facts):
    """The facts, and the writes beside them."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.store = store

    def save_script(
        self, track: Track, corner: str, script: Mapping[str, str], through: str, batch: str
    ) -> str:
        return save_script(self.store.home, track, corner, script, ScriptAuthor("model", through, batch))

    def put_events(
        self, session: str, events: Sequence[DriverEvent], closed_utc_s: float | None = None
    ) -> None:
        put_profile_events(self.store, session, events, closed_utc_s)

    def put_lessons(self, found: Sequence[Lesson]) -> None:
        put_lessons(self.store, found)


def all_tools(facts: WritableStoreFacts, tools: Tools | None = None) -> dict[str, Callable[..., Result]]:
    """The reading tools, and the one that saves a script."""

    def save(track: Track, corner: str, script: Mapping[str, str]) -> str:
        return facts.save_script(track, corner, script, "a question", "")

    return Composed(tools or Tools(facts), facts).toolbox(save)


def report_on(facts: Facts, session: SessionRow) -> Report:
    """Load and judge one session."""
    return make_report(load_drive(facts, session), facts)
