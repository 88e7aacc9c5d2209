"""A HTML file that needs nothing else: no network, no daemon, no other file."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

# Comments that fill lines of their own, and indentation: a browser needs neither.
_SPARE = re.compile(r"(?m)^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)\n|^[ \t]+")


def page_file(path: Path) -> str:
    """Read a script or a style sheet as a browser gets it; another's with its licence. OSError."""
    text = path.read_text(encoding="utf-8")
    return text if "Copyright" in text else _SPARE.sub("", text)


def html_page(
    title: str, body: str, styles: Sequence[str], scripts: Sequence[str] = (), *, connect: str = ""
) -> bytes:
    """Return a page with this body, styles and scripts; it may fetch from `connect` alone."""
    sources = {"script-src": scripts, "style-src": styles}
    allowed = [f"{name} {' '.join(map(_hash, each))}" for name, each in sources.items() if each]
    policy = "; ".join(("default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"))
    policy += f"; connect-src {connect}" if connect else ""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        *(f"<style>{style}</style>" for style in styles),
        f"</head><body>{body}",
        *(f"<script>{script}</script>" for script in scripts),
        "</body></html>",
    ]
    return "".join(parts).encode()


def json_element(name: str, encoded: bytes) -> str:
    """JSON for a page's scripts; escaped, since a "</script>" in a word would end the element."""
    plain = encoded.decode().replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{plain}</script>'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
