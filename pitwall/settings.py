"""`pitwall.toml` and `PITWALL_*`: settings, each checked.

    units = "imperial"                  # metric (default) or imperial: mph, Fahrenheit, psi, feet
    vehicle = "bike R6"                 # any name; one that begins with bike has a motorcycle's words
    [sources.gps]                       # any number of sources, each with its own name
    uri = "nmea:tcp://127.0.0.1:5000"   # other keys of the table are options of this source
    [channels]
    steering_deg = "a_ste:deg"          # our signal = the name in your files, and its unit
    [audio]
    player = "auto"                     # auto, text or none
    speak = "piper --model VOICE.onnx --output_file {wav}"  # any program that writes a WAV; else espeak-ng
    [coach]
    mode = "coach"                      # learn, coach, numbers or quiet
    level = "auto"                      # read from your hands; or beginner, intermediate or expert
    forecast = true                     # a network times calls, where the extra litert is installed
    [api]
    port = 8765
    [limits]
    free_floor_mb = 500
    [paddock.model]
    kind = "gemini"                     # none, gemini or openai; see pitwall/contract/settings.py

Every key may be overridden by the environment: `PITWALL_API_PORT=9000`,
`PITWALL_SOURCES_GPS=nmea:udp://:5000`, `PITWALL_PADDOCK_MODEL_API_KEY=...`.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import msgspec

from pitwall.coach.cue import LapTimes, Mode
from pitwall.contract.settings import PaddockSettings
from pitwall.helpers.toml_lines import key_lines
from pitwall.words.forms import Level
from pitwall.words.language import Language, language
from pitwall.words.units import Units

FILE_NAME = "pitwall.toml"
ENVIRONMENT = "PITWALL_"
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=86_400.0)]
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
HIDDEN = "***"
# Of a file that is damaged here and there as much counts as can be read.
MOST_BAD_LINES = 10
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A source: its address, and the options of its kind."""

    uri: str
    options: dict[str, Any] = {}


class AudioSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How callouts sound. `delay_s`: from write to ear (None: as calibrated, else as usual on
    `path`). `voice`: one of `espeak-ng --voices`. `speak`: a command that reads a phrase on its
    input and writes the WAV file `{wav}`."""

    player: Literal["auto", "text", "none"] = "auto"
    path: Literal["wired", "bluetooth"] = "wired"
    voice: Annotated[str, msgspec.Meta(max_length=80)] = ""
    speak: Annotated[str, msgspec.Meta(max_length=500, pattern=r"^$|\{wav\}")] = ""
    delay_s: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)] | None = None


class CoachSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the coach speaks. `level` "auto": by the driver's last drive. `lap_times`: said at the
    line: all, best or better than the last, or none. `remember`: use the best lap and the faults
    of earlier days. `reference`: SESSION:LAP, or SESSION for its fastest, in place of the best.
    `trial`: a coin keeps half of the corners back, to measure the effect of calls."""

    mode: Mode = "coach"
    lap_times: LapTimes = "best"
    level: Level | Literal["auto"] = "auto"
    remember: bool = True
    reference: str = ""
    trial: bool = False
    forecast: bool = True


class ApiSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The loopback API. `hosts`: names that are accepted besides the daemon's own."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 8765
    hosts: tuple[str, ...] = ()


class WallSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pit wall, for the network of the pits. `address`: by which others reach this phone, as
    on a VPN."""

    enabled: bool = False
    host: str = "0.0.0.0"  # noqa: S104, what it is for
    port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 8770
    address: Annotated[str, msgspec.Meta(max_length=100)] = ""


class LimitSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daemon's limits, and when a session begins and ends.

    600 s without data cover refuelling and a reboot, but no lunch break. 900 s of standing cover a
    red flag and the grid. 500 MB hold two hours of a full CAN bus and what Android needs.
    """

    free_floor_mb: Annotated[float, msgspec.Meta(ge=0.0)] = 500.0
    continue_within_s: Seconds = 600.0
    close_silent_s: Seconds = 600.0
    close_standing_s: Seconds = 900.0


class FleetSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`lake`: a folder or s3://BUCKET/PREFIX. `car_class`: unless a tag of the session says
    another. `metered`: a push may use a paid network."""

    lake: Annotated[str, msgspec.Meta(max_length=500)] = ""
    car_class: Annotated[str, msgspec.Meta(max_length=40)] = ""
    metered: bool = False


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings. `driver` and `vehicle` are written into every session; "bike R6" has the
    words of a motorcycle."""

    sources: dict[str, SourceSettings] = {}
    audio: AudioSettings = AudioSettings()
    coach: CoachSettings = CoachSettings()
    api: ApiSettings = ApiSettings()
    wall: WallSettings = WallSettings()
    limits: LimitSettings = LimitSettings()
    paddock: PaddockSettings = PaddockSettings()
    fleet: FleetSettings = FleetSettings()
    channels: dict[str, str] = {}
    driver: Annotated[str, msgspec.Meta(max_length=80)] = ""
    vehicle: Annotated[str, msgspec.Meta(max_length=80)] = ""
    units: Units = "metric"

    @property
    def words(self) -> Language:
        """Return the words in these units, and those of a bike where `vehicle` begins so."""
        return language(self.units, self.vehicle.lower().split()[:1] == ["bike"])


class Loaded(msgspec.Struct, frozen=True):
    """Settings, and where each was set: dotted key -> `FILE:LINE` or the variable's name.
    `wrong`: a line for each mistake: of a wrong variable the file's value counts, else the default."""

    settings: Settings
    origins: dict[str, str]
    wrong: tuple[str, ...] = ()

    def where(self, key: str) -> str:
        """Return where a dotted key was set, else its table, else "the defaults"."""
        return _where(self.origins, key)


def load_settings(path: Path | None, environment: Mapping[str, str]) -> Loaded:
    """Read the file, let the environment override it, and check. Mistakes are listed in `wrong`."""
    origins: dict[str, str] = {}
    wrong: list[str] = []
    table = _table(path, origins, wrong) if path is not None else {}
    of_file = _right(Settings(), table, "", origins, wrong)
    settings = _right(of_file, _of_environment(environment, origins), "", origins, wrong)
    return Loaded(settings, origins, tuple(wrong))


def hide_secrets(uri: str) -> str:
    """Return a URI without its password and without the values of options that look secret."""
    uri = re.sub(r"(//[^/@:]*):[^/@]*@", rf"\1:{HIDDEN}@", uri)
    return re.sub(
        r"([?&][^=&]*(?:pass|secret|token|key)[^=&]*=)[^&]*", rf"\1{HIDDEN}", uri, flags=re.IGNORECASE
    )


def _table(path: Path, origins: dict[str, str], wrong: list[str]) -> dict[str, Any]:
    try:
        if not path.is_symlink() and not path.exists():
            return {}
        if not path.is_file() and path.exists():
            wrong.append(f"{path} is no file: move it away")
            return {}
        text = path.read_text("utf-8-sig")
    except OSError as error:
        wrong.append(f"{path} can't be read: {error.strerror or error}; name another file with --config")
        return {}
    except UnicodeDecodeError as error:
        wrong.append(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8")
        return {}
    lines = text.splitlines()
    for _ in range(MOST_BAD_LINES):
        try:
            table = tomllib.loads("\n".join(lines))
        # RecursionError, ValueError: lists in lists in lists, a number of thousands of digits.
        except (ValueError, RecursionError) as error:
            if not _left_out(path, lines, str(error), wrong):
                break
        else:
            origins.update((key, f"{path}:{line}") for key, line in key_lines("\n".join(lines)).items())
            return table
    wrong.append(f"{path} is not TOML: nothing in it counts; write it again, or take a copy of it")
    return {}


def _left_out(path: Path, lines: list[str], what: str, wrong: list[str]) -> bool:
    """Empty the line that is no TOML, or the whole table under a bad head."""
    found = re.search(r"\(at line (\d+)", what)
    at = (
        int(found[1]) - 1 if found else next((n for n in reversed(range(len(lines))) if lines[n].strip()), -1)
    )
    if not 0 <= at < len(lines) or not lines[at].strip():
        return False
    is_head = lines[at].lstrip().startswith("[")
    end = at + 1
    while is_head and end < len(lines) and not lines[end].lstrip().startswith("["):
        end += 1
    problem = f"{what.split(' (at ')[0]}; strings need quotes, tables a line of their own"
    wrong.append(f"{path}:{at + 1}: not TOML: {problem}{'; nothing of this table counts' if is_head else ''}")
    lines[at:end] = [""] * (end - at)
    return True


def _right(
    base: _Struct, table: dict[str, Any], key: str, origins: dict[str, str], wrong: list[str]
) -> _Struct:
    """Set the values of a table that are right; a line in `wrong` for each other."""
    kind = type(base)
    types = get_type_hints(kind, include_extras=True)
    right: dict[str, Any] = {}
    for name, value in table.items():
        dotted = f"{key}.{name}" if key else name
        where, type_ = _where(origins, dotted), types.get(name)
        if dotted == "language":
            # A setting of older homes.
            if value != "en":
                wrong.append(f"{where}: Pitwall speaks English only: remove this line")
        elif type_ is None:
            wrong.append(f"{where}: {_unknown(dotted, kind)}")
        elif _struct_of(type_) is not None or name == "sources":
            held = getattr(base, name)
            if not isinstance(value, dict):
                wrong.append(f"{where}: {dotted}: expected a table, [{dotted}], got {type(value).__name__}")
            elif name != "sources":
                right[name] = _right(held, value, dotted, origins, wrong)
            else:
                right[name] = held | _sources(value, origins, wrong)
        else:
            as_text = where.startswith(ENVIRONMENT)
            if as_text and type_ == tuple[str, ...]:
                value = [part.strip() for part in value.split(",") if part.strip()]
            if refused := _refused(value, type_, name, strict=not as_text):
                wrong.append(f"{where}: {dotted}: {refused}")
            else:
                right[name] = msgspec.convert(value, type_, strict=not as_text)
    return msgspec.structs.replace(base, **right)


def _sources(table: dict[str, Any], origins: dict[str, str], wrong: list[str]) -> dict[str, SourceSettings]:
    found = {}
    for name, held in table.items():
        key = f"sources.{name}"
        uri = held.get("uri") if isinstance(held, dict) else None
        if not _NAME.fullmatch(name):
            problem = f"{name!r} can't name a source: small letters, digits, _ and -, a letter first"
        elif not isinstance(held, dict):
            problem = f'source {name} must be a table: [sources.{name}] with uri = "..."'
        elif uri is None:
            problem = f'source {name} has no uri; add uri = "nmea:tcp://HOST:PORT" or such'
        elif not isinstance(uri, str):
            problem, key = f"{key}.uri must be text in quotes", f"{key}.uri"
        else:
            found[name] = SourceSettings(
                uri=uri, options={option: value for option, value in held.items() if option != "uri"}
            )
            continue
        wrong.append(f"{_where(origins, key)}: {problem}")
    return found


def _of_environment(environment: Mapping[str, str], origins: dict[str, str]) -> dict[str, Any]:
    """Return the environment's settings as a table, and note where each stands."""
    table: dict[str, Any] = {}
    for variable in sorted(environment):
        name = variable.removeprefix(ENVIRONMENT)
        keys = _keys_of(name.lower(), Settings) if name != variable else []
        inner, value = table, environment[variable]
        for key in keys[:-1]:
            if not isinstance(inner.get(key), dict):
                inner[key] = {}
            inner = inner[key]
        if keys:
            inner[keys[-1]] = {"uri": value} if keys[0] == "sources" else value
            origins.update(dict.fromkeys((".".join(keys), ".".join([*keys, "uri"])), variable))
    return table


def _keys_of(name: str, kind: type[msgspec.Struct]) -> list[str]:
    """The keys that the name of a variable means in this table, [] for none."""
    for field, type_ in get_type_hints(kind).items():
        rest = name.removeprefix(f"{field}_")
        if name == field:
            return [field]
        if rest != name and field == "sources":
            return [field, rest]
        if rest != name and (inner := _struct_of(type_)) is not None:
            return [field, *(_keys_of(rest, inner) or [rest])]
    return []


def _struct_of(type_: Any) -> type[msgspec.Struct] | None:
    return type_ if isinstance(type_, type) and issubclass(type_, msgspec.Struct) else None


def _where(origins: Mapping[str, str], key: str) -> str:
    while key:
        if key in origins:
            return origins[key]
        key = key.rpartition(".")[0]
    return "the defaults"


# Settings of earlier versions -> what to do about them.
_RETIRED = {"paddock.local_model": "the language model on the phone is gone: remove this line"}


def _unknown(key: str, kind: type[msgspec.Struct]) -> str:
    if key in _RETIRED:
        return f"{key}: {_RETIRED[key]}"
    known = kind.__struct_fields__
    near = nearest(key.rpartition(".")[2], known)
    return f"there is no setting {key}; known here: {', '.join(known)}{near}"


def _refused(value: Any, type_: Any, name: str, *, strict: bool) -> str:
    """Return why a value is not of this type, "" if it is."""
    try:
        held = msgspec.convert(value, type_, strict=strict)
    except msgspec.ValidationError as error:
        what = str(error).partition(" - at `$")[0]
        if (enum := re.match(r"Invalid enum value '?(.*?)'?$", what)) is None:
            return what.replace("Expected", "expected").replace("`", "")
        allowed = [str(each) for each in get_args(type_)]
        return f"there is no {name} {enum[1]!r}; use {', '.join(allowed)}{nearest(enum[1], allowed)}"
    return "" if not isinstance(held, float) or math.isfinite(held) else "expected a number"


def nearest(word: str, known: Sequence[str]) -> str:
    """Return a question after the known word that is nearest to a mistyped one."""
    import difflib  # nothing is mistyped as a rule

    found = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {found[0]}?)" if found else ""
