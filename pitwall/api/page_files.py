"""Serve the page: its files, its first HTML, and the link that lets a browser in."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
from aiohttp import web

from pitwall import __version__
from pitwall.analysis.session_view import TrackView, track_view
from pitwall.api.answers import PageLink, find_track
from pitwall.api.call import PORT, ApiCall
from pitwall.api.guard import COOKIE_S, GUARD, LINK_S, cookie_name
from pitwall.api.judged import packed_view
from pitwall.helpers.html import json_element, page_file
from pitwall.store import queries
from pitwall.store.readers import Reader
from pitwall.words.language import Language
from pitwall.words.units import Measure

PAGE = Path(__file__).with_name("page")
# In this order: each stands on those before it. The report (`report_file`) has the first ones too.
SCRIPTS = (
    "uPlot.js", "base.js", "charts.js", "session.js", "daemon.js", "drive.js", "gpmf.js", "video.js",
    "gallery.js", "laps.js", "coach.js", "paddock.js", "pits.js",
    "system.js", "page.js",
)  # fmt: skip
STYLES = ("uPlot.css", "style.css", "page.css")
KINDS = {
    ".json": "application/manifest+json",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
ICON = "icon.svg"
# What makes the page one that a phone installs, and that opens without the daemon.
MANIFEST, WORKER = "manifest.json", "sw.js"
# Nothing runs and nothing is loaded but these files; nothing is sent but to where they come from.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "media-src blob:",  # a film that the driver picked: it stays in the browser
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class PageWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words that a page needs; `note`: shown first to a browser that was not let in."""

    labels: dict[str, str]
    view: dict[str, str]
    measures: dict[str, Measure]
    figures: dict[str, str]
    calls: dict[str, str]
    habits: dict[str, str]
    commands: dict[str, str]
    version: str
    note: str = ""


def add_page(app: web.Application) -> None:
    """`/`, `/page/FILE` and `/enter/CODE`."""
    names = (*SCRIPTS, *STYLES, ICON, MANIFEST, WORKER)
    files = {name: page_file(PAGE / name).encode() for name in names}

    async def first(request: web.Request) -> web.Response:
        return _shell(request, 200)

    async def file(request: web.Request) -> web.Response:
        name = request.match_info["file"]
        if name not in files:
            raise web.HTTPNotFound
        kind = KINDS[Path(name).suffix]
        headers = {**HEADERS, "Service-Worker-Allowed": "/"} if name == WORKER else HEADERS
        return web.Response(body=files[name], content_type=kind, charset="utf-8", headers=headers)

    async def enter(request: web.Request) -> web.Response:
        cookie = request.app[GUARD].pages.enter(request.match_info["code"])
        if cookie is None:
            return _shell(request, 403, "old link")
        response = web.Response(status=303, headers={**HEADERS, "Location": "/"})
        response.set_cookie(
            cookie_name(request.headers["Host"]), cookie, max_age=COOKIE_S, httponly=True, samesite="Strict"
        )
        return response

    app.router.add_route("GET", "/", first)
    app.router.add_route("GET", "/page/{file}", file)
    app.router.add_route("GET", "/enter/{code}", enter)


def page_words(words: Language, note: str = "") -> PageWords:
    """Return what the page says, in the units of the home."""
    from pitwall.ask.measures import MEASURES  # with the figures of a session: when a page is opened

    units = ("m/s", "m", "km", "bar", "degC")
    return PageWords(
        labels=words.terms("page"),
        view=words.terms("view"),
        measures={unit: words.figures.measure(unit) for unit in units},
        figures={name: words.term("measure", name) for name in MEASURES},
        calls=words.terms("calls"),
        habits=words.terms("habit"),
        commands=words.terms("page commands"),
        version=__version__,
        note=note,
    )


def _shell(request: web.Request, status: int, note: str = "") -> web.Response:
    words = request.app[PORT].home.words
    words_json = json_element("words", msgspec.json.encode(page_words(words, note)))
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">',
        '<meta name="color-scheme" content="light dark">',
        "<title>Pitwall</title>",
        f'<link rel="icon" type="image/svg+xml" href="/page/{ICON}">',
        f'<link rel="manifest" href="/page/{MANIFEST}">',
        *(f'<link rel="stylesheet" href="/page/{name}">' for name in STYLES),
        *(f'<script defer src="/page/{name}"></script>' for name in SCRIPTS),
        f'</head><body class="page">{words_json}</body></html>',
    ]
    return web.Response(
        text="".join(parts), status=status, content_type="text/html", charset="utf-8", headers=HEADERS
    )


async def session(call: ApiCall) -> web.Response:
    """Read all of a session. Refused (409) while the car is driven: it would take its core."""
    call.require_parked("no session is read")
    packs = "gzip" in call.request.headers.get("Accept-Encoding", "")

    def read(reader: Reader) -> bytes:
        packed = packed_view(reader, queries.session(reader, call.path["session"]))
        return packed if packs else gzip.decompress(packed)

    headers = {"Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if packs else {})
    return web.Response(body=await call.read(read), content_type="application/json", headers=headers)


async def track(call: ApiCall) -> TrackView:
    return await call.read(
        lambda reader: track_view(find_track(reader.home, call.path["track"]), reader.home.words)
    )


async def link(call: ApiCall) -> PageLink:
    """A new link. The page itself may not ask for one: a cookie makes no other."""
    return PageLink(call.request.app[GUARD].pages.link(), LINK_S)
