"""Voice scripts: `audio_cache/<corner>.json`, one phrase a phase, the user's folder over the shipped one.

The plain folder serves the home track; another track has a folder of its own inside, named by its id. A file
holds `{"<phase>": "<phrase>"}` and may hold a short form under `<phase>_short`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from pitwall.coach.cue import PHASES
from pitwall.coach.phrases import FIXED, plain_script, praise
from pitwall.track.model import Track

HOME_TRACK = "sonoma"
# Eleven words last 3.3 s, at 50 m/s 165 m on top of the lead. Eight (about 2.5 s) still fit a straight.
MAX_WORDS = 8
# Words of usual length; stops "eight words" of 300 letters, which would sound for half a minute.
MAX_CHARS = 60
# Ten phrases of the largest size are under 1 kB; a bigger file is not a voice script.
MAX_FILE_BYTES = 4096
SHORT = "_short"
KEYS: tuple[str, ...] = tuple(key for phase in PHASES for key in (phase, phase + SHORT))

# The only ids that may name a file: no dot, no slash, no drive, no leading dash.
_CORNER_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TRACK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# What espeak-ng speaks as words. Anything else is markup to some engine ("[[", "<", "&", "\\", "|") or noise.
_PUNCTUATION = frozenset(" ,.!?'’-:;%")


class ScriptProblem(msgspec.Struct, frozen=True):
    """A script that is not used, or not all of it: `file` as found, `what` is wrong and what to do."""

    file: str
    what: str


class Phrase(msgspec.Struct, frozen=True):
    """What to say for one phase of one corner; `short` is "" where there is none."""

    text: str
    short: str = ""


class Scripts(msgspec.Struct, frozen=True):
    """All phrases of one track: corner id -> phase -> phrase, corners in driving order."""

    track: str
    corners: dict[str, dict[str, Phrase]]
    problems: tuple[ScriptProblem, ...] = ()

    def texts(self) -> dict[str, dict[str, str]]:
        """Every text as script files hold it: corner id -> key of a script file -> text."""
        return {
            corner: {
                key: text
                for phase, phrase in by_phase.items()
                for key, text in ((phase, phrase.text), (phase + SHORT, phrase.short))
                if text
            }
            for corner, by_phase in self.corners.items()
        }

    def phrase(self, corner_id: str, phase: str) -> Phrase | None:
        """What to say there, None where the script is silent."""
        return self.corners.get(corner_id, {}).get(phase)


def check_script(corner_id: object, data: object, track: Track) -> list[str]:
    """Everything that is wrong with one script, as sentences; an empty list: it may be used and written.

    The one check for every writer: files by hand, an agent's RPC, the web page. Trusts nothing it is given.
    """
    problems = _check_corner(corner_id, track)
    if not isinstance(data, Mapping):
        return [*problems, f'must be an object {{"<phase>": "<phrase>"}}, not {type(data).__name__}']
    if not data:
        problems.append("is empty: give at least one phase of " + ", ".join(PHASES))
    for key, text in data.items():
        if key not in KEYS:
            problems.append(f"{_shown(key)} is no phase: use {', '.join(PHASES)}, or one with {SHORT}")
        else:
            problems += [f"{key}: {what}" for what in _check_text(text)]
    if not problems:
        problems += _check_short_forms(data)
    return problems


def _check_corner(corner_id: object, track: Track) -> list[str]:
    if not isinstance(corner_id, str) or not _CORNER_ID.fullmatch(corner_id):
        return [f"{_shown(corner_id)} is no corner id: small letters, digits and _ only"]
    known = [corner.id for corner in track.corners]
    if corner_id not in known:
        return [f"{corner_id} is no corner of {track.name}: {', '.join(known) or 'it has none'}"]
    return []


def _check_text(text: object) -> list[str]:
    if not isinstance(text, str):
        return [f"must be text, not {type(text).__name__}"]
    foreign = sorted({char for char in text if not _speakable(char)})
    problems = []
    if foreign:
        problems.append(
            f"can't speak {', '.join(map(_shown, foreign[:5]))}: words and , . ! ? ' - : ; % only"
        )
    elif not any(char.isalnum() for char in text):
        problems.append("has no word in it")
    if len(text) > MAX_CHARS or len(text.split()) > MAX_WORDS:
        problems.append(
            f"is {len(text.split())} words, {len(text)} characters: at most {MAX_WORDS} and {MAX_CHARS}, "
            "a longer one can't end before the corner"
        )
    return problems


def _check_short_forms(data: Mapping[str, str]) -> list[str]:
    problems = []
    for phase in PHASES:
        short = data.get(phase + SHORT)
        if short is None:
            continue
        if phase not in data:
            problems.append(f"{phase}{SHORT} needs a {phase} that it is the short form of")
        elif len(short) >= len(data[phase]):
            problems.append(f"{phase}{SHORT} must be shorter than {phase}")
    return problems


def _speakable(char: str) -> bool:
    return char in _PUNCTUATION or unicodedata.category(char)[0] in "LM" or char in "0123456789"


def _shown(value: object) -> str:
    """A foreign value for a message: escaped, and cut so that a megabyte of it does not fill the screen."""
    return ascii(value if isinstance(value, str) else type(value).__name__)[:40]


def script_path(folder: Path, corner_id: str, track: Track) -> Path:
    """Where one corner's script lies below an `audio_cache` folder. ValueError unless both ids are known."""
    problems = _check_corner(corner_id, track)
    if problems or not _TRACK_ID.fullmatch(track.id):
        raise ValueError(problems[0] if problems else f"track id {_shown(track.id)} can't name a folder")
    return script_folder(folder, track) / f"{corner_id}.json"


def script_folder(folder: Path, track: Track) -> Path:
    """Where the scripts of one track lie below an `audio_cache` folder."""
    return folder if track.id == HOME_TRACK else folder / track.id


def load_scripts(folders: Sequence[Path], track: Track | None) -> Scripts:
    """The scripts of one track, the first folder that has a good file for a corner wins.

    A bad file is named in `problems` and skipped: the next folder's is used, at last a plain script.
    """
    if track is None or not _TRACK_ID.fullmatch(track.id):
        problem = [ScriptProblem(_shown(track.id), "can't name a folder: no scripts read")] if track else []
        return Scripts("", {}, tuple(problem))
    problems: list[ScriptProblem] = []
    corners: dict[str, dict[str, Phrase]] = {}
    for corner in sorted(track.corners, key=lambda corner: corner.apex_m):
        if _check_corner(corner.id, track):
            problems.append(ScriptProblem(_shown(corner.id), "is no corner id: rename it in the track file"))
            continue
        data = _first_good(folders, corner.id, track, problems) or plain_script(corner)
        corners[corner.id] = phrases_of(data)
    for folder in folders:
        problems += _strangers(script_folder(folder, track), track)
    return Scripts(track.id, corners, tuple(problems))


def _first_good(
    folders: Sequence[Path], corner_id: str, track: Track, problems: list[ScriptProblem]
) -> dict[str, str] | None:
    for folder in folders:
        path = script_path(folder, corner_id, track)
        # A FIFO or a device of that name would be read for ever.
        if not path.is_file():
            continue
        data, found = _read(path, corner_id, track)
        if data is not None:
            return data
        problems += [ScriptProblem(str(path), what) for what in found]
    return None


def _read(path: Path, corner_id: str, track: Track) -> tuple[dict[str, str] | None, list[str]]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None, [f"is larger than {MAX_FILE_BYTES} bytes: no voice script"]
        raw = msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        return None, [f"can't be read: {error.strerror or error}"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return None, [f"is not JSON: {error}"]
    problems = check_script(corner_id, raw, track)
    return (None, problems) if problems else (raw, [])


def _strangers(folder: Path, track: Track) -> list[ScriptProblem]:
    """Files that look like scripts and belong to no corner: most often a misspelt id."""
    known = {f"{corner.id}.json" for corner in track.corners}
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix == ".json")
    except OSError:
        return []
    return [
        ScriptProblem(str(folder / name), f"names no corner of {track.name}: not used")
        for name in names
        if name not in known
    ]


def phrases_of(data: Mapping[str, str]) -> dict[str, Phrase]:
    """The phrases of a checked script by phase."""
    return {
        phase: Phrase(data[phase].strip(), data.get(phase + SHORT, "").strip())
        for phase in PHASES
        if phase in data
    }


def phrases(scripts: Scripts) -> tuple[str, ...]:
    """Every text these scripts may speak, each once: messages first, then as the corners come."""
    texts = list(FIXED.values())
    for corner_id, by_phase in scripts.corners.items():
        texts += [text for phrase in by_phase.values() for text in (phrase.text, phrase.short) if text]
        texts.append(praise(corner_id))
    return tuple(dict.fromkeys(texts))
