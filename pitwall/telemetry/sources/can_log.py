"""Which DBC says what the frames of a stored CAN log mean.

The first of these that there is: the one that was named (`--dbc`), one beside the log under its name
(`drive.log`, `drive.dbc`), one in the log's zip archive, those of the CAN sources in `pitwall.toml`. The
mapping is found with it: named, `.toml` in the same place, or the shipped one's own.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.sources.base import Options, SourceError
from pitwall.telemetry.sources.can import DbcFiles, decoders_of, named_dbc
from pitwall.telemetry.sources.can_decode import Decoders

SUFFIXES = (".dbc", ".toml")
MOST_BYTES = 8 << 20


def log_decoders(
    path: Path, dbc: str | None, mapping: str | None, sources: Sequence[tuple[str, Options]]
) -> Decoders | None:
    """The decoders for the log at `path`, None where nothing names a DBC.
    `sources`: the CAN sources' addresses and options. RecordingError where a DBC can't be used."""
    try:
        files = files_of_log(path, dbc, mapping)
        if files is not None:
            return decoders_of(files)
        with tempfile.TemporaryDirectory(prefix="pitwall-dbc-") as folder:
            files = _beside(_unpacked(path, Path(folder)), mapping)
            if files is not None:
                return decoders_of(files)
        found = Decoders()
        for uri, options in sources:
            files = named_dbc(uri, options)
            if files is not None:
                found.join(decoders_of(files))
        return found if found or found.groups else None
    except SourceError as error:
        raise RecordingError(path, f"its DBC can't be used: {error}") from None


def files_of_log(path: Path, dbc: str | None, mapping: str | None) -> DbcFiles | None:
    """The DBC that a person named, by a shipped name or a path, or that lies beside the log. SourceError."""
    if dbc is not None:
        return named_dbc(str(path), {"dbc": dbc, "mapping": mapping})
    return _beside(path.with_suffix(".dbc"), mapping)


def _beside(dbc: Path, mapping: str | None) -> DbcFiles | None:
    """A DBC that was found, with the mapping that was named or lies beside it."""
    if not dbc.is_file():
        return None
    beside = dbc.with_suffix(".toml")
    return named_dbc(
        str(dbc), {"dbc": str(dbc), "mapping": mapping or (str(beside) if beside.is_file() else None)}
    )


def _unpacked(path: Path, folder: Path) -> Path:
    """Where the DBC that lies in the archive with the log is unpacked, with its mapping."""
    if not zipfile.is_zipfile(path):
        return folder / "packed.dbc"
    with zipfile.ZipFile(path) as archive:
        for each in archive.infolist():
            suffix = Path(each.filename).suffix.lower()
            if suffix in SUFFIXES and 0 < each.file_size <= MOST_BYTES:
                with archive.open(each) as file:
                    (folder / f"packed{suffix}").write_bytes(file.read(MOST_BYTES))
    return folder / "packed.dbc"
