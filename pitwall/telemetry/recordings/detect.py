"""Chooses the reader by what stands in the file, never by what it is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pitwall.telemetry.recordings import (
    aim_xrk,
    candump,
    gps_csv,
    gpx,
    journal,
    motec_ld,
    nmea,
    racecapture,
    racechrono_v3,
    racestudio,
    vbo,
    vbox_csv,
)
from pitwall.telemetry.recordings.base import Recording, RecordingError
from pitwall.telemetry.recordings.text import read_head

# Formats of their makers' own, which are told by the name alone: whose, and what reads them.
OWN_FORMATS = {
    ".drk": ("AiM", "RaceStudio 3"),
    ".ld": ("MoTeC", "i2"),
}


class RecordingFormat(NamedTuple):
    """One row of the table: the first whose `sniff` says yes to the head of the file reads it."""

    name: str
    sniff: Callable[[bytes], bool]
    open: Callable[[Path, bytes], Recording]


FORMATS: tuple[RecordingFormat, ...] = (
    RecordingFormat("journal", journal.sniff, lambda path, _: journal.JournalRecording(path)),
    RecordingFormat("motec-ld", motec_ld.sniff, motec_ld.MotecRecording),
    RecordingFormat("aim-xrk", aim_xrk.sniff, aim_xrk.AimRecording),
    RecordingFormat("vbo", vbo.sniff, vbo.VboRecording),
    RecordingFormat("racestudio", racestudio.sniff, racestudio.RaceStudioRecording),
    RecordingFormat("racechrono", racechrono_v3.sniff, racechrono_v3.RaceChronoRecording),
    RecordingFormat("racecapture", racecapture.sniff, racecapture.RaceCaptureRecording),
    *(RecordingFormat(each.format, gps_csv.sniff, gps_csv.GpsCsvRecording) for each in gps_csv.DIALECTS),
    RecordingFormat("vbox-csv", vbox_csv.sniff, vbox_csv.VboxCsvRecording),
    RecordingFormat("gpx", gpx.sniff, gpx.GpxRecording),
    RecordingFormat("nmea", nmea.sniff, nmea.NmeaRecording),
)


def open_recording(path: Path | str, decoders: candump.Decoders | None = None) -> Recording:
    """Open a recording of any format we know. RecordingError where it is none or can't be used. `decoders`
    tell what the frames of a CAN log mean, and are asked for such a log alone."""
    path = Path(path)
    head = read_head(path)
    for row in FORMATS:
        if row.sniff(head):
            return row.open(path, head)
    if candump.sniff(head):
        return candump.CandumpRecording(path, head, decoders)
    if (own := OWN_FORMATS.get(path.suffix.lower())) is not None:
        maker, program = own
        raise RecordingError(path, f"is {maker}'s own format, which only {program} reads",
                             hint=f"open it in {program} and export it as CSV")  # fmt: skip
    known = ", ".join([*(row.name for row in FORMATS), "candump"])
    junk = "binary data" if b"\0" in head[:4096].strip(b"\0") else "text"
    raise RecordingError(path, f"is of no format we know ({junk})", line=1, hint=f"known are {known}")
