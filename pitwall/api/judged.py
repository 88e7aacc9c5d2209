"""Views of a session, as routes and commands answer it: two laps compared, opportunities, the profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from pitwall.analysis.compare import LapComparison, compare_laps
from pitwall.analysis.drive import load_drive
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.profile import DriverProfile, fold_events
from pitwall.analysis.report import judge
from pitwall.analysis.store_facts import StoreFacts
from pitwall.analysis.tool_kit import ToolKit, ToolRefused, flying_needed, gold_lap, lap_by_place
from pitwall.contract.problems import Refused
from pitwall.store import queries
from pitwall.store.queries import resolve_driven
from pitwall.store.readers import Reader
from pitwall.store.reading import Readable

if TYPE_CHECKING:
    from pitwall.api.call import ApiCall  # with aiohttp, which commands do without

T = TypeVar("T")


class CompareQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`lap`: which, 0 for the last flying one that is not the best. `against`: LAP of the same session,
    SESSION:LAP, SESSION for its best lap; nothing for the best of this session."""

    lap: Annotated[int, msgspec.Meta(ge=0)] = 0
    against: Annotated[str, msgspec.Meta(max_length=140)] = ""


class ProfileQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of whom: the driver of this session; nothing for all drives of this home."""

    session: Annotated[str, msgspec.Meta(max_length=128)] = ""


def compared(store: Readable, wanted: str, lap: int = 0, against: str = "") -> LapComparison:
    """A lap against another by place, on the same track. Refused (404) where there is no such lap, or no
    known track; UnknownSessionError."""
    kit = ToolKit(StoreFacts(store))
    try:
        drive, report = kit.judged(resolve_driven(store, wanted))
        track = kit.track(drive.session.track)
        flying_needed(report)
        other = str(against).strip()
        if other.isdecimal():
            reference = lap_by_place(drive, int(other))
        elif other:
            name, _, number = other.partition(":")
            row = queries.session(store, resolve_driven(store, name))
            best = kit.judged(row.id)[1].reference_lap
            found = gold_lap(kit, drive, f"{row.id}:{number or best or 0}")
            assert found is not None  # a lap that is named is found or refused
            reference = found
        else:
            reference = lap_by_place(drive, report.reference_lap or 0)
        others = [each.number for each in drive.flying if each.number in drive.curves]
        others = [each for each in others if each != report.reference_lap] or others
        own = lap_by_place(drive, lap or (others[-1] if others else 0))
    except ToolRefused as refused:
        raise Refused(404, refused.error, refused.what_to_do) from None
    return compare_laps(track, own, reference)


def opportunities(store: Readable, wanted: str) -> list[Opportunity]:
    """Where a session loses time lap after lap, the dearest first. UnknownSessionError."""
    row = queries.session(store, resolve_driven(store, wanted))
    facts = StoreFacts(store)
    return list(judge(load_drive(facts, row), facts)[1].opportunities)


def profile(store: Readable, session: str = "") -> DriverProfile:
    """Return what the judged sessions tell of a driver: of the one who drove `session`, else of all drives.
    UnknownSessionError."""
    driver = queries.session(store, session).driver if session else None
    return fold_events(StoreFacts(store).events(""), driver)


async def comparison(call: ApiCall) -> LapComparison:
    query: CompareQuery = call.query
    wanted = call.path["session"]
    return await _standing(call, lambda reader: compared(reader, wanted, query.lap, query.against))


async def found_opportunities(call: ApiCall) -> list[Opportunity]:
    return await _standing(call, lambda reader: opportunities(reader, call.path["session"]))


async def driver_profile(call: ApiCall) -> DriverProfile:
    query: ProfileQuery = call.query
    return await call.read(lambda reader: profile(reader, query.session))


async def _standing(call: ApiCall, work: Callable[[Reader], T]) -> T:
    """Read all of a session. Refused (409) while the car is driven: it would take its core."""
    call.only_standing("nothing is judged")
    return await call.read(work)
