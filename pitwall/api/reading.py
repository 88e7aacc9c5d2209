"""Handle requests that only read: sessions, lessons, tracks."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from aiohttp import web

from pitwall import __version__
from pitwall.api import answers
from pitwall.api.answers import LapTrace, SqlQuestion, TrackRow, find_track, lap_row
from pitwall.api.call import JSON, ApiCall
from pitwall.api.exchange import FileFormat, make_file
from pitwall.api.summary import status_page
from pitwall.contract.problems import Refused
from pitwall.contract.status import Check, Health
from pitwall.store import queries
from pitwall.store.lessons import Lesson
from pitwall.store.queries import TRACE_COLUMNS, Readable
from pitwall.store.readers import Reader
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.track.lap import Lap
from pitwall.track.model import Track

PIECE_BYTES = 1 << 20
BYTES = "application/octet-stream"


class ExportQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which format."""

    format: FileFormat


async def doctor(call: ApiCall) -> list[Check]:
    """Run all checks of the doctor. Refused (409) while the car is driven."""
    call.require_parked("nothing is looked at")
    return list(await asyncio.to_thread(call.port.look))


async def health(call: ApiCall) -> Health:
    """Answer that the daemon runs."""
    return Health(True, "pitwall", __version__)


async def status(call: ApiCall) -> dict[str, Any]:
    """Return the daemon's status on one page, and the requested parts."""
    return status_page(call.port.status(), call.query, call.port.home.words)


async def lap_trace(call: ApiCall) -> web.Response:
    """Return the frames of a lap as JSON."""
    wanted, number = call.path["session"], int(call.path["lap"])
    content = await call.read(lambda reader: trace_json(reader, wanted, number, reader.check))
    return web.Response(body=content, content_type=JSON)


async def lap_reference(call: ApiCall) -> web.Response:
    """Send a lap for a friend to be compared with. Refused (409) while the car is driven."""
    from pitwall.api.judged import shared_lap  # few ask, and it brings all that analyses a session

    call.require_parked("no lap is shared")
    number = int(call.path["lap"])
    made = await call.read(lambda reader: shared_lap(reader, call.path["session"], number))
    return web.Response(body=made, content_type=BYTES)


async def report(call: ApiCall) -> web.Response:
    """Read all of a session. Refused (409) while the car is driven: it would need its core."""
    call.require_parked("no report is made")

    def made(reader: Reader) -> bytes:
        from pitwall.api.judged import report_html  # few ask, and it brings all that analyses a session

        return report_html(reader, call.path["session"], call.port.coach.stands, call.query.share)

    content = await call.read(made)
    return web.Response(body=content, content_type="text/html", charset="utf-8")


async def demo(call: ApiCall) -> web.StreamResponse:
    """Send the demo as a recording, for a home that has none."""

    def made(reader: Reader) -> Path:
        from pitwall.simulator.demo import write_demo  # once in a home's life

        path = reader.home.root / "incoming" / f"{secrets.token_hex(8)}.vbo"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        write_demo(path)
        return path

    return await _sent(call, made, BYTES)


async def export(call: ApiCall) -> web.StreamResponse:
    """Send a session as a file of another program."""
    query: ExportQuery = call.query
    return await _sent(call, lambda reader: make_file(reader, call.path["session"], query.format), BYTES)


async def _sent(call: ApiCall, make: Callable[[Reader], Path], media: str) -> web.StreamResponse:
    """Make a file and send it in pieces. Refused (409) while the car is driven."""
    call.require_parked("nothing is exported")
    made = await call.read(make)
    with made.open("rb") as file:
        made.unlink()  # the file goes when it is closed, however this ends
        response = web.StreamResponse(headers={"Content-Type": media})
        response.content_length = os.fstat(file.fileno()).st_size
        await response.prepare(call.request)
        while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
            await response.write(piece)
    return response


async def tracks(call: ApiCall) -> list[TrackRow]:
    """List the known tracks."""
    return await call.read(lambda reader: answers.tracks(reader.home)[0])


async def track(call: ApiCall) -> Track:
    """Return a known track."""
    return await call.read(lambda reader: find_track(reader.home, call.path["track"]))


async def sql(call: ApiCall) -> SqlAnswer | Refusal:
    """Run SQL. A refusal is a value: a model can read it and ask better."""
    question: SqlQuestion = call.body
    return await call.ask(question.sql)


# A quarter of an hour at 50 Hz; a drive on the road is one endless lap, and memory is small.
MOST_ROWS = 45_000
_CHECK_EVERY = 1_000
# What is encoded in some tenths of a millisecond.
_PIECE_ROWS = 100

Row = tuple[Any, ...]


def trace_json(store: Readable, wanted: str, number: int, check: Callable[[], None] = lambda: None) -> bytes:
    """Encode a `LapTrace` in pieces, in a thread; `check` may raise. Refused: 404, 409."""
    session, lap = _find(store, wanted, number)
    whole = msgspec.json.encode(LapTrace(session, lap_row(lap), TRACE_COLUMNS, []))
    pieces: list[bytes] = []
    waiting: list[Row] = []
    for row in _rows(store, session, lap, check):
        waiting.append(row)
        if len(waiting) == _PIECE_ROWS:
            pieces.append(msgspec.json.encode(waiting)[1:-1])
            waiting.clear()
    if waiting:
        pieces.append(msgspec.json.encode(waiting)[1:-1])
    return whole.removesuffix(b"]}") + b",".join(pieces) + b"]}"


def _find(store: Readable, wanted: str, number: int) -> tuple[str, Lap]:
    session = queries.resolve_session(store, wanted)
    found = queries.laps(store, session)
    for lap in found:
        if lap.number == number:
            return session, lap
    have = f"{found[0].number} to {found[-1].number}" if found else "none"
    raise Refused(404, f"session {session} has no lap {number}; its laps: {have}", "ask for one of them")


def _rows(store: Readable, session: str, lap: Lap, check: Callable[[], None]) -> Iterator[Row]:
    for number, (frame, position) in enumerate(queries.lap_trace(store, session, lap)):
        if number % _CHECK_EVERY == 0:
            check()
        if number == MOST_ROWS:
            raise _too_long(lap)
        place = (
            (None, None, None)
            if position is None
            else (position.distance_m, position.offset_m, position.status)
        )
        yield (*msgspec.structs.astuple(frame), *place)


def _too_long(lap: Lap) -> Refused:
    what = f"lap {lap.number} has more than {MOST_ROWS} frames"
    return Refused(409, what, "ask for a part of it with POST /sql")


# Each may need twelve bytes of an address, whose line has room for 8 kB.
MOST_WORD_CHARS = 300
JSON_LINES = "application/x-ndjson"


class LessonsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`words` to search for; `retired` lists those too that no longer hold."""

    words: Annotated[str, msgspec.Meta(max_length=MOST_WORD_CHARS)] = ""
    retired: bool = False


async def lessons(call: ApiCall) -> list[Lesson]:
    """List or search the lessons."""
    query: LessonsQuery = call.query
    return await call.read(lambda reader: answers.lessons(reader, query.words, retired=query.retired))
