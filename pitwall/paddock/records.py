"""The stored records as jobs and tools use them, over the channel to the daemon; the tool that saves one."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar

import _duckdb as duckdb
import msgspec

from pitwall.analysis.lessons import changed_lessons
from pitwall.analysis.port import Facts, scripts_in, track_in
from pitwall.analysis.report import profile_events
from pitwall.analysis.tool_kit import Result, ToolKit, ToolRefused, tool
from pitwall.analysis.tools import Tools
from pitwall.coach.cue import LedgerLine
from pitwall.coach.scripts import OWN, check_script, keep_own, with_changes
from pitwall.config import Home
from pitwall.contract.messages import Call, CallFailed, FramesPage, JobState, Reply
from pitwall.paddock.composed import Composed
from pitwall.paddock.runs import AgentEvent
from pitwall.store.errors import StoreError
from pitwall.store.lessons import DriverEvent, Lesson
from pitwall.store.queries import (
    MEASURED_COLUMNS,
    TRACE_COLUMNS,
    Columns,
    SessionRow,
    SignalRange,
    placed_frame,
)
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Corner, Track
from pitwall.words.language import Language


class Records(Facts, Protocol):
    """The facts, and the writes. Each write is durable when it returns. StoreError."""

    def save_script(
        self, track: Track, corner: str, script: Mapping[str, str], through: str, batch: str
    ) -> str:
        """Write a checked voice script, whole or not at all; its path. OSError. `through` tells what it came
        of; what is of one `batch` is taken back together."""
        ...

    def put_events(
        self, session: str, events: Sequence[DriverEvent], closed_utc_s: float | None = None
    ) -> None:
        """Replace the session's events of the kinds "profile.*" by these; with `closed_utc_s` only where it
        was not closed again since."""
        ...

    def put_lessons(self, found: Sequence[Lesson]) -> None:
        """Write these lessons, each over its older version."""
        ...


def profile_session(records: Records, session: str) -> None:
    """Replace the session's driver events and judge all lessons anew. Doing it twice changes nothing.

    `session`: an id, or "last". ToolRefused: there is no such session. StoreError.
    """
    row = ToolKit(records).session(session)
    # One that is open is being measured, and is judged when it is closed: now half its laps would be all.
    if row.closed_utc_s is not None:
        records.put_events(row.id, profile_events(records, row), row.closed_utc_s)
    changed = changed_lessons(records)
    if changed:
        records.put_lessons(changed)


_FETCH_ROWS = 2_000
# Reading one page of frames; the worker may use more than the daemon, a phone has not much more.
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {"threads": 1, "memory_limit": "96MB"}
_GONE = "the daemon has gone"

T = TypeVar("T")


class Calls:
    """Calls to the daemon on their way. Lives on the worker's event loop; `wait_for` is for its threads."""

    def __init__(self, send: Callable[[Call], Any]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._closed = False

    async def call(self, name: str, *arguments: Any) -> bytes:
        """Ask, and wait for the reply. StoreError, OSError."""
        if self._closed:
            raise StoreError(_GONE)
        number = next(self._numbers)
        future: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[number] = future
        try:
            await self._send(Call(number, name, msgspec.msgpack.encode(arguments)))
            return await future
        finally:
            del self._waiting[number]

    def wait_for(self, name: str, *arguments: Any) -> bytes:
        """The same from a thread, which it holds up."""
        return asyncio.run_coroutine_threadsafe(self.call(name, *arguments), self._loop).result()

    def take(self, reply: Reply | CallFailed) -> None:
        """Hand a reply to the call that waits for it, if it still does."""
        future = self._waiting.get(reply.call)
        if future is None or future.done():
            return
        if isinstance(reply, Reply):
            future.set_result(reply.body)
        elif reply.kind == "os":
            future.set_exception(OSError(reply.text))
        else:
            future.set_exception(StoreError(reply.text))

    def close(self) -> None:
        """No reply will come any more."""
        self._closed = True
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(StoreError(_GONE))


class RemoteFacts:
    """`pitwall.analysis.port.Facts` over the channel, for threads. Files of the home are read here."""

    def __init__(self, calls: Calls, home: Home) -> None:
        self._calls, self._home = calls, home

    def sessions(self) -> list[SessionRow]:
        return self._ask(list[SessionRow], "sessions")

    def laps(self, session: str) -> list[Lap]:
        return self._ask(list[Lap], "laps", session)

    def corner_passes(self, session: str) -> list[CornerPass]:
        return self._ask(list[CornerPass], "corner_passes", session)

    def frames(self, session: str) -> Iterator[tuple[Frame, Position | None]]:
        for rows in self._pages(session, TRACE_COLUMNS):
            yield from map(placed_frame, rows)

    def columns(self, session: str) -> Iterator[Columns]:
        for rows in self._pages(session, MEASURED_COLUMNS):
            yield dict(zip(MEASURED_COLUMNS, zip(*rows, strict=True), strict=True))

    def _pages(self, session: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        page = FramesPage("", None)
        while (page := self._ask(FramesPage, "frames", session, page.next_t)).file:
            yield from _read_page(Path(page.file), columns)

    def events(self, session: str) -> list[DriverEvent]:
        return self._ask(list[DriverEvent], "events", session)

    def signal_ranges(self, session: str, words: Sequence[str]) -> list[SignalRange]:
        return self._ask(list[SignalRange], "signal_ranges", session, list(words))

    def cues(self, session: str) -> list[LedgerLine]:
        return self._ask(list[LedgerLine], "cues", session)

    def track(self, track_id: str) -> Track | None:
        return track_in(self._home, track_id)

    @property
    def words(self) -> Language:
        return self._home.words

    def scripts(self, track: Track) -> dict[str, dict[str, str]]:
        return scripts_in(self._home, track)

    def sql(self, sql: str) -> SqlAnswer | Refusal:
        # mypy has no way to say that a union is a type to decode.
        found: SqlAnswer | Refusal = msgspec.msgpack.decode(
            self._calls.wait_for("sql", sql), type=SqlAnswer | Refusal
        )
        return found

    def save_script(
        self, track: Track, corner: str, script: Mapping[str, str], through: str, batch: str
    ) -> str:
        return self._ask(str, "save_script", track.id, corner, dict(script), through, batch)

    def put_events(
        self, session: str, events: Sequence[DriverEvent], closed_utc_s: float | None = None
    ) -> None:
        self._calls.wait_for("put_events", session, list(events), closed_utc_s)

    def lessons(self) -> list[Lesson]:
        return self._ask(list[Lesson], "lessons")

    def put_lessons(self, found: Sequence[Lesson]) -> None:
        self._calls.wait_for("put_lessons", list(found))

    def put_trail(self, rows: Sequence[AgentEvent]) -> None:
        """Keep an answer's audit trail. StoreError."""
        self._calls.wait_for("trail", [msgspec.structs.astuple(row) for row in rows])

    def _ask(self, kind: type[T], name: str, *arguments: Any) -> T:
        return msgspec.msgpack.decode(self._calls.wait_for(name, *arguments), type=kind)


class RemoteJob:
    """`controller.resources.JobPort` of one job over the channel."""

    def __init__(self, calls: Calls, job: str) -> None:
        self._calls, self._job = calls, job

    async def checkpoint(self, text: str) -> None:
        await self._calls.call("job.checkpoint", self._job, text)

    async def finish(self, state: JobState, result: str) -> None:
        await self._calls.call("job.finish", self._job, state, result)

    async def audit(self, row: AgentEvent) -> None:
        await self._calls.call("trail", [msgspec.structs.astuple(row)])


def _read_page(path: Path, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of these columns of one page, whose file is taken away. StoreError."""
    try:
        with closing(duckdb.connect(":memory:", config=_SETTINGS)) as con:
            con.execute(f"SELECT {', '.join(columns)} FROM read_parquet(?)", [str(path)])  # noqa: S608
            while rows := con.fetchmany(_FETCH_ROWS):
                yield rows
    except duckdb.Error as error:
        raise StoreError(f"what the daemon handed over can't be read: {error}") from error
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


class VoiceScriptTool:
    """Adds `save_voice_scripts` to the reading tools. Any thread may call it. Changes wait for each other."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._lock = Lock()

    def with_tools(self, tools: Tools) -> dict[str, Callable[..., Result]]:
        """The tools of `tools` and `save_voice_scripts`, by name."""

        @tool
        def save_voice_scripts(corner_name: str, phrases: dict[str, str], track: str = "") -> Result:
            """Changes what is spoken in the car at one corner: the phrases that are given; others stay as
            they are. It is checked first, and rendered before the next run.

            Args:
                corner_name: an id, name, number or nickname of a corner.
                phrases: phase (approach, brake, turn_in, apex, exit, or one of these with _short) -> phrase.
                    A piece of advice (brake_later, throttle_sooner and the like) is a key too.
                track: a track id; empty means the track of the last session.
            """
            place = tools.kit.track(str(track or "").strip() or tools.session().track)
            with self._lock:
                return self._save(place, tools.kit.corner(place, corner_name), phrases)

        return {**Composed(tools, self._records).toolbox(), "save_voice_scripts": save_voice_scripts}

    def _save(self, track: Track, corner: Corner, phrases: Any) -> Result:
        present = self._records.scripts(track).get(corner.id, {})
        if isinstance(phrases, dict) and OWN in phrases:
            raise ToolRefused("only the driver can confirm own words", "save a phrase that can be said")
        script, left_out = with_changes(present, phrases)
        script = keep_own(present, script) if isinstance(script, dict) else script
        problems = check_script(corner.id, script, track, self._records.words)
        if problems:
            raise ToolRefused(
                "; ".join(problems),
                "nothing was written: save what is named as the nearest, or another that can be said",
            )
        try:
            path = self._records.save_script(track, corner.id, script, "a question", "")
        except OSError as error:
            raise ToolRefused(
                f"the script can't be written: {error.strerror or error}", "make room and save again"
            ) from None
        return {
            "saved": True,
            "path": path,
            "track": track.id,
            "corner": corner.id,
            "phrases": script,
            "changed": {key: script[key] for key in phrases if key in script},
            "left_out": left_out,
        }
