"""A session that still grows is read once for a question, however many tools look at it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.store.queries import Columns, SessionRow
from pitwall.store.store import Store


class Growing(Facts):
    """A car that stands in the paddock, its receiver still sending: one sample more at each look."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.more = self.read = 0

    def sessions(self) -> list[SessionRow]:
        self.more += 1
        return [msgspec.structs.replace(row, samples=row.samples + self.more) for row in super().sessions()]

    def columns(self, session: str) -> Iterator[Columns]:
        self.read += 1
        return super().columns(session)


@pytest.mark.long
def test_a_question_about_an_open_session_reads_it_once(clean: tuple[Store, SessionRow]) -> None:
    facts, session = Growing(clean[0]), clean[1]
    tools = Tools(facts)
    for asked in range(1, 3):
        about = tools.about(tools.session(session.id))
        results = [tool() for name, tool in about.table().items() if name in ("highlights", "race_pace")]
        assert [result["session"] for result in results] == [session.id] * 2
        assert facts.read == asked, "what came since the last question counts in this one"
