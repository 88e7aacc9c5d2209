"""The tool `save_voice_scripts`: a change to one corner's phrases, checked and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from pitwall.analysis.compose_words import plain
from pitwall.analysis.figure_check import unsupported
from pitwall.analysis.places import place_of
from pitwall.analysis.tool_kit import Result, ToolRefused, tool
from pitwall.analysis.tools import Tools
from pitwall.coach.cue import PHASES
from pitwall.coach.scripts import KEYS, SHORT, check_script
from pitwall.paddock.records import Records
from pitwall.track.model import Corner, Track


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
                track: a track id; empty means the track of the last session.
            """
            place = tools.kit.track(str(track or "").strip() or tools.session().track)
            with self._lock:
                return self._save(tools, place, tools.kit.corner(place, corner_name), phrases)

        return {**tools.table(), "save_voice_scripts": save_voice_scripts}

    def _save(self, tools: Tools, track: Track, corner: Corner, phrases: Any) -> Result:
        present = self._records.scripts(track).get(corner.id, {})
        script, left_out = merged(present, phrases)
        landmarks = [mark.name for mark in corner.landmarks]
        known = [present, plain(place_of(corner, track)), _loss(tools, track, corner), landmarks]
        problems = [*check_script(corner.id, script, track), *invented(phrases, known)]
        if problems:
            raise ToolRefused("; ".join(problems), "nothing was written: mend the phrases and save again")
        try:
            path = self._records.save_script(track, corner.id, script)
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
            "left_out": left_out,
        }


def _loss(tools: Tools, track: Track, corner: Corner) -> Result | None:
    """What the driver loses in this corner; None where no session there can be judged."""
    try:
        report = tools.report()
    except ToolRefused:
        return None
    losses = report.opportunities if report.track == track.id else ()
    return next((plain(each) for each in losses if each.corner == corner.id), None)


def merged(present: Mapping[str, str], change: Any) -> tuple[Any, list[str]]:
    """(`present` with the change over it, in the order of a script's keys; the short forms left out of it).

    A short form is left out where its phase changes to words that it does not abridge: the short form would
    still say the old phrase. `change` is what a model sent. What is no change comes back as it is, and
    `check_script` refuses it.
    """
    if not isinstance(change, Mapping) or not change:
        return change, []
    both: dict[str, Any] = {**present, **change}
    old = [
        phase + SHORT
        for phase in PHASES
        if phase in change and phase + SHORT in present and phase + SHORT not in change
    ]
    left_out = [key for key in old if not _abridges(both[key], both[key.removesuffix(SHORT)])]
    order = [*KEYS, *(key for key in both if key not in KEYS)]
    return {key: both[key] for key in order if key in both and key not in left_out}, left_out


def invented(phrases: Any, known: Any) -> list[str]:
    """A sentence for each phrase with a figure that is not in `known`: a driver would look for a brake board
    that is not there."""
    if not isinstance(phrases, Mapping):
        return []
    return [
        f"{key}: {', '.join(figures)} is not in the facts"
        for key, text in phrases.items()
        if isinstance(text, str) and (figures := unsupported(text, known))
    ]


def _abridges(short: str, whole: object) -> bool:
    if not isinstance(whole, str) or len(short) >= len(whole):
        return False
    return set(_words(short)) <= set(_words(whole))


def _words(text: str) -> list[str]:
    return [word.strip(",.!?;:") for word in text.lower().split()]
