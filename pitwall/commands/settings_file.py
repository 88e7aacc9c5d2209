"""Which `pitwall.toml` counts, read and checked; a mistake is one clear line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import NamedTuple

from pitwall.config import CanNames, Home
from pitwall.contract.problems import UserError
from pitwall.settings import FILE_NAME, Loaded, Settings, hide_secrets, load_settings

NAMED_BY = "PITWALL_CONFIG"


class Checked(NamedTuple):
    """Settings without a mistake, their file, and a line for each source that this machine can't open."""

    loaded: Loaded
    path: Path | None
    absent: tuple[str, ...]


def add_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"the settings (default: ${NAMED_BY}, else {FILE_NAME} in the home, else in the config folder)",
    )


def settings_path(named: Path | None, home: Home) -> Path | None:
    """The file that counts, None where there is none. UserError where one that was named is missing, or a
    place can't be looked at."""
    chosen = named or (Path(os.environ[NAMED_BY]).expanduser() if os.environ.get(NAMED_BY) else None)
    if chosen is not None:
        if not _is_file(chosen):
            raise UserError(f"there are no settings at {chosen}; leave out --config to use the defaults")
        return chosen
    return next((place for place in _places(home) if _is_file(place)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror}; name another file with --config") from None


def named_settings(path: Path | None, home: Home) -> str:
    """The file for people; without one, that the defaults are in force and where a file would be found."""
    return str(path or f"the defaults; there is no {' and no '.join(map(str, _places(home)))}")


def _places(home: Home) -> tuple[Path, Path]:
    """Where settings are looked for, in this order."""
    from platformdirs import user_config_path

    return home.root / FILE_NAME, user_config_path("pitwall", appauthor=False) / FILE_NAME


def home_with_settings(root: Path, arguments: argparse.Namespace) -> Home:
    """The home with the words that the settings choose, and the DBC that the command or they name. Defaults
    where they hold a mistake: whoever needs them tells it."""
    home = Home(root)
    dbc, mapping = getattr(arguments, "dbc", None), getattr(arguments, "mapping", None)
    try:
        settings = read_settings(getattr(arguments, "config", None), home)
    except UserError:
        return Home(root, can=CanNames(dbc, mapping))
    found = [(each.uri, each.options) for each in settings.sources.values() if each.uri.startswith("can:")]
    return Home(root, settings.words, CanNames(dbc, mapping, tuple(found)), settings.driver)


def read_settings(named: Path | None, home: Home) -> Settings:
    """The settings, their sources unlooked at. UserError with file and line of the first mistake."""
    return load_settings(settings_path(named, home), os.environ).settings


def checked_settings(named: Path | None, home: Home) -> Checked:
    """The settings and their file. UserError with file and line of the first mistake, sources' too; what
    this machine lacks for a source is no mistake, for the others go on without it."""
    from pitwall.telemetry.sources.base import SourceAbsentError, SourceError
    from pitwall.telemetry.sources.uri import open_source

    path = settings_path(named, home)
    loaded = load_settings(path, os.environ)
    absent: list[str] = []
    for name, source in loaded.settings.sources.items():
        try:
            open_source(source.uri, source.options)
        except SourceError as error:
            # The option that it complains of, else the source itself.
            key = next((key for key in source.options if f"'{key}'" in str(error)), "uri")
            line = f"{loaded.where(f'sources.{name}.{key}')}: source {name}: {hide_secrets(str(error))}"
            if not isinstance(error, SourceAbsentError):
                raise UserError(line) from None
            absent.append(line)
    return Checked(loaded, path, tuple(absent))
