"""`pitwall.toml` and `PITWALL_*`: the settings, all of them checked before anything starts.

    language = "de"                     # en (default) or de: what is said and answered
    units = "imperial"                  # metric (default) or imperial: mph, Fahrenheit, psi, feet
    [sources.gps]                       # any number of sources, each with its own name
    uri = "nmea:tcp://127.0.0.1:5000"   # other keys of the table are options of this source
    [audio]
    player = "auto"                     # auto, text or none
    [coach]
    mode = "coach"                      # learn, coach, numbers or quiet
    level = "intermediate"              # beginner, intermediate or expert
    forecast = true                     # a network times calls, where the extra litert is installed
    [api]
    port = 8765
    [limits]
    free_floor_mb = 500
    [paddock.model]
    kind = "gemini"                     # none, gemini or openai; see pitwall/contract/settings.py

Every key may be overridden by the environment: `PITWALL_API_PORT=9000`, `PITWALL_SOURCES_GPS=nmea:udp://:5000`,
`PITWALL_PADDOCK_MODEL_API_KEY=...`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args, get_type_hints

import msgspec

from pitwall.coach.cue import Mode
from pitwall.contract.problems import UserError
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.contract.toml_lines import key_lines
from pitwall.words.forms import Code, Level
from pitwall.words.language import Language, language
from pitwall.words.units import Units

FILE_NAME = "pitwall.toml"
ENVIRONMENT = "PITWALL_"
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=86_400.0)]
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_SECRET = re.compile(r"pass|secret|token|key", re.IGNORECASE)
HIDDEN = "***"


class SettingsError(UserError):
    """A mistake in the settings: the file and line (or the variable), what is wrong and what to do."""


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One source: its address, and the options of its kind."""

    uri: str
    options: dict[str, Any] = {}


class AudioSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How callouts sound. `delay_s`: from write to ear (None: as calibrated, else as usual on `path`).
    `voice`: one of `espeak-ng --voices` ("": the language's own)."""

    player: Literal["auto", "text", "none"] = "auto"
    path: Literal["wired", "bluetooth"] = "wired"
    voice: Annotated[str, msgspec.Meta(max_length=80)] = ""
    delay_s: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)] | None = None


class CoachSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the coach speaks. `mode` and `level` can be changed while driving. `remember`: whether the best lap
    and the faults of earlier days are used. `reference`: SESSION:LAP, or SESSION for its fastest one, to be
    driven against in place of the best. `forecast`: whether a network forecasts the next seconds, where the
    extra litert is installed."""

    mode: Mode = "coach"
    level: Level = "intermediate"
    remember: bool = True
    reference: str = ""
    forecast: bool = True


class ApiSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The loopback API. `hosts` and `origins`: names that are accepted beside the daemon's own."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 8765
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


class LimitSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daemon's limits, and when a session begins and ends.

    600 s without data, or between a stop and a restart, cover refuelling and a reboot, but no lunch break.
    900 s of standing cover a red flag and the grid, but not the time between two runs. 500 MB hold two hours
    of a full CAN bus and what Android needs to stay usable.
    """

    free_floor_mb: Annotated[float, msgspec.Meta(ge=0.0)] = 500.0
    continue_within_s: Seconds = 600.0
    close_silent_s: Seconds = 600.0
    close_standing_s: Seconds = 900.0


class FleetSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where sessions of many phones go: `lake` is a folder or s3://BUCKET/PREFIX. `car_class`: the class of
    the car, unless a tag of the session says another. `metered`: whether a push may use a metered network."""

    lake: Annotated[str, msgspec.Meta(max_length=500)] = ""
    car_class: Annotated[str, msgspec.Meta(max_length=40)] = ""
    metered: bool = False


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings. `driver` and `vehicle` are written into every session. `language` and `units` are those
    of all that the driver hears and reads: whoever opens a home gives it these `words`."""

    sources: dict[str, SourceSettings] = {}
    audio: AudioSettings = AudioSettings()
    coach: CoachSettings = CoachSettings()
    api: ApiSettings = ApiSettings()
    limits: LimitSettings = LimitSettings()
    paddock: PaddockSettings = PaddockSettings()
    fleet: FleetSettings = FleetSettings()
    driver: Annotated[str, msgspec.Meta(max_length=80)] = ""
    vehicle: Annotated[str, msgspec.Meta(max_length=80)] = ""
    language: Code = "en"
    units: Units = "metric"

    @property
    def words(self) -> Language:
        return language(self.language, self.units)


class Loaded(msgspec.Struct, frozen=True):
    """Settings, and where each was set: dotted key -> `FILE:LINE` or the variable's name."""

    settings: Settings
    origins: dict[str, str]

    def where(self, key: str) -> str:
        """Where a dotted key was set, else its table, else "the defaults"."""
        while key:
            if key in self.origins:
                return self.origins[key]
            key = key.rpartition(".")[0]
        return "the defaults"


def load_settings(path: Path | None, environment: Mapping[str, str]) -> Loaded:
    """Read the file, let the environment override it, and check. `path` None or absent: the defaults.
    SettingsError for the first mistake."""
    table: dict[str, Any] = {}
    origins: dict[str, str] = {}
    if path is not None and path.exists():
        text = _text(path)
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(_syntax(path, text, str(error))) from None
        origins = {key: f"{path}:{line}" for key, line in key_lines(text).items()}
    _override(table, origins, environment)
    _gather_options(table, origins)
    try:
        settings = msgspec.convert(table, Settings, strict=True)
    except msgspec.ValidationError as error:
        raise SettingsError(_explained(str(error), Loaded(Settings(), origins))) from None
    return Loaded(settings, origins)


def shown(loaded: Loaded) -> dict[str, Any]:
    """The settings as plain values for people, secrets hidden."""
    plain = cast("dict[str, Any]", msgspec.to_builtins(loaded.settings))
    for source in plain["sources"].values():
        source["uri"] = hide_secrets(source["uri"])
        source["options"] = _hidden(source["options"])
    plain["paddock"] = _hidden(plain["paddock"])
    return plain


def hide_secrets(uri: str) -> str:
    """A URI without its password and without the values of options that look secret."""
    uri = re.sub(r"(//[^/@:]*):[^/@]*@", rf"\1:{HIDDEN}@", uri)
    return re.sub(
        r"([?&][^=&]*(?:pass|secret|token|key)[^=&]*=)[^&]*", rf"\1{HIDDEN}", uri, flags=re.IGNORECASE
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _syntax(path: Path, text: str, what: str) -> str:
    where = re.search(r"\(at line (\d+)", what)
    line = where[1] if where else str(len(text.splitlines()))
    return (
        f"{path}:{line}: not TOML: {what.split(' (at ')[0]}; strings need quotes, tables a line of their own"
    )


def _override(table: dict[str, Any], origins: dict[str, str], environment: Mapping[str, str]) -> None:
    """Let the environment override the file. Variables that do not begin as one of our tables are ignored."""
    for variable in sorted(environment):
        name = variable.removeprefix(ENVIRONMENT).lower()
        if name == variable.lower():
            continue
        value = environment[variable]
        section, rest = _section_of(name)
        if section in ("driver", "vehicle", "language", "units") and not rest:
            table[section], origins[section] = value, variable
        elif section == "sources" and rest:
            held = table.setdefault("sources", {})
            if isinstance(held, dict):
                held[rest] = {"uri": value}
                origins[f"sources.{rest}"] = origins[f"sources.{rest}.uri"] = variable
        elif section in _SECTIONS and rest:
            held = table
            for part in section.split("."):
                held = held.setdefault(part, {}) if isinstance(held, dict) else held
            if isinstance(held, dict):
                held[rest] = _typed(_SECTIONS[section], rest, value, variable)
                origins[f"{section}.{rest}"] = variable


_SECTIONS: dict[str, type[msgspec.Struct]] = {
    "audio": AudioSettings,
    "api": ApiSettings,
    "limits": LimitSettings,
    "paddock": PaddockSettings,
    "paddock.model": ModelSettings,
    "fleet": FleetSettings,
}


def _section_of(name: str) -> tuple[str, str]:
    """The innermost table that a variable's name can mean, and the key in that table."""
    for section in sorted(_SECTIONS, key=len, reverse=True):
        before = section.replace(".", "_") + "_"
        if name.startswith(before):
            return section, name.removeprefix(before)
    section, _, rest = name.partition("_")
    return section, rest


def _typed(section: type[msgspec.Struct], key: str, value: str, variable: str) -> Any:
    """A variable's text as the type of its key; an unknown key stays text and is refused with the rest."""
    type_ = get_type_hints(section, include_extras=True).get(key)
    if type_ is None:
        return value
    parts = [part.strip() for part in value.split(",") if part.strip()]
    try:
        given = parts if type_ == tuple[str, ...] else value
        return msgspec.to_builtins(msgspec.convert(given, type_, strict=False))
    except msgspec.ValidationError as error:
        raise SettingsError(f"{variable}={value}: {_refused(str(error), section, key)}") from None


def _gather_options(table: dict[str, Any], origins: dict[str, str]) -> None:
    """Make the other keys of a source's table its options."""
    sources = table.get("sources", {})
    if not isinstance(sources, dict):
        return
    for name, held in sources.items():
        where = origins.get(f"sources.{name}", "")
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"{where}: {name!r} can't name a source: small letters, digits, _ and -, a letter first"
            )
        if not isinstance(held, dict):
            raise SettingsError(f'{where}: source {name} must be a table: [sources.{name}] with uri = "..."')
        if "uri" not in held:
            raise SettingsError(
                f'{where}: source {name} has no uri; add uri = "nmea:tcp://HOST:PORT" or such'
            )
        if not isinstance(held["uri"], str):
            raise SettingsError(
                f"{origins[f'sources.{name}.uri']}: sources.{name}.uri must be text in quotes"
            )
        options = {key: value for key, value in held.items() if key != "uri"}
        sources[name] = {"uri": held["uri"], "options": options}


def _explained(error: str, loaded: Loaded) -> str:
    """A validation error with its file and line, and what could be meant."""
    what, _, path = error.partition(" - at `$")
    key = re.sub(r"\[[^\]]*\]", "", path.rstrip("`").lstrip("."))
    if unknown := re.search(r"unknown field `([^`]+)`", what):
        known = _SECTIONS.get(key, Settings).__struct_fields__
        name = f"{key}.{unknown[1]}" if key else unknown[1]
        known_here = f"known here: {', '.join(known)}{nearest(unknown[1], known)}"
        return f"{loaded.where(name)}: there is no setting {name}; {known_here}"
    table, _, field = key.rpartition(".")
    return f"{loaded.where(key)}: {key}: {_refused(what, _SECTIONS.get(table, Settings), field)}"


def _refused(what: str, section: type[msgspec.Struct], field: str) -> str:
    """Why a value of this section was refused; where only certain values are allowed, which."""
    if (enum := re.match(r"Invalid enum value '?(.*?)'?$", what)) is None:
        return what.replace("Expected", "expected").replace("`", "")
    allowed = [str(value) for value in get_args(get_type_hints(section)[field])]
    return f"there is no {field} {enum[1]!r}; use {', '.join(allowed)}{nearest(enum[1], allowed)}"


def nearest(word: str, known: Sequence[str]) -> str:
    """A question after the known word that is nearest to a mistyped one, "" where none is near."""
    found = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def _hidden(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _hidden(held, name) for name, held in value.items()}
    if isinstance(value, str):
        return HIDDEN if value and _SECRET.search(key) else hide_secrets(value)
    return value
