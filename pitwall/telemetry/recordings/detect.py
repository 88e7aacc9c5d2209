"""The table of formats, recognised by content; and which export others should use."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pitwall.telemetry.recordings import (
    aim_xrk,
    can_logs,
    dialects,
    fit,
    gopro,
    gpx,
    journal,
    long_csv,
    motec_ld,
    nmea,
    ubx,
    vbo,
)
from pitwall.telemetry.recordings.base import Recording, RecordingError
from pitwall.telemetry.recordings.rows import WANTED
from pitwall.telemetry.recordings.text import RACECHRONO_OWN, encoding_of, read_head


class RecordingFormat(NamedTuple):
    """A format that is read: the first whose `sniff` accepts opens the file.

    `title`: for drivers; `reads`: what is read; `extra`: to install.
    """

    name: str
    title: str
    sniff: Callable[[bytes], bool]
    open: Callable[[Path, bytes], Recording] | Callable[[Path, bytes, can_logs.Decoders | None], Recording]
    reads: str = "positions, speed, car signals"
    extra: str = ""


class RefusedFormat(NamedTuple):
    """A format that is not read, and what to do; known by bytes (`magic`) or suffix."""

    title: str
    suffixes: tuple[str, ...]
    advice: str
    magic: bytes = b""


_FIXES = "positions, speed"
_FRAMES = "car signals, by a DBC (--dbc FILE, or next to the log)"
FORMATS: tuple[RecordingFormat, ...] = (
    RecordingFormat("journal", "Pitwall's own journals and bundles", journal.sniff,
                    lambda path, _: journal.JournalRecording(path), "all of a drive"),
    RecordingFormat("motec-ld", "MoTeC .ld", motec_ld.sniff, motec_ld.MotecRecording,
                    "all channels; laps from the .ldx next to it"),
    RecordingFormat("aim-xrk", "AiM .xrk and .xrz", aim_xrk.sniff, aim_xrk.AimRecording,
                    "all channels, the logger's laps", "aim"),
    RecordingFormat("fit", "FIT (Garmin, Wahoo)", fit.sniff, fit.FitRecording,
                    f"{_FIXES}, fields of apps, laps by the button", "formats"),
    RecordingFormat("gopro", "GoPro MP4", gopro.sniff, gopro.GoProRecording, f"{_FIXES} of the camera's GPS"),
    RecordingFormat("vbo", "VBO (VBOX, RaceLogic, RaceBox, Circuit Tools)", vbo.sniff, vbo.VboRecording,
                    "all channels, start line and sectors"),
    RecordingFormat("long-csv", "CSV with one reading a row (Car Scanner, TRD)", long_csv.sniff,
                    long_csv.LongCsvRecording),
    RecordingFormat("csv", "CSV of AiM, MoTeC, RaceChrono, RaceCapture, VBOX, RaceBox, TrackAddict, "
                    "Harry's LapTimer, Doves .dovex, Telemetry Overlay, Alfano; of positions by any app "
                    "(GPSLogger, Sensor Logger, phyphox, Torque, Qstarz, Garmin G1000); text logs of ECUs "
                    "(TunerStudio .msl, ECUMaster, Link, RomRaider)",
                    dialects.sniff, dialects.CsvRecording, "all channels, the logger's laps"),
    RecordingFormat("gpx", "GPX and TCX", gpx.sniff, gpx.GpxRecording, _FIXES),
    RecordingFormat("nmea", "NMEA", nmea.sniff, nmea.NmeaRecording, f"{_FIXES} (RMC, GGA, GNS, VTG, ZDA)"),
    RecordingFormat("ubx", "UBX logs of u-blox receivers", ubx.sniff, ubx.UbxRecording, _FIXES),
    RecordingFormat("candump", "CAN logs of candump, CRTD, BUSMASTER, and CSV (SavvyCAN, python-can)",
                    can_logs.sniff, can_logs.CandumpRecording, _FRAMES, "can"),
)  # fmt: skip

OWN = "export it as CSV, VBO or GPX in the program that it was written for"
EXTRA = 'pip install "pitwall[{}]"'
REFUSED: tuple[RefusedFormat, ...] = (
    RefusedFormat("MoTeC .ld of a form that is not known", (".ld",), "open it in i2 and export it as CSV"),
    RefusedFormat("AiM .drk", (".drk",), "open it in RaceStudio 3 and export it as CSV"),
    RefusedFormat("RaceChrono .rcz", (".rcz",), RACECHRONO_OWN),
    RefusedFormat("Harry's LapTimer's own .hlptrl and .hlptrz", (".hlptrl", ".hlptrz"),
                  "export it in the app as CSV"),
    RefusedFormat("Link ECU .llg", (".llg", ".llg5"),
                  "open it in PCLink and export it as CSV", b"\xd7\0\0\0lf3"),
    RefusedFormat("Haltech's own text logs", (), "open it in NSP and export it as CSV", b"%DataLog%"),
    RefusedFormat("ECUMaster .emublog and .emuprolog", (".emublog", ".emublog3", ".emuprolog"),
                  "open it in the EMU client and export it as CSV"),
    RefusedFormat("Emerald's .lg1 and .lg2", (".lg1", ".lg2"), "export it as CSV in Emerald's software"),
    RefusedFormat("TunerStudio .mlg", (".mlg",), "convert it in MegaLogViewer to .msl or CSV", b"MLVLG\0"),
    RefusedFormat("MF4 and MDF", (".mf4", ".mdf"),
                  "convert it with asammdf: signals to CSV, frames of a bus to .log of candump", b"MDF     "),
    RefusedFormat("a CAN log of an analyzer's own (Microchip, CANWise, IXXAT, CarBus)", (),
                  "open it in SavvyCAN and save it as its native CSV, with times",
                  rb'^(.*CAN BUS Analyzer|EV NUM/ERR|@ TEXT @|.*"ID \(hex\)"|ID,Data Bytes|[0-9A-F]{3,8}#'
                  rb"|.*,0x[0-9A-F]+,.*,x\| )"),
    RefusedFormat("VBOX .vbb", (".vbb",), "open it in VBOX Test Suite and export it as .vbo", b"^VBB\x02"),
    RefusedFormat("a RaceCapture log that a spreadsheet saved", (), "import the logger's own .log",
                  rb'\|""ms""\|'),
    RefusedFormat("a camera's stream without its video", (), "import the GoPro's MP4 itself", rb"\ADEVC\0"),
    RefusedFormat("NMEA 2000 of boats, as Actisense or canboat write it", (".ebl",),
                  "log NMEA 0183 from the gateway, or write GPX in the plotter",
                  rb"^(\x1b\x01[\0-\x07]|\d{4}-\d\d-\d\d[T-][\d:.]+[ ,]\d[ ,]+(\d+[ ,]+){2}\d{5,6}[ ,:])"),
    RefusedFormat("a drone's own log (PX4, ArduPilot, Betaflight)", (".ulg", ".bbl"),
                  "convert it to GPX: Flight Review, mavlogdump, Blackbox Explorer", b"^ULog"),
    RefusedFormat("a u-blox log without UBX-NAV-PVT", (".ubx",), "log that message, or NMEA", b"^\xb5b"),
    RefusedFormat("CAN logs of Vector and PEAK", (".asc", ".blf", ".trc"),
                  "convert it with python-can: can_logconvert drive.blf drive.log", rb"\ALOGG"),
    RefusedFormat("a database of SQLite", (".db", ".sqlite"),
                  "export it as CSV; python-can's: can_logconvert drive.db drive.log", b"SQLite format"),
    RefusedFormat("AEM .daq and .stf", (".daq", ".stf"), "open it in AEMdata and export it as CSV"),
    RefusedFormat("Race-Keeper .rkd", (".rkd",), "convert it with rkd-telemetry-extractor to GPX"),
    RefusedFormat("Race Technology's and Renault R.S. Monitor's .run", (".run",),
                  "export it as CSV in Race Technology's Analysis; Renault's: as VBO in RaceChrono"),
    RefusedFormat("SpeedAngle's .sa", (".sa",), "convert it with speedangle-to-racechrono to VBO",
                  b"; GMOS Trace"),
    RefusedFormat("CSV of Garmin's FitCSVTool", (), "import the .fit that it was made of",
                  b"Type,Local Number,Message"),
    RefusedFormat("IGC of gliders and flight recorders", (".igc",),
                  "convert it with GPSBabel to GPX", b"^HFDTE"),
    RefusedFormat("XML that is neither GPX nor TCX", (), "export the drive as GPX or TCX",
                  rb"<\?xml|^<(trk|gpx)>"),
    RefusedFormat("JSON", (".json", ".geojson"), "export the drive as GPX or CSV, a number in each cell",
                  rb'''\A\s*(\{|\[\s*[\[{"\d-])|,"?\{"'''),
    RefusedFormat("a logger's, receiver's or planner's own file",
                  (".bin", ".tes", ".plt", ".trk", ".tk", ".nav", ".sbp", ".sbn", ".tk1", ".pos"),
                  "convert it with its maker's program, or GPSBabel, to GPX or CSV, with times",
                  b"OziExplorer Track|#Sportsim|^Grid\tLat/Lon"),
    RefusedFormat("iRacing .ibt", (".ibt",), "convert it to MoTeC .ld with Mu"),
    RefusedFormat("KML and KMZ", (".kml", ".kmz"), "export the drive as GPX or CSV"),
    RefusedFormat("a spreadsheet", (".xlsx", ".xls", ".ods"), "save the sheet as CSV"),
)  # fmt: skip


def format_rows() -> list[tuple[str, str, str]]:
    """Return each row of both tables: title, what is read, what it needs or what to export."""
    read = [(row.title, row.reads, EXTRA.format(row.extra) if row.extra else "") for row in FORMATS]
    return read + [(row.title, "not read", row.advice) for row in REFUSED]


def _refuse(path: Path, head: bytes) -> None:
    for each in REFUSED:
        if (
            each.magic and re.search(each.magic, head[:4096], re.MULTILINE)
        ) or path.suffix.lower() in each.suffixes:
            what = f"is not read here: {each.title}"
            raise RecordingError(path, what, hint=each.advice, recognised=True)


def open_recording(path: Path | str, decoders: can_logs.Decoders | None = None) -> Recording:
    """Open a recording. RecordingError. `decoders`: of a CAN log's frames."""
    path = Path(path)
    try:
        head = read_head(path)
    except RecordingError:
        # What to do matters more than how many files are in it.
        if path.suffix.lower() in (".kmz", ".xlsx", ".ods"):
            _refuse(path, b"")
        raise
    for row in FORMATS:
        if row.sniff(head):
            return row.open(path, head, *((decoders,) if row.name == "candump" else ()))
    _refuse(path, head)
    if why := dialects.why_no_drive(head):
        raise RecordingError(path, why[0], line=1, hint=why[1], recognised=True)
    binary = b"\0" in head[:4096].strip(b"\0") and encoding_of(head) == "utf-8"
    what = f"is of no format we know ({'binary data' if binary else 'text'})"
    hint = f"{OWN if binary else WANTED}; `pitwall import --formats` lists what is read"
    raise RecordingError(path, what, line=1, hint=hint)
