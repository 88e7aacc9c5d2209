"""Where things lie: the user's home folder over the shipped data; and the words of its user."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitwall.words.language import ENGLISH, Language

PACKAGE = Path(__file__).resolve().parent


class CanNames(msgspec.Struct, frozen=True):
    """Which DBC says what the frames of a stored CAN log mean: as a person named it and its mapping (shipped
    names or paths); else the address and the options of each CAN source in the settings."""

    dbc: str | None = None
    mapping: str | None = None
    sources: tuple[tuple[str, Mapping[str, object]], ...] = ()


class Home(msgspec.Struct, frozen=True):
    """Everything a user makes lies under `root` (PITWALL_HOME). Nothing is created until `prepare`. `words`:
    the language and the units of the settings. `can`: which DBC says what stored CAN frames mean."""

    root: Path
    words: Language = ENGLISH
    can: CanNames = CanNames()

    @property
    def journals(self) -> Path:
        return self.root / "journals"

    @property
    def database(self) -> Path:
        return self.root / "pitwall.duckdb"

    @property
    def checkpoint(self) -> Path:
        """How far the drive that goes on has come, for a start soon after a kill."""
        return self.root / "checkpoint"

    @property
    def clips(self) -> Path:
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
        """Rows on their way to the paddock's worker: the only folder that the open database may write to."""
        return self.root / "handover"

    @property
    def advice_weights(self) -> Path:
        """What a fleet has shown of advice, for the coach."""
        return self.root / "advice.json"

    @property
    def audio_cache(self) -> Path:
        return self.root / "audio_cache"

    @property
    def track_data(self) -> Path:
        return self.root / "track_data"

    def prepare(self) -> None:
        """Make the folders, private to the user. OSError where the place can't be written."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = (
            self.journals, self.trash, self.clips, self.damaged, self.handover, self.audio_cache,
            self.track_data,
        )  # fmt: skip
        for folder in made:
            folder.mkdir(mode=0o700, exist_ok=True)

    def layers(self, name: str) -> tuple[Path, ...]:
        """The user's folder first, then the shipped one: the first that has a file wins."""
        return (self.root / name, shipped(name))


def shipped(name: str) -> Path:
    """The folder of shipped data: inside an installed wheel, or beside the package in a checkout."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name
