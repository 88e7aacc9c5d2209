"""Where things lie: the user's home folder over the shipped data; and the words of its user."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitwall.contract.problems import UserError
from pitwall.words.language import ENGLISH, Language

HOME_JOURNAL = "home.journal"
PACKAGE = Path(__file__).resolve().parent


class CanNames(msgspec.Struct, frozen=True):
    """A person's settings of a recording's channels: the DBC and mapping of a stored CAN log
    (shipped names or paths), else each CAN source of the settings; and the file's channels that
    are our signals, by the settings and as `given` for this file."""

    dbc: str | None = None
    mapping: str | None = None
    sources: tuple[tuple[str, Mapping[str, object]], ...] = ()
    channels: Mapping[str, str] = {}
    given: Mapping[str, str] = {}


class Home(msgspec.Struct, frozen=True):
    """Everything a user makes lies under `root` (PITWALL_HOME). `words`: with the units of the
    settings. `driver`: if a recording names none."""

    root: Path
    words: Language = ENGLISH
    can: CanNames = CanNames()
    driver: str = ""

    @property
    def journals(self) -> Path:
        """Return the folder of the sessions' journals."""
        return self.root / "journals"

    @property
    def database(self) -> Path:
        """Return the database file."""
        return self.root / "pitwall.duckdb"

    @property
    def home_journal(self) -> Path:
        """Return the journal of names, tags, marks, lessons, turns and jobs."""
        return self.root / HOME_JOURNAL

    @property
    def checkpoint(self) -> Path:
        """How far the drive that goes on has come, for a start soon after a kill."""
        return self.root / "checkpoint"

    @property
    def clips(self) -> Path:
        """Return the folder of rendered clips."""
        return self.root / "clips"

    @property
    def damaged(self) -> Path:
        """Where damaged files are set aside; nothing is ever deleted from it by us."""
        return self.root / "damaged"

    @property
    def trash(self) -> Path:
        """The journals of sessions that a person deleted, until the trash is emptied."""
        return self.root / "trash"

    @property
    def handover(self) -> Path:
        """Return the only folder that the open database may write to: rows for the worker."""
        return self.root / "handover"

    @property
    def advice_weights(self) -> Path:
        """Return what a fleet has shown of advice, for the coach."""
        return self.root / "advice.json"

    @property
    def would(self) -> Path:
        """What was worked out of sessions, kept until the program or what it came from changes."""
        return self.root / "would"

    @property
    def references(self) -> Path:
        """Laps of a lake and of friends, to drive against where they are faster than one's own."""
        return self.root / "references"

    @property
    def audio_cache(self) -> Path:
        """Return the folder of shipped clips."""
        return self.root / "audio_cache"

    @property
    def track_data(self) -> Path:
        """Return the folder of the user's tracks."""
        return self.root / "track_data"

    def prepare(self) -> None:
        """Make the folders, private to the user; OSError of the first that fails."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        failed: OSError | None = None
        made = (
            self.journals, self.trash, self.clips, self.damaged, self.handover, self.audio_cache,
            self.track_data,
        )  # fmt: skip
        for folder in made:
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def layers(self, name: str) -> tuple[Path, ...]:
        """Return the user's folder, if readable, then the shipped one."""
        own = self.root / name
        return (own, shipped(name)) if os.access(own, os.R_OK | os.X_OK) else (shipped(name),)


class OutsideError(UserError):
    """A name from outside that would lead out of the folder that it belongs to."""

    def __init__(self, name: str, root: Path | str) -> None:
        super().__init__(f"{name[:200]!r} leads out of {root}: nothing is read, written or deleted there")


def inside(name: str, root: Path | str = "the lake") -> str:
    """Return the name, if it is a plain path beneath its root. OutsideError."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\0" in name or set(parts) <= {"", "."}:
        raise OutsideError(name, root)
    return name


def beneath(root: Path, name: str) -> Path:
    """Return the path of `name` in the folder `root`. OutsideError, by words or by a link."""
    path = root / inside(name, root)
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        raise OutsideError(name, root)
    return path


def shipped(name: str) -> Path:
    """Return the folder of shipped data: inside an installed wheel, or next to the package."""
    installed = PACKAGE / name
    return installed if installed.is_dir() else PACKAGE.parent / name
