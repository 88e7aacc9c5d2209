"""View a session, for routes and commands: opportunities, profile, one HTML file."""

from __future__ import annotations

import functools
import gzip
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec

from pitwall.analysis.drive import load_drive
from pitwall.analysis.highlights import bests_of
from pitwall.analysis.lessons import lessons_for
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import DriverProfile, fold_events
from pitwall.analysis.report import make_report
from pitwall.analysis.session_view import (
    JudgedDrive,
    LapColumns,
    SessionView,
    first_laps,
    lap_columns,
    session_view,
    with_columns,
)
from pitwall.coach.cue import LedgerLine
from pitwall.contract.changes import Conditions
from pitwall.contract.problems import Refused
from pitwall.helpers.html import html_page, json_element, page_file
from pitwall.store import queries
from pitwall.store.kept import find_kept, keep, stamp_of
from pitwall.store.queries import Readable, SessionRow, real_ones, resolve_driven

if TYPE_CHECKING:
    from pitwall.api.call import ApiCall  # with aiohttp and asyncio, which commands do without
    from pitwall.store.readers import Reader


T = TypeVar("T")


class ColumnsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`laps`: numbers with commas between them."""

    laps: Annotated[str, msgspec.Meta(pattern=r"^\d{1,5}(,\d{1,5})*$", max_length=6000)]


class SignalQuery(ColumnsQuery, frozen=True, forbid_unknown_fields=True):
    """A signal by its name, in these laps."""

    name: Annotated[str, msgspec.Meta(max_length=200)]


class ProfileQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The driver of this session; nothing for all drives of this home."""

    session: Annotated[str, msgspec.Meta(max_length=128)] = ""


def opportunities(store: Readable, wanted: str) -> list[Opportunity]:
    """List where a session loses time lap after lap, the dearest first. UnknownSessionError."""
    row = queries.session(store, resolve_driven(store, wanted))
    facts = Facts(store)
    return list(make_report(load_drive(facts, row), facts).opportunities)


def profile(store: Readable, session: str = "") -> DriverProfile:
    """Return the profile of the driver of `session`, else of all; real drives outrank simulated."""
    row = queries.session(store, session) if session else None
    rows = [each for each in queries.sessions(store) if each.counts]
    rows = real_ones(rows) if row is None else [each for each in rows if each.simulated == row.simulated]
    vehicles = {each.id: each.vehicle for each in rows}
    events = [event for event in Facts(store).events("") if event.session in vehicles]
    return fold_events(events, None if row is None else row.driver, vehicles)


async def found_opportunities(call: ApiCall) -> list[Opportunity]:
    """List where a session loses time."""
    return await _standing(call, lambda reader: opportunities(reader, call.path["session"]))


async def driver_profile(call: ApiCall) -> DriverProfile:
    """Return a driver's profile."""
    query: ProfileQuery = call.query
    return await call.read(lambda reader: profile(reader, query.session))


async def columns(call: ApiCall) -> dict[int, LapColumns]:
    """Read laps by place."""
    query: ColumnsQuery = call.query
    wanted = {int(each) for each in query.laps.split(",") if each}

    def read(reader: Reader) -> dict[int, LapColumns]:
        return lap_columns(Facts(reader), queries.session(reader, call.path["session"]), wanted)

    return await _standing(call, read)


def shared_lap(store: Readable, wanted: str, number: int) -> bytes:
    """Encode a lap for a friend. Refused (404), UnknownSessionError, StoreError."""
    from pitwall.drive.reference import lap_to_share  # with the whole path, which few ask for

    row = queries.session(store, wanted)
    track = Facts(store).track(row.track) if row.track else None
    if track is None:
        raise Refused(404, f"session {row.id} is of no known track", "share the session instead")
    return lap_to_share(store, row.id, number, track)


async def lap_signals(call: ApiCall) -> dict[int, list[tuple[float, float]]]:
    """Read one signal in laps."""
    query: SignalQuery = call.query
    wanted = {int(each) for each in query.laps.split(",")}

    def read(reader: Reader) -> dict[int, list[tuple[float, float]]]:
        session = queries.resolve_session(reader, call.path["session"])
        laps = [lap for lap in queries.laps(reader, session) if lap.number in wanted]
        return {lap.number: queries.lap_signal(reader, session, lap, query.name) for lap in laps}

    return await _standing(call, read)


async def _standing(call: ApiCall, work: Callable[[Reader], T]) -> T:
    """Read all of a session. Refused (409) while the car is driven: it would need its core."""
    call.require_parked("nothing is judged")
    return await call.read(work)


PAGE = Path(__file__).with_name("page")
SCRIPTS = ("uPlot.js", "base.js", "charts.js", "session.js", "report.js")
STYLES = ("uPlot.css", "style.css")


# What a sentence may call another session; as `Store.new_id` makes them.
SESSION_ID = re.compile(rb"\b\d{8}-\d{6}-[0-9a-f]{6}\b")
# Where a car was, metres east and north.
PLACES = ("x", "y")
Share = Literal["", "named", "nameless"]


class ReportQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`share`: with no position outside the track ("named"), and without names and days
    ("nameless")."""

    share: Share = ""


def report_html(
    store: Readable, wanted: str, stands: Callable[[], bool] = lambda: True, share: Share = ""
) -> bytes:
    """Return the report; for an imported session also what the coach would have said."""
    session = queries.session(store, wanted)
    would: list[LedgerLine] = []
    if session.kind == "import":
        from pitwall.drive.replay import would_say  # with the voice, which nobody else needs here

        would = would_say(store, session.id, stands)
    view = _view(_packed(store, session, would, "report")) if would else stored_view(store, session)
    if would:
        coach = store.home.words.term("view", "coach would")
        view = msgspec.structs.replace(view, labels=view.labels | {"coach": coach})
    missing = {lap.lap for lap in view.laps if lap.seen and not lap.columns}
    view = with_columns(view, lap_columns(Facts(store), session, missing))
    return page_of(for_sharing(view, share) if share else view)


def for_sharing(view: SessionView, share: Share) -> SessionView:
    """Return the view without places off the track, lessons and notes."""
    laps = tuple(
        lap
        if view.track and (lap.flying or lap.marked)
        else msgspec.structs.replace(
            lap, columns={name: each for name, each in lap.columns.items() if name not in PLACES}
        )
        for lap in view.laps
    )
    debrief = functools.reduce(lambda text, each: text.replace(each.text, ""), view.stints, view.debrief)
    view = msgspec.structs.replace(
        view, laps=laps, lessons=(), conditions=Conditions(), noted="", stints=(), aim=None, debrief=debrief
    )
    if share == "named":
        return view
    view = msgspec.structs.replace(view, session="", id="", when="", start_utc_s=None, driver="", car="")
    return msgspec.json.decode(SESSION_ID.sub(b"another day", msgspec.json.encode(view)), type=SessionView)


def stored_view(store: Readable, session: SessionRow) -> SessionView:
    """View a stored session as a page draws it, with its first laps by place. StoreError."""
    return _view(packed_view(store, session))


def _view(packed: bytes) -> SessionView:
    return msgspec.json.decode(gzip.decompress(packed), type=SessionView)


def packed_view(store: Readable, session: SessionRow) -> bytes:
    """Return the view of a stored session as gzip of JSON. StoreError."""
    return _packed(store, session, queries.cues(store, session.id), "view")


def _packed(store: Readable, session: SessionRow, ledger: Sequence[LedgerLine], kind: str) -> bytes:
    stamp = _stamp_of_view(Facts(store), session, ledger)
    found = find_kept(store.home, session.id, kind, stamp)
    return keep_view(store, session, ledger, kind, stamp=stamp) if found is None else found


def keep_view(
    store: Readable,
    session: SessionRow,
    ledger: Sequence[LedgerLine],
    kind: str = "view",
    judged: JudgedDrive | None = None,
    stamp: str = "",
) -> bytes:
    """Make a view as gzip of JSON, and keep it where the session is over. StoreError."""
    facts = Facts(store)
    view = session_view(facts, session, ledger, judged)
    view = with_columns(view, lap_columns(facts, session, first_laps(view)))
    packed = gzip.compress(msgspec.json.encode(view), 1)
    if session.closed_utc_s is not None:
        stamp = stamp or _stamp_of_view(facts, session, ledger)
        keep(store.home, session.id, kind, stamp, packed)
    return packed


def _stamp_of_view(facts: Facts, session: SessionRow, ledger: Sequence[LedgerLine]) -> str:
    seen = (
        session, facts.laps(session.id), facts.corner_passes(session.id), ledger, facts.aim(session.track),
        bests_of(session, facts.sessions()), lessons_for(facts.lessons(), session),
        facts.track(session.track) if session.track else None,
    )  # fmt: skip
    return stamp_of((facts.words.units, msgspec.msgpack.encode(seen)))


def page_of(view: SessionView) -> bytes:
    """Return the view with all that draws it."""
    styles = [page_file(PAGE / name) for name in STYLES]
    scripts = [page_file(PAGE / name) for name in SCRIPTS]
    body = f"<main></main>{json_element('data', msgspec.json.encode(view))}"
    return html_page(view.title, body, styles, scripts)
