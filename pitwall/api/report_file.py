"""A session as one HTML file that needs nothing else: no network, no daemon, no other file."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path

import msgspec

from pitwall.analysis.session_view import SessionView, session_view
from pitwall.analysis.store_facts import StoreFacts
from pitwall.store import queries
from pitwall.store.reading import Readable

PAGE = Path(__file__).with_name("page")
SCRIPTS = ("uPlot.js", "base.js", "charts.js", "session.js", "report.js")
STYLES = ("uPlot.css", "style.css")


def report_html(store: Readable, wanted: str) -> bytes:
    """The report on a session by its name, its id, the beginning of it, or "last". UnknownSessionError,
    StoreError."""
    return page_of(stored_view(store, wanted), store.home.words.code)


def stored_view(store: Readable, wanted: str) -> SessionView:
    """A stored session as a page draws it. UnknownSessionError, StoreError."""
    session = queries.session(store, wanted)
    return session_view(StoreFacts(store), session, queries.cues(store, session.id))


def page_of(view: SessionView, language: str) -> bytes:
    """The view with all that draws it. Only these very scripts may run, and nothing may be fetched."""
    scripts = [(PAGE / name).read_text(encoding="utf-8") for name in SCRIPTS]
    styles = [(PAGE / name).read_text(encoding="utf-8") for name in STYLES]
    # A "</script>" in a name would end the element; in JSON the escape means the same.
    data = msgspec.json.encode(view).decode().replace("<", "\\u003c")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {' '.join(map(_hash, styles))}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    parts = [
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(view.title)}</title>",
        *(f"<style>{style}</style>" for style in styles),
        '</head><body><main></main><script type="application/json" id="data">',
        f"{data}</script>",
        *(f"<script>{script}</script>" for script in scripts),
        "</body></html>",
    ]
    return "".join(parts).encode()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
