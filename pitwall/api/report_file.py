"""A session as one HTML file that needs nothing else: no network, no daemon, no other file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pitwall.analysis.session_view import SessionView, session_view
from pitwall.analysis.store_facts import StoreFacts
from pitwall.coach.cue import LedgerLine
from pitwall.contract.html import html_page, json_element
from pitwall.store import queries
from pitwall.store.queries import SessionRow
from pitwall.store.reading import Readable

PAGE = Path(__file__).with_name("page")
SCRIPTS = ("uPlot.js", "base.js", "charts.js", "session.js", "report.js")
STYLES = ("uPlot.css", "style.css")


def report_html(store: Readable, wanted: str, stands: Callable[[], bool] = lambda: True) -> bytes:
    """The report on a session by its name, its id, the beginning of it, or "last". Of an imported session it
    holds what the coach would have said, which takes seconds: only while the car `stands`.
    UnknownSessionError, StoreError."""
    session = queries.session(store, wanted)
    would: list[LedgerLine] = []
    if session.kind == "import":
        from pitwall.drive.replay import would_say  # with the voice, which nobody else needs here

        would = would_say(store, session.id, stands)
    view = _view(store, session, would) if would else stored_view(store, wanted)
    if would:
        coach = store.home.words.term("view", "coach would")
        view = msgspec.structs.replace(view, labels=view.labels | {"coach": coach})
    return page_of(view, store.home.words.code)


def stored_view(store: Readable, wanted: str) -> SessionView:
    """A stored session as a page draws it. UnknownSessionError, StoreError."""
    session = queries.session(store, wanted)
    return _view(store, session, queries.cues(store, session.id))


def _view(store: Readable, session: SessionRow, ledger: Sequence[LedgerLine]) -> SessionView:
    return session_view(StoreFacts(store), session, ledger)


def page_of(view: SessionView, language: str) -> bytes:
    """The view with all that draws it."""
    styles = [(PAGE / name).read_text(encoding="utf-8") for name in STYLES]
    scripts = [(PAGE / name).read_text(encoding="utf-8") for name in SCRIPTS]
    body = f"<main></main>{json_element('data', msgspec.json.encode(view))}"
    return html_page(view.title, language, body, styles, scripts)
