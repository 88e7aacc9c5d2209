"""Show /status, the daemon on one page with further parts on request."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from pitwall.contract.status import Capability, SourceStatus, Status, StatusSummary
from pitwall.words.language import ENGLISH, Language

PARTS = tuple(field.name for field in msgspec.structs.fields(Status))
ALL = "all"
_ONE = f"({'|'.join(PARTS)})"


class StatusQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The status parts wanted besides the summary: names with commas between, or `all`."""

    details: Annotated[str, msgspec.Meta(pattern=f"^({ALL}|{_ONE}(,{_ONE})*)?$(?!\\n)", max_length=400)] = ""


def status_page(now: Status, query: StatusQuery, words: Language = ENGLISH) -> dict[str, Any]:
    """Return a `StatusSummary` with the requested parts."""
    page: dict[str, Any] = msgspec.structs.asdict(summary(now, words))
    del page["details"]
    if query.details:
        wanted = PARTS if query.details == ALL else tuple(query.details.split(","))
        page["details"] = {name: getattr(now, name) for name in wanted}
        if "capabilities" in wanted:
            page["details"]["capabilities"] = tuple(_named(each, words) for each in now.capabilities)
    return page


def _named(found: Capability, words: Language) -> Capability:
    reasons = (
        ": ".join((words.term("status", name), words.in_units(why)))
        for name, _, why in (each.partition(": ") for each in found.reason.split("; ") if each)
    )
    return msgspec.structs.replace(found, reason="; ".join(dict.fromkeys(reasons)))


def summary(now: Status, words: Language = ENGLISH) -> StatusSummary:
    """Return the status on one page."""

    losses = [
        (words.term("status", one.name), one.reason or "lost", one)
        for one in now.degradations
        if not one.covered
    ]
    return StatusSummary(
        version=now.process.version,
        pid=now.process.pid,
        up_s=round(now.process.up_s, 1),
        session=now.session,
        sources={source.name: ", ".join(_source(source)) for source in now.sources},
        sound=", ".join(_sound(now)),
        store=", ".join(_store(now)),
        paddock=", ".join(_paddock(now)),
        lost=tuple(f"{name}: {reason} - {one.effect}" for name, reason, one in losses),
        to_do=(
            *(f"{name}: {one.mend}" for name, _, one in losses if one.mend),
            *_to_do(now),
        ),
    )


def _source(source: SourceStatus) -> list[str]:
    parts = [str(source.state)]
    if source.rate_hz is not None and source.state == "up":
        parts.append(f"{source.rate_hz:.1f} readings/s")
    if source.age_s is not None and source.age_s > 2.0:
        parts.append(f"the last one {source.age_s:.0f} s ago")
    if source.readings == 0:
        parts.append("nothing came yet")
    if source.shed:
        parts.append(f"{source.shed} shed")
    if source.last_error and source.state != "up":
        parts.append(source.last_error)
    return parts


def _sound(now: Status) -> list[str]:
    voice = now.voice
    parts = [voice.player.name if voice.player is not None else "no player"]
    parts.append({True: "heard", False: f"not heard: {voice.trouble}", None: "silent"}[voice.heard])
    if voice.delay_s is not None:
        parts.append(f"{voice.delay_s * 1000.0:.0f} ms to the ear")
    return [*parts, f"{voice.clips} clips"]


def _store(now: Status) -> list[str]:
    parts = [f"database {now.store.state}"]
    if now.journal is not None:
        parts.append(f"journal {now.journal.state}")
    if now.store.last_error and now.store.state == "failing":
        parts.append(now.store.last_error)
    shed = now.store.shed + (now.journal.shed if now.journal is not None else 0)
    if shed:
        parts.append(f"{shed} rows shed")
    if now.store.rebuilding:
        parts.append(f"{len(now.store.rebuilding)} sessions are to be rebuilt")
    if now.disk.free_bytes is not None:
        parts.append(f"{now.disk.free_bytes / 1e9:.1f} GB free")
    return parts


def _paddock(now: Status) -> list[str]:
    reach, paddock = now.connectivity, now.paddock
    if paddock is None or reach is None:
        return ["off"]
    parts = [paddock.model, reach.state] if paddock.model else ["no model", "answers are composed"]
    if paddock.answering:
        parts.append(f"{paddock.answering} questions are being answered")
    if paddock.job:
        parts.append(f"works on job {paddock.job}")
    if paddock.jobs_waiting:
        parts.append(f"{paddock.jobs_waiting} jobs wait")
    return parts


def _to_do(now: Status) -> list[str]:
    parts = [
        f"source {source.name}: {source.last_error}"
        for source in now.sources
        if source.state == "down" and source.last_error
    ]
    if all(source.name == "push" for source in now.sources):
        parts.append("no source is configured: add one to [sources] of the settings, see pitwall doctor")
    if now.paddock is not None:
        parts += [now.paddock.trouble] if now.paddock.trouble else []
        parts += [f"job {job} waits: {why}" for job, why in now.paddock.jobs_held.items()]
    return parts
