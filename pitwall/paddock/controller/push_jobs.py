"""The job `fleet_push`: sessions copied into a club's lake; what is there already is left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitwall.contract.events import Event, Progress
from pitwall.contract.jobs import FleetPushInput, JobResult
from pitwall.contract.messages import Due
from pitwall.paddock.controller.resources import JobWaits
from pitwall.paddock.records import RemoteRecords


async def push(given: FleetPushInput, records: RemoteRecords, emit: Callable[[Event], None]) -> JobResult:
    """Push what the lake lacks; cancelled, it ends before the next session. JobWaits, StoreError."""
    loop, stopped = asyncio.get_running_loop(), threading.Event()

    def show(text: str) -> None:
        loop.call_soon_threadsafe(emit, Progress(text))

    try:
        return await asyncio.to_thread(_pushed, given, records, show, stopped)
    finally:
        stopped.set()


def _pushed(
    given: FleetPushInput, records: RemoteRecords, show: Callable[[str], None], stopped: threading.Event
) -> JobResult:
    try:
        from pitwall.fleet.lake import LakeError, UnreachableError, open_storage
        from pitwall.fleet.material import Material
        from pitwall.fleet.push import not_there, push_each
    except ImportError:
        return JobResult(why="the fleet needs pyarrow, which is not installed: pip install 'pitwall[fleet]'")

    def material(session: str) -> Material:
        if stopped.is_set():
            raise JobWaits("the push was stopped")
        path = Path(records.ask(str, "fleet_material", session))
        try:
            return msgspec.msgpack.decode(path.read_bytes(), type=Material)
        finally:
            path.unlink(missing_ok=True)

    done: dict[str, str] = {}
    given_up: dict[str, str] = {}
    due, there = records.ask(list[Due], "fleet_due", given.sessions), 0
    try:
        storage = open_storage(given.lake)
        lacking = not_there(storage, records.home, due, again=given.again)
        there = len(due) - len(lacking)
        pushing = push_each(storage, records.home, lacking, material, given.car_class, again=given.again)
        for each, sent, why in pushing:
            (given_up if why else done)[each.session] = why or f"{given.lake}, {sent / 1e6:.1f} MB"
            show(f"{len(done) + len(given_up)} of {len(lacking)} sessions")
    except UnreachableError as error:
        raise JobWaits(str(error)) from None
    except LakeError as error:
        return JobResult(why=str(error), done=done, given_up=given_up, there=there)
    return JobResult(done=done, given_up=given_up, there=there)
