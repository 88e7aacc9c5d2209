"""The tool `save_voice_scripts`: a change to one corner's phrases, checked and written."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from pitwall.analysis.tool_kit import Result, ToolRefused, tool
from pitwall.analysis.tools import Tools
from pitwall.coach.scripts import OWN, check_script, keep_own, with_changes
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
                    A piece of advice (brake_later, throttle_sooner and the like) is a key too.
                track: a track id; empty means the track of the last session.
            """
            place = tools.kit.track(str(track or "").strip() or tools.session().track)
            with self._lock:
                return self._save(place, tools.kit.corner(place, corner_name), phrases)

        return {**tools.table(), "save_voice_scripts": save_voice_scripts}

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
