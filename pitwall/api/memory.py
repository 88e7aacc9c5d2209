"""Handlers of what the paddock remembers: lessons about the driver, and agents' traces for export."""

from __future__ import annotations

import contextlib
import os
from typing import Annotated

import msgspec
from aiohttp import web

from pitwall.api import answers
from pitwall.api.call import ApiCall
from pitwall.api.token import TokenError, shown_token
from pitwall.config import Home
from pitwall.settings import FILE_NAME, load_settings
from pitwall.store.lessons import Lesson
from pitwall.store.readers import Reader

# Each may take twelve bytes of an address, whose line has room for 8 kB.
MOST_WORD_CHARS = 300
JSON_LINES = "application/x-ndjson"


class LessonsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`words` to search for; `retired` lists those too that no longer hold."""

    words: Annotated[str, msgspec.Meta(max_length=MOST_WORD_CHARS)] = ""
    retired: bool = False


class TracesQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`job`: of this job only; `with_words`: with what was asked and answered; `most` rows of each kind."""

    job: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{0,64}$")] = ""
    with_words: bool = False
    most: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 2_000


async def lessons(call: ApiCall) -> list[Lesson]:
    query: LessonsQuery = call.query
    return await call.read(lambda reader: answers.lessons(reader, query.words, retired=query.retired))


async def traces(call: ApiCall) -> web.Response:
    """JSON lines without secrets and names. Refused (409) while the car is driven: it takes its core."""
    call.only_standing("nothing is exported")
    query: TracesQuery = call.query

    def exported(reader: Reader) -> bytes:
        from pitwall.analysis.traces import export_lines  # few ask, and it compiles a page of patterns

        lines = bytearray()
        secrets = known_secrets(reader.home)
        for line in export_lines(
            reader, secrets, job=query.job, with_words=query.with_words, most=query.most
        ):
            reader.check()
            lines += line
        return bytes(lines)

    return web.Response(body=await call.read(exported), headers={"Content-Type": JSON_LINES})


def known_secrets(home: Home) -> tuple[str, ...]:
    """The secrets of this home, by value: the API's token and the model's key. What can't be read is left to
    the shapes that secrets have."""
    known: list[str] = []
    with contextlib.suppress(TokenError):
        known.append(shown_token(home))
    known.append(load_settings(home.root / FILE_NAME, os.environ).settings.paddock.model.api_key)
    return tuple(known)
