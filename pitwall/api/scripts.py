"""List, change, undo and hear voice scripts, for the routes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from pitwall.api.answers import ScriptWritten, find_track, no_corner
from pitwall.coach.scripts import (
    KEYS,
    OWN,
    UNCHECKED,
    check_script,
    load_scripts,
    marked,
    settle_own,
)
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.scripts import (
    PhraseToHear,
    ScriptAuthor,
    ScriptChange,
    ScriptRow,
    ScriptTable,
    ScriptText,
    TakeBack,
)
from pitwall.store.voice_scripts import save_script, script_changes, take_back
from pitwall.track.model import Track
from pitwall.voice.render import PhraseRenderer, Voice, VoiceError, normal

if TYPE_CHECKING:
    from aiohttp import web

    from pitwall.api.call import ApiCall  # with aiohttp and asyncio, which commands do without

T = TypeVar("T")

WAV = "audio/wav"
# One speech process at a time.
_RENDERING = threading.Lock()
MEND = "nothing was written: mend it and send it again"
CONFIRM = f'say that, or name the key under "{OWN}" to confirm your own words; {UNCHECKED}'


async def scripts(call: ApiCall) -> dict[str, ScriptText]:
    """Return corner id -> the script that is spoken there, corners in driving order."""
    return await _on_track(call, _spoken)


async def script(call: ApiCall) -> ScriptText:
    """Return one corner's script."""
    found = await scripts(call)
    if call.path["corner"] not in found:
        raise no_corner(call.path["track"], call.path["corner"], list(found))
    return found[call.path["corner"]]


async def table(call: ApiCall) -> ScriptTable:
    """Return what is spoken on a track, and who wrote it."""
    return await _on_track(call, script_table)


async def write(call: ApiCall) -> ScriptWritten:
    """Write one corner's voice script into the user's folder, whole or not at all."""
    author = ScriptAuthor("driver", "the API")
    return await _changed(
        call, lambda home, place: put_script(home, place, call.path["corner"], call.body, author)
    )


async def undo(call: ApiCall) -> list[ScriptChange]:
    """Undo the last change, of a corner or of the track."""
    wanted: TakeBack = call.body
    return await _changed(call, lambda home, place: undo_scripts(home, place, wanted.corner))


async def hear(call: ApiCall) -> web.Response:
    """Render a phrase as it would be spoken. Refused: 409, 422 where it can't be spoken, 429."""
    import asyncio

    from aiohttp import web

    from pitwall.voice.wav import as_wav

    call.require_parked("no phrase is rendered")
    wanted: PhraseToHear = call.body
    pcm = await asyncio.to_thread(_rendered, wanted.text, call.port.spoken_by)
    return web.Response(body=as_wav(pcm), headers={"Content-Type": WAV})


def _rendered(text: str, voice: Voice) -> bytes:
    if not _RENDERING.acquire(blocking=False):
        raise Refused(429, "another phrase is being rendered", "ask again in a second", retry_after_s=1.0)
    try:
        with PhraseRenderer(voice) as renderer:
            return renderer.pcm(normal(text))
    except VoiceError as error:
        raise Refused(422, str(error), "change the phrase, or see pitwall doctor") from None
    finally:
        _RENDERING.release()


async def _on_track(call: ApiCall, work: Callable[[Home, Track], T]) -> T:
    return await call.read(lambda reader: work(reader.home, find_track(reader.home, call.path["track"])))


async def _changed(call: ApiCall, work: Callable[[Home, Track], T]) -> T:
    done = await _on_track(call, work)
    call.port.scripts_changed(call.path["track"])
    return done


def script_table(home: Home, track: Track) -> ScriptTable:
    """Return what is spoken on a track, corners in driving order."""
    scripts = load_scripts(home.layers("audio_cache"), track)
    texts = scripts.texts()
    rows = []
    for corner in sorted(track.corners, key=lambda corner: corner.apex_m):
        file = scripts.files.get(corner.id)
        yours = file is not None and file.is_relative_to(home.audio_cache)
        known = script_changes(home, track, corner.id) if corner.id in texts else []
        rows.append(
            ScriptRow(
                corner=corner.id,
                name=corner.name,
                origin="yours" if yours else "plain" if file is None else "shipped",
                script=texts.get(corner.id, {}),
                change=known[0] if known else None,
            )
        )
    problems = tuple(f"{problem.file}: {problem.what}" for problem in scripts.problems)
    return ScriptTable(track.id, tuple(rows), problems)


def put_script(
    home: Home, track: Track, corner: str, script: Mapping[str, str], author: ScriptAuthor
) -> ScriptWritten:
    """Check one corner's script and write it. Refused: 422 if the driver may confirm it."""
    place = next(each for each in track.corners if each.id == _corner_of(track, corner))
    script = settle_own(place, script, track)
    problems = check_script(corner, script, track)
    if problems and check_script(corner, marked(script, KEYS), track):
        raise Refused(409, f"{corner}: {'; '.join(problems)}", MEND)
    if problems:
        raise Refused(422, f"{corner}: {'; '.join(problems)}", CONFIRM)
    _save(home, track, corner, script, author)
    return ScriptWritten(track.id, corner, dict(script))


def _spoken(home: Home, track: Track) -> dict[str, ScriptText]:
    return load_scripts(home.layers("audio_cache"), track).texts()


def undo_scripts(home: Home, track: Track, corner: str = "") -> list[ScriptChange]:
    """Undo the last change of a corner, or the last of the track with all of its batch."""
    if corner:
        _corner_of(track, corner)
    with _disk():
        undone = take_back(home, track, corner)
    if not undone:
        where = corner or track.name
        raise Refused(409, f"no change is known of {where}", "shipped scripts are what they always were")
    return undone


def _corner_of(track: Track, corner: str) -> str:
    have = [each.id for each in track.corners]
    if corner not in have:
        raise no_corner(track.id, corner, have)
    return corner


def _save(home: Home, track: Track, corner: str, script: Mapping[str, str], author: ScriptAuthor) -> None:
    with _disk():
        save_script(home, track, corner, script, author)


@contextmanager
def _disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"{error.filename or 'the script'} can't be written: {error.strerror or error}"
        raise Refused(503, what, "make room, then send it again", retry_after_s=10.0) from None
