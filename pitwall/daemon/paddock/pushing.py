"""The owner of the process that pushes sessions into a lake: a job like others, gone when the car moves."""

from __future__ import annotations

import asyncio
import functools
import logging
import secrets
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import msgspec

from pitwall.contract.events import Error, Event, Progress
from pitwall.contract.jobs import FleetPushInput, JobResult
from pitwall.contract.messages import (
    FromPusher,
    JobRun,
    JobState,
    PushAsks,
    PushBegin,
    PushMaterial,
    PushOver,
    PushSent,
    PushWanted,
    ToPusher,
)
from pitwall.daemon.paddock.worker import WorkerFailed
from pitwall.helpers.child_process import ModuleProcess
from pitwall.store import jobs, queries
from pitwall.store.errors import StoreError
from pitwall.store.readers import Reader, read_cancellable
from pitwall.store.store import Store

log = logging.getLogger("pitwall")

# What has ended of itself is gone by then.
_REAP_S = 1.0
NO_NETWORK = "waiting for a network that is not paid for"


class FleetPusher:
    """Runs jobs of the kind `fleet_push`. `may_push(metered)`: whether the network may be used."""

    def __init__(self, store: Store, may_push: Callable[[bool], bool]) -> None:
        self._store, self._may_push = store, may_push

    async def run(self, request: Callable[[int], JobRun]) -> AsyncGenerator[Event, None]:
        """Run a push; closing it ends the process, and the next try does the rest. WorkerFailed,
        StoreError."""
        job = request(0)
        given = msgspec.json.decode(job.input, type=FleetPushInput)
        if not given.is_folder and not self._may_push(given.metered):
            yield Error(NO_NETWORK)
            return
        # A card that is out: a folder in its place would fill the phone.
        if given.is_folder and not await asyncio.to_thread(Path(given.lake).is_dir):
            yield Error(f"{given.lake} is not there")
            return
        await asyncio.to_thread(self._store.flush)
        begin = await read_cancellable(self._store, functools.partial(_begin, given=given))
        try:
            process: ModuleProcess[FromPusher, ToPusher] = await ModuleProcess.start(
                "pitwall.fleet.pusher", FromPusher, own_session=True
            )
        except OSError as error:
            raise WorkerFailed(f"The push can't be started: {error.strerror or error}.") from None
        handed: set[Path] = set()
        try:
            process.channel.post(begin)
            done: dict[str, str] = {}
            given_up: dict[str, str] = {}
            there = lacking = 0
            while (message := await process.channel.receive()) is not None:
                match message:
                    case PushWanted():
                        lacking, there = message.lacking, message.there
                    case PushAsks(session):
                        work = functools.partial(_hand_over, session=session, handed=handed)
                        process.channel.post(await read_cancellable(self._store, work))
                    case PushSent(session, _, why):
                        (given_up if why else done)[session] = why or given.lake
                        yield Progress(f"{len(done) + len(given_up)} of {lacking} sessions")
                    case PushOver(why, away=True):
                        yield Error(why)
                        return
                    case PushOver(why):
                        state: JobState = "failed" if why or given_up else "done"
                        result = JobResult(why=why, done=done, given_up=given_up)
                        log.info("fleet: %d pushed, %d were there", len(done), there)
                        text = msgspec.json.encode(result).decode()
                        await asyncio.to_thread(jobs.finish, self._store, job.job, state, text)
                        return
            raise WorkerFailed("The process that pushes ended by itself.")
        finally:
            process.kill()
            await asyncio.shield(process.reap(_REAP_S))
            for path in handed:
                path.unlink(missing_ok=True)


def _begin(reader: Reader, given: FleetPushInput) -> PushBegin:
    from pitwall.fleet.material import due, pushable

    known = {row.id: row for row in queries.sessions(reader) if row.closed_utc_s is not None}
    chosen = [known[each] for each in given.sessions if each in known]
    if not given.sessions:
        chosen = pushable(known.values())
    return PushBegin(
        home=str(reader.home.root),
        lake=given.lake,
        car_class=given.car_class,
        again=given.again,
        due=tuple(due(reader, chosen)),
    )


def _hand_over(reader: Reader, session: str, handed: set[Path]) -> PushMaterial:
    """Take a session out of the store; `handed`: the files to be deleted afterwards."""
    from pitwall.fleet.material import gather

    path = reader.handover / f"{secrets.token_hex(8)}.parquet"
    while handed:
        handed.pop().unlink(missing_ok=True)
    try:
        material = gather(reader, session)
        handed |= {path, Path(material.frames_file)}
        path.write_bytes(msgspec.msgpack.encode(material))
    except (StoreError, OSError) as error:
        return PushMaterial("", str(error))
    return PushMaterial(str(path))
