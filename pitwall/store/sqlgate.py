"""Bounded SQL for agents and people: one SELECT, read only, 500 rows, two seconds.

A refusal is a value.
Every question runs in its own process (`sqlchild`), which reads the database file while another
writes it. DuckDB's own limits don't suffice: it ignores the interrupt while it plans, and its
memory limit doesn't cover everything. The process is killed, and the next one is started.
"""

from __future__ import annotations

import contextlib
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import msgspec

from pitwall.store.database import ReadDatabase
from pitwall.store.sqlanswer import TIME_LIMIT_S, TOO_MUCH, TOO_SLOW, Refusal, SqlAnswer, SqlFile, SqlText

# A busy phone starts a program slowly: after a pause that is not the question's time.
START_WITHIN_S = 10.0
# How often we look whether somebody still waits.
_LOOK_EVERY_S = 0.05
_LENGTH_BYTES = 4
BUSY = "the database was being rewritten meanwhile: ask again"
_STOPPED = "it was stopped: ask again"
_BUSY = "other questions take all the time: ask again"
STARTING = "the process for questions is being started again: ask again"
_NOT_OPENED = "the database can't be opened while another process writes it"
# After these the process is of no use.
_BROKEN = (Refusal(TOO_SLOW), Refusal(TOO_MUCH))


class _Stopped(Exception):
    """Nobody waits any more."""


class _Later(Exception):
    """No answer in time; the process is good."""


class SqlGate:
    """The questions to one database, one after the other, from any thread."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = self._closed = False

    def ask(
        self, database: ReadDatabase, sql: str, stopped: Callable[[], bool] = lambda: False
    ) -> SqlAnswer | Refusal:
        """Run one SELECT on what is committed; a mistake in it is a value."""

        def over() -> bool:
            return stopped() or self._closed

        end_s = time.monotonic() + TIME_LIMIT_S
        while not self._turn.acquire(timeout=_LOOK_EVERY_S):
            if over():
                return Refusal(_STOPPED)
            if time.monotonic() > end_s:
                return Refusal(_BUSY)
        spent = True
        try:
            answer = self._answer(database, sql, end_s, over)
            spent = answer in _BROKEN
            return answer
        except _Later as error:
            spent = False
            return Refusal(str(error))
        except _Stopped:
            return Refusal(_STOPPED)
        except OSError as error:
            return Refusal(f"it can't be asked now: {error}")
        finally:
            if spent:
                # The next question waits for that, not this one.
                threading.Thread(target=self._restart, name="sql", daemon=True).start()
            else:
                self._turn.release()

    def close(self) -> None:
        """Stop what runs; leave no process."""
        self._closed = True
        with self._turn:
            self._end()

    def _restart(self) -> None:
        """Kill the process and start the next; then its turn is over."""
        try:
            self._end()
            if not self._closed:
                with contextlib.suppress(OSError):
                    self._start()
        finally:
            self._turn.release()

    def _answer(
        self, database: ReadDatabase, sql: str, end_s: float, over: Callable[[], bool]
    ) -> SqlAnswer | Refusal:
        again_s = 0.0
        while True:
            rewrites, refused = self._open(database, end_s, over)
            if refused:
                return msgspec.msgpack.decode(refused, type=Refusal)
            again_s = again_s or time.monotonic() + TIME_LIMIT_S / 2
            try:
                answer = self._exchange(SqlText(sql), time.monotonic() + TIME_LIMIT_S, over)
            except TimeoutError:
                return Refusal(TOO_SLOW)
            except EOFError:
                # Where memory ends, some of DuckDB's code ends the process.
                return Refusal(TOO_MUCH)
            # What was read while the file was rewritten may be of two times.
            if database.rewrite_count == rewrites:
                return msgspec.msgpack.decode(answer, type=SqlAnswer | Refusal)
            if time.monotonic() > again_s:
                return Refusal(BUSY)

    def _open(self, database: ReadDatabase, end_s: float, over: Callable[[], bool]) -> tuple[int, bytes]:
        """Let a process open the database; return the rewrite count, and why not (b"": it can)."""
        file = SqlFile(str(database.path.parent), database.path.name)
        ended = False
        while True:
            try:
                self._made_ready(end_s, over)
                with database.no_rewrite(TIME_LIMIT_S) as rewrites:
                    return rewrites, self._exchange(file, time.monotonic() + START_WITHIN_S, over)
            except BlockingIOError:
                raise _Later(BUSY) from None
            except TimeoutError:
                raise OSError(_NOT_OPENED) from None
            except EOFError:
                # It may have ended by itself a moment ago, for nobody asked.
                self._end()
                if ended:
                    raise OSError(_NOT_OPENED) from None
                ended = True

    def _made_ready(self, end_s: float, over: Callable[[], bool]) -> None:
        if self._process is None:
            self._start()
            self._receive(time.monotonic() + START_WITHIN_S, over)
        elif not self._ready:
            try:
                self._receive(end_s, over)
            except TimeoutError:
                raise _Later(STARTING) from None
        self._ready = True

    def _start(self) -> None:
        from pitwall.helpers.child_process import start_program  # with asyncio, for who asks in SQL alone

        words = (sys.executable, "-m", "pitwall.store.sqlchild")
        self._process = start_program(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._ready = False

    def _end(self) -> None:
        if self._process is not None:
            from pitwall.helpers.child_process import end_program

            end_program(self._process, 0.0)
            self._process = None

    def _exchange(self, message: SqlFile | SqlText, end_s: float, over: Callable[[], bool]) -> bytes:
        assert self._process is not None
        assert self._process.stdin is not None
        body = msgspec.msgpack.encode(message)
        try:
            self._process.stdin.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)
        except BrokenPipeError:
            raise EOFError from None
        return self._receive(end_s, over)

    def _receive(self, end_s: float, over: Callable[[], bool]) -> bytes:
        size = int.from_bytes(self._read(_LENGTH_BYTES, end_s, over), "big")
        return self._read(size, end_s, over)

    def _read(self, count: int, end_s: float, over: Callable[[], bool]) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        answers, read = self._process.stdout, b""
        while len(read) < count:
            if over():
                raise _Stopped
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            if select.select([answers], [], [], min(left_s, _LOOK_EVERY_S))[0]:
                piece = answers.read(count - len(read))
                if not piece:
                    raise EOFError
                read += piece
        return read
