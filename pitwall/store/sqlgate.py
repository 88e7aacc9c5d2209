"""Bounded SQL for agents and people: one SELECT, read only, 500 rows, two seconds. A refusal is a value.

Every question runs in a process of its own (`sqlchild`), which reads the database file where it lies, beside
the process that writes it. What would have to be trusted of DuckDB is not: the interrupt isn't heard while it
plans, and its memory limit doesn't hold for all it does. The process is killed, and the next one is started.
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

from pitwall.contract.child_process import end_program, start_program
from pitwall.store.database import ReadDatabase
from pitwall.store.sqlanswer import TIME_LIMIT_S, TOO_MUCH, TOO_SLOW, Refusal, SqlAnswer, SqlFile, SqlText

# A phone that is busy starts a program slowly. The writer's folding waits for the opening, never longer.
START_WITHIN_S, OPEN_WITHIN_S = 10.0, 2.0
# So often whoever asked is asked whether they still wait.
_LOOK_EVERY_S = 0.05
_LENGTH_BYTES = 4
_BUSY = "the database was being written anew meanwhile: ask again"
_STOPPED = "it was stopped: ask again"
_NOT_OPENED = "the database can't be opened beside the one that writes it"
# After these the process is of no more use.
_BROKEN = (Refusal(TOO_SLOW), Refusal(TOO_MUCH))


class _Stopped(Exception):
    """Nobody waits for the answer any more."""


class SqlGate:
    """The questions to one database, one after the other, from any thread. `close` leaves no process."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = self._closed = False

    def ask(
        self, database: ReadDatabase, sql: str, stopped: Callable[[], bool] = lambda: False
    ) -> SqlAnswer | Refusal:
        """Run one SELECT on what is committed now. Never raises for what is wrong with the SQL. `stopped`:
        nobody waits for it any more."""

        def over() -> bool:
            return stopped() or self._closed

        while not self._turn.acquire(timeout=_LOOK_EVERY_S):
            if over():
                return Refusal(_STOPPED)
        try:
            answer = self._answer(database, sql, over)
            if answer in _BROKEN:
                self._begin_anew()
            return answer
        except (_Stopped, OSError) as error:
            self._begin_anew()
            told = f"it can't be asked now: {error}" if isinstance(error, OSError) else _STOPPED
            return Refusal(told)
        finally:
            self._turn.release()

    def close(self) -> None:
        """Stop what runs."""
        self._closed = True
        with self._turn:
            self._end()

    def _begin_anew(self) -> None:
        """Kill the process and start the next, which is ready when the next question comes."""
        self._end()
        if not self._closed:
            with contextlib.suppress(OSError):
                self._start()

    def _answer(self, database: ReadDatabase, sql: str, over: Callable[[], bool]) -> SqlAnswer | Refusal:
        end_s: float | None = None
        while True:
            folds, refused = self._open(database, over)
            if refused:
                return msgspec.msgpack.decode(refused, type=Refusal)
            end_s = end_s or time.monotonic() + TIME_LIMIT_S
            try:
                answer = self._exchange(SqlText(sql), end_s, over)
            except TimeoutError:
                return Refusal(TOO_SLOW)
            except EOFError:
                # Where memory ends, some of DuckDB's code ends the process.
                return Refusal(TOO_MUCH)
            # What was read while the file was written anew may be of two times.
            if database.folds == folds:
                return msgspec.msgpack.decode(answer, type=SqlAnswer | Refusal)
            if time.monotonic() > end_s - TIME_LIMIT_S / 2:
                return Refusal(_BUSY)

    def _open(self, database: ReadDatabase, over: Callable[[], bool]) -> tuple[int, bytes]:
        """Let a process open the database; how often it was folded by then, and why it can't be opened, b""
        where it can. OSError."""
        file = SqlFile(str(database.path.parent), database.path.name)
        for last in (False, True):
            try:
                self._wait_until_ready(over)
                with database.held_still() as folds:
                    return folds, self._exchange(file, time.monotonic() + OPEN_WITHIN_S, over)
            except (EOFError, TimeoutError):
                # It may have ended by itself a moment ago, for nobody asked.
                self._end()
                if last:
                    raise OSError(_NOT_OPENED) from None
        raise AssertionError

    def _wait_until_ready(self, over: Callable[[], bool]) -> None:
        if self._process is None:
            self._start()
        if not self._ready:
            self._receive(time.monotonic() + START_WITHIN_S, over)
            self._ready = True

    def _start(self) -> None:
        words = (sys.executable, "-m", "pitwall.store.sqlchild")
        self._process = start_program(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._ready = False

    def _end(self) -> None:
        if self._process is not None:
            end_program(self._process, 0.0)
            self._process = None

    def _exchange(self, message: SqlFile | SqlText, end_s: float, over: Callable[[], bool]) -> bytes:
        """Send a message and wait for what comes of it. EOFError, TimeoutError, _Stopped."""
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
        answers, taken = self._process.stdout, b""
        while len(taken) < count:
            if over():
                raise _Stopped
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            if select.select([answers], [], [], min(left_s, _LOOK_EVERY_S))[0]:
                piece = answers.read(count - len(taken))
                if not piece:
                    raise EOFError
                taken += piece
        return taken
