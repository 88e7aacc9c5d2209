"""Voice scripts, `audio_cache/<corner>.json`: a phrase a phase, the user's over the shipped.

The plain folder serves the home track; another track has a folder of its own inside, named by its
id. A folder named by a level lies over the one it is in. The plain folder is English; any other
language has a folder of its own, named by its code, and is spoken from that one alone. A file holds
`{"<key>": "<phrase>"}`, a key being a phase (a neutral reminder) or a concept (a piece of advice),
and may hold a short form under `<key>_short`. The grammar of `phrases.py` derives each phrase, but
for those whose keys stand under `own`, parted by commas: these are a driver's own words, which he
confirmed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from pitwall.coach.cue import PHASES
from pitwall.coach.phrases import SHORT, TELLS, check_phrase, derived, place_of
from pitwall.track.model import Corner, Track
from pitwall.words.forms import Level
from pitwall.words.language import ENGLISH, Language, names_folder, sentence

HOME_TRACK = "sonoma"
# All keys with the longest phrases are 5 kB; a bigger file is not a voice script.
MAX_FILE_BYTES = 8192
OWN = "own"
UNCHECKED = "this says nothing we can check: it will be spoken as it is"
KEYS: tuple[str, ...] = tuple(key for name in TELLS for key in (name, name + SHORT))
PHASE_KEYS: tuple[str, ...] = tuple(key for phase in PHASES for key in (phase, phase + SHORT))

# The only ids that may name a file: no dot, no slash, no drive, no leading dash.
_CORNER_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TRACK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class ScriptProblem(msgspec.Struct, frozen=True):
    """A script that is not used, or not all of it: `file` as found, `what` is wrong and what to
    do."""

    file: str
    what: str


class Phrase(msgspec.Struct, frozen=True):
    """Holds what to say for one key of one corner's script; `short` is "" where there is none."""

    text: str
    short: str = ""


class Scripts(msgspec.Struct, frozen=True):
    """All phrases of one track: corner id -> phase or concept -> phrase, corners in driving order.
    `language` has the driver's units; `level` is the driver's. `files`: corner id -> the file that
    its script is in, where it has one. `own`: corner id -> the keys of the driver's own words
    there."""

    track: str
    corners: dict[str, dict[str, Phrase]]
    problems: tuple[ScriptProblem, ...] = ()
    language: Language = ENGLISH
    level: Level = "intermediate"
    files: dict[str, Path] = {}
    own: dict[str, frozenset[str]] = {}

    def texts(self) -> dict[str, dict[str, str]]:
        """Every text as script files hold it: corner id -> key of a script file -> text."""
        return {
            corner: marked(
                {
                    key: text
                    for phase, phrase in by_phase.items()
                    for key, text in ((phase, phrase.text), (phase + SHORT, phrase.short))
                    if text
                },
                self.own.get(corner, ()),
            )
            for corner, by_phase in self.corners.items()
        }

    def phrase(self, corner_id: str, key: str) -> Phrase | None:
        """Return what to say there for a phase or a concept, None where the script is silent."""
        return self.corners.get(corner_id, {}).get(key)


def check_script(corner_id: object, data: object, track: Track) -> list[str]:
    """Everything that is wrong with one script, as sentences; an empty list: it may be used and
    written.

    The one check for every writer: files by hand, an agent's RPC, the web page. Trusts nothing it
    is given. Who may mark own words is the caller's to say: `keep_own` for what a model writes."""
    problems = _check_corner(corner_id, track)
    if not isinstance(data, Mapping):
        return [*problems, f'must be an object {{"<phase>": "<phrase>"}}, not {type(data).__name__}']
    if not data:
        problems.append("is empty: give at least one phase of " + ", ".join(PHASES))
    corner = None if problems else next(corner for corner in track.corners if corner.id == corner_id)
    place = None if corner is None else place_of(track, corner)
    own = own_keys(data)
    if strange := [key for key in sorted(own) if key not in data or key not in KEYS]:
        problems.append(f"own: {_shown(strange[0])} is no key of this script: name those of your own words")
    for key, text in data.items():
        if key == OWN:
            continue
        if key not in KEYS:
            problems.append(
                f"{_shown(key)} is no phase and no advice: use {', '.join(TELLS)}, or one with {SHORT}"
            )
        elif place is not None and (wrong := check_phrase(key, text, place, own=key in own)):
            problems.append(f"{key}: {wrong}")
    return problems or _check_short_forms(data)


def own_keys(data: Mapping[str, object]) -> frozenset[str]:
    """The keys whose phrases a script marks as a driver's own words."""
    return frozenset(filter(None, map(str.strip, str(data.get(OWN) or "").split(","))))


def marked(script: Mapping[str, str], own: Iterable[str]) -> dict[str, str]:
    """The script with these of its keys marked as the driver's own words."""
    kept = [key for key in script if key in own and key != OWN]
    plain = {key: text for key, text in script.items() if key != OWN}
    return {**plain, OWN: ", ".join(kept)} if kept else plain


def keep_own(present: Mapping[str, str], script: Mapping[str, str]) -> dict[str, str]:
    """The script as a model may write it: own words are those that a driver confirmed,
    unchanged."""
    return marked(script, {key for key in own_keys(present) if script.get(key) == present.get(key)})


def settle_own(corner: Corner, script: Mapping[str, str], track: Track) -> dict[str, str]:
    """The script of a driver: marks are dropped from phrases that the grammar derives."""
    place = place_of(track, corner)
    own = (key for key in own_keys(script) if key in KEYS and not derived(key, script.get(key, ""), place))
    return marked(script, frozenset(own))


def with_changes(present: Mapping[str, str], change: object) -> tuple[dict[str, str], list[str]]:
    """(`present` with the change over it, in the order of a script's keys; the short forms left out
    of it).

    A short form is left out where its key changes to words that it does not abridge: it would still
    say the old phrase. `change` may be anything: `check_script` refuses what comes of it."""
    if not isinstance(change, Mapping) or not change:
        return change, []  # type: ignore[return-value]
    both = {**present, **change}
    old = [
        key + SHORT for key in TELLS if key in change and key + SHORT in present and key + SHORT not in change
    ]
    left_out = [key for key in old if not _abridges(both[key], both[key.removesuffix(SHORT)])]
    order = [*KEYS, *(key for key in both if key not in KEYS)]
    own = own_keys(change) | (own_keys(present) - change.keys())
    return marked({key: both[key] for key in order if key in both and key not in left_out}, own), left_out


def _abridges(short: str, whole: object) -> bool:
    if not isinstance(whole, str) or len(short) >= len(whole):
        return False
    return set(_bare_words(short)) <= set(_bare_words(whole))


def _bare_words(text: str) -> list[str]:
    return [word.strip(",.!?;:") for word in text.lower().split()]


def _check_corner(corner_id: object, track: Track) -> list[str]:
    if not isinstance(corner_id, str) or not _CORNER_ID.fullmatch(corner_id):
        return [f"{_shown(corner_id)} is no corner id: small letters, digits and _ only"]
    known = [corner.id for corner in track.corners]
    if corner_id not in known:
        return [f"{corner_id} is no corner of {track.name}: {', '.join(known) or 'it has none'}"]
    return []


def _check_short_forms(data: Mapping[str, str]) -> list[str]:
    problems = []
    for key in TELLS:
        short = data.get(key + SHORT)
        if short is None:
            continue
        if key not in data:
            problems.append(f"{key}{SHORT} needs a {key} that it is the short form of")
        elif len(short) >= len(data[key]):
            problems.append(f"{key}{SHORT} must be shorter than {key}")
    return problems


def _shown(value: object) -> str:
    """A foreign value for a message: escaped, and cut so that a megabyte of it does not fill the
    screen."""
    return ascii(value if isinstance(value, str) else type(value).__name__)[:40]


def script_path(folder: Path, corner_id: str, track: Track) -> Path:
    """Where one corner's script lies below a folder of `script_folders`. ValueError unless both ids
    are known."""
    problems = _check_corner(corner_id, track)
    if problems or not _has_folder(track.id):
        raise ValueError(problems[0] if problems else f"track id {_shown(track.id)} can't name a folder")
    return script_folder(folder, track) / f"{corner_id}.json"


def script_folder(folder: Path, track: Track) -> Path:
    """Where the scripts of one track lie below a folder of `script_folders`."""
    return folder if track.id == HOME_TRACK else folder / track.id


def script_folders(folder: Path, level: Level | None = None) -> tuple[Path, ...]:
    """Where scripts of this level lie below an `audio_cache` folder, the first wins."""
    return (folder,) if level is None else (folder / level, folder)


def load_scripts(
    layers: Sequence[Path], track: Track | None, language: Language = ENGLISH, level: Level | None = None
) -> Scripts:
    """The scripts of one track from `audio_cache` folders, the first that has a good file for a
    corner wins.

    A bad file is named in `problems` and skipped: the next folder's is used, at last a plain
    script."""
    if track is None or not _has_folder(track.id):
        problem = [ScriptProblem(_shown(track.id), "can't name a folder: no scripts read")] if track else []
        return Scripts("", {}, tuple(problem), language)
    folders = [folder for layer in layers for folder in script_folders(layer, level)]
    problems: list[ScriptProblem] = []
    corners: dict[str, dict[str, Phrase]] = {}
    files: dict[str, Path] = {}
    own: dict[str, frozenset[str]] = {}
    for corner in sorted(track.corners, key=lambda corner: corner.apex_m):
        if _check_corner(corner.id, track):
            problems.append(ScriptProblem(_shown(corner.id), "is no corner id: rename it in the track file"))
            continue
        path, data = _first_good(folders, corner.id, track, problems)
        if path is not None:
            files[corner.id] = path
        corners[corner.id] = phrases_of(data)
        own[corner.id] = own_keys(data)
    for folder in folders:
        problems += _strangers(script_folder(folder, track), track)
    return Scripts(track.id, corners, tuple(problems), language, level or "intermediate", files, own)


def _has_folder(track_id: str) -> bool:
    """Return whether a track of this id has a folder of its own: one of a level is none of a
    track."""
    return _TRACK_ID.fullmatch(track_id) is not None and not names_folder(track_id)


def _first_good(
    folders: Sequence[Path], corner_id: str, track: Track, problems: list[ScriptProblem]
) -> tuple[Path | None, dict[str, str]]:
    """The first good file with what it holds; without one, plain reminders."""
    for folder in folders:
        path = script_path(folder, corner_id, track)
        # A FIFO or a device of that name would be read for ever.
        if not path.is_file():
            continue
        data, found = read_script(path, corner_id, track)
        if data is not None:
            return path, data
        problems += [ScriptProblem(str(path), what) for what in found]
    return None, ENGLISH.plain_script(corner_id)


def read_script(path: Path, corner_id: str, track: Track) -> tuple[dict[str, str] | None, list[str]]:
    """Return what a script file holds, or why it is not used."""
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
    """The phrases of a checked script by key."""
    return {key: Phrase(data[key].strip(), data.get(key + SHORT, "").strip()) for key in TELLS if key in data}


def phrases(scripts: Scripts) -> tuple[str, ...]:
    """Every text these scripts may speak, each once: messages first, then as the corners come."""
    language = scripts.language
    texts = list(language.fixed.values())
    for corner_id, by_phase in scripts.corners.items():
        # What is said of a corner is joined from its name and the advice.
        texts += [sentence(language.name(corner_id)), language.plain_script(corner_id)["approach"]]
        texts += [text for phrase in by_phase.values() for text in (phrase.text, phrase.short) if text]
    # Where no corner is known, laps are timed all the same.
    texts += language.texts() if scripts.corners else language.lap_time_texts()
    return tuple(dict.fromkeys(texts))
