"""Finds, reads and checks `pitwall.toml`; each mistake is one clear line, and its default counts."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.commands.common import note
from pitwall.config import CanNames, Home
from pitwall.contract.problems import UserError
from pitwall.settings import FILE_NAME, Loaded, hide_secrets, load_settings

NAMED_BY = "PITWALL_CONFIG"
# They tell what is wrong themselves, sources too.
LOOKING = ("doctor", "run")


class Checked(NamedTuple):
    """Settings, their file, and a line for each source that this machine can't open."""

    loaded: Loaded
    path: Path | None
    absent: tuple[str, ...]


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the settings file."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"the settings (default: ${NAMED_BY}, else {FILE_NAME} in the home, else in the config folder)",
    )


def settings_path(named: Path | None, home: Home) -> Path | None:
    """Return the file that counts. UserError if one that was named is missing."""
    chosen = named or (Path(os.environ[NAMED_BY]).expanduser() if os.environ.get(NAMED_BY) else None)
    if chosen is not None and not _is_there(chosen):
        by = "leave out --config" if named else f"unset {NAMED_BY}"
        raise UserError(f"there are no settings at {chosen}; {by} to use the defaults")
    return chosen or next((place for place in _places(home) if _is_there(place)), None)


def _is_there(path: Path) -> bool:
    """Whatever stands in its place is there; where it can't be looked at, reading it says why."""
    try:
        return path.is_symlink() or path.exists()
    except OSError:
        return True


def named_settings(path: Path | None, home: Home) -> str:
    """Return the file's name for people, or where one would be found."""
    return str(path or f"the defaults; there is no {' and no '.join(map(str, _places(home)))}")


def _places(home: Home) -> Iterator[Path]:
    yield home.root / FILE_NAME
    from platformdirs import user_config_path

    yield user_config_path("pitwall", appauthor=False) / FILE_NAME


def home_with_settings(root: Path, arguments: argparse.Namespace) -> Home:
    """Return the home with the settings' words, and the DBC that the command or they name."""
    home = Home(root)
    dbc, mapping = getattr(arguments, "dbc", None), getattr(arguments, "mapping", None)
    loaded, _path = read_settings(getattr(arguments, "config", None), home)
    if arguments.command not in LOOKING:
        for line in loaded.wrong:
            note(f"{line}; meanwhile the default counts")
    sources = loaded.settings.sources.values()
    found = [(each.uri, each.options) for each in sources if each.uri.startswith("can:")]
    channels = {}
    if loaded.settings.channels:
        from pitwall.telemetry.recordings.corrected import check_channel  # with the readers' tables
    for target, source in loaded.settings.channels.items():
        try:
            check_channel(target, source)
            channels[target] = source
        except UserError as error:
            note(f"{loaded.where('channels.' + target)}: {error}; meanwhile it does not count")
    given = dict(getattr(arguments, "channel", None) or ())
    names = CanNames(dbc, mapping, tuple(found), channels, given)
    return Home(root, loaded.settings.words, names, loaded.settings.driver)


def read_settings(named: Path | None, home: Home) -> tuple[Loaded, Path | None]:
    """Return the settings, their sources unlooked at, and their file. UserError."""
    path: Path | None = None
    missing: tuple[str, ...] = ()
    try:
        path = settings_path(named, home)
    except UserError as error:
        if named is not None:
            raise
        missing = (str(error),)
    loaded = load_settings(path, os.environ)
    return msgspec.structs.replace(loaded, wrong=missing + loaded.wrong), path


def checked_settings(named: Path | None, home: Home) -> Checked:
    """Return the settings and their file, without invalid sources. UserError."""
    from pitwall.telemetry.sources.base import SourceAbsentError, SourceError, open_source

    loaded, path = read_settings(named, home)
    sources, absent, wrong = dict(loaded.settings.sources), [], list(loaded.wrong)
    for name, source in loaded.settings.sources.items():
        try:
            open_source(source.uri, source.options)
        except SourceError as error:
            # The option that it complains of, else the source itself.
            key = next((key for key in source.options if f"'{key}'" in str(error)), "uri")
            line = f"{loaded.where(f'sources.{name}.{key}')}: source {name}: {hide_secrets(str(error))}"
            if isinstance(error, SourceAbsentError):
                absent.append(line)
            else:
                wrong.append(line)
                del sources[name]
    settings = msgspec.structs.replace(loaded.settings, sources=sources)
    return Checked(Loaded(settings, loaded.origins, tuple(wrong)), path, tuple(absent))
