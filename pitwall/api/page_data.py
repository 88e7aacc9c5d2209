"""Handlers of what the page alone asks: a session and a track as it draws them, and a link to itself."""

from __future__ import annotations

from pitwall.analysis.session_view import SessionView, TrackView, track_view
from pitwall.api.call import ApiCall
from pitwall.api.guard import GUARD
from pitwall.api.page_session import LINK_S
from pitwall.api.reading import find_track
from pitwall.api.report_file import stored_view
from pitwall.api.types import PageLink


async def session(call: ApiCall) -> SessionView:
    """Read all of a session. Refused (409) while the car is driven: it would take its core."""
    call.only_standing("no session is read")
    return await call.read(lambda reader: stored_view(reader, call.path["session"]))


async def track(call: ApiCall) -> TrackView:
    return await call.read(
        lambda reader: track_view(find_track(reader.home, call.path["track"]), reader.home.words)
    )


async def link(call: ApiCall) -> PageLink:
    """A new link. The page itself may not ask for one: a cookie makes no other."""
    return PageLink(call.request.app[GUARD].pages.link(), LINK_S)
