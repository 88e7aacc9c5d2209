"""An answer as one HTML file that needs nothing else: no network, no script."""

from __future__ import annotations

import base64
import hashlib
from html import escape

from pitwall.config import PACKAGE
from pitwall.fleet.told import FleetTable, FleetView

# The report's own style, and the bars of a table.
STYLE = PACKAGE / "api" / "page" / "style.css"
_BARS = """
.fleet td, .fleet th { padding: .3em .7em; text-align: left; white-space: nowrap; }
.fleet .wide { overflow-x: auto; }
.fleet svg { display: block; fill: currentColor; opacity: .55; }
"""


def fleet_page(view: FleetView, language: str) -> bytes:
    """The answer with all that shows it. Nothing may run, and nothing may be fetched."""
    styles = [STYLE.read_text(encoding="utf-8"), _BARS]
    policy = (
        f"default-src 'none'; style-src {' '.join(map(_hash, styles))}; base-uri 'none'; form-action 'none'"
    )
    parts = [
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(view.title)}</title>",
        *(f"<style>{style}</style>" for style in styles),
        f'</head><body><main class="fleet"><h1>{escape(view.title)}</h1>',
        *(f"<p>{escape(line)}</p>" for line in view.lines),
        *map(_table, view.tables),
        "</main></body></html>",
    ]
    return "".join(parts).encode()


def _table(table: FleetTable) -> str:
    bars = bool(table.bars) and max(table.bars) > 0.0
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in table.head) + (
        "<th></th>" if bars else ""
    )
    rows = [
        "<tr>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + (_bar(table.bars[i] / max(table.bars)) if bars else "")
        + "</tr>"
        for i, row in enumerate(table.rows)
    ]
    return (
        f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _bar(share: float) -> str:
    width = max(round(120.0 * share), 1)
    return (
        f'<td><svg width="120" height="10" aria-hidden="true"><rect width="{width}" height="10"/></svg></td>'
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
