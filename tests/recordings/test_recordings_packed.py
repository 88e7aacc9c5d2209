"""Recordings that are packed, and those that only their maker's program reads."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest
from club import club_circuit
from usable import read_whole

from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.store import digest_of
from pitwall.telemetry.recordings import RecordingError, detect, open_recording, text
from pitwall.telemetry.recordings.written import WRITTEN

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("format", ["vbo", "nmea", "journal"])
def test_a_packed_recording_is_what_is_in_it(tmp_path: Path, format: str) -> None:
    plain = tmp_path / f"drive{WRITTEN[format].suffix}"
    simulate_to_file(club_circuit(), SimulationPlan(laps=1), format, plain)
    zipped, gzipped = tmp_path / "drive.zip", tmp_path / "drive.gz"
    gzipped.write_bytes(gzip.compress(plain.read_bytes()))
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(plain, f"session/{plain.name}")
        archive.writestr("__MACOSX/._drive", b"Mac")
    expected = read_whole(plain)[1]
    for packed in (zipped, gzipped):
        assert read_whole(packed)[1] == expected
        assert digest_of(packed) == digest_of(plain)


def test_what_can_not_be_unpacked_says_so(tmp_path: Path) -> None:
    rows = "Time,Latitude,Longitude\n" + "".join(f"{i / 10},38.{i:04d},-122.45\n" for i in range(20_000))
    packed = tmp_path / "rows.csv.gz"
    packed.write_bytes(gzip.compress(rows.encode())[:-9000])
    with pytest.raises(RecordingError, match="unpacking broke off"):
        list(open_recording(packed).samples())
    packed.write_bytes(b"\x1f\x8b\x08garbage that is no gzip")
    with pytest.raises(RecordingError, match=r"can't be (read|unpacked)"):
        open_recording(packed)
    archive = tmp_path / "two.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("one.csv", rows)
        file.writestr("two.csv", rows)
    with pytest.raises(RecordingError, match=r"is an archive of 2 files.*reads it as a folder"):
        open_recording(archive)


@pytest.mark.parametrize(
    ("name", "head", "what"),
    [
        ("STINT.DRK", b"\x78\x01", "open it in RaceStudio 3 and export it as CSV"),
        ("stint.ld", b"\x41\0\0\0", "open it in i2 and export it as CSV"),
        ("outing.rkd", b"\x01\0RKD", "Race-Keeper.*to GPX"),
        ("lap.RUN", b"\x01\0\0", "Race Technology.*VBO in RaceChrono"),
        ("day.txt", b"; GMOS Trace $Revision: 3.0.1 $\n", "SpeedAngle.*to VBO"),
        ("ride.csv", b"Type,Local Number,Message,Field 1,Value 1\n", "FitCSVTool.*import the .fit"),
        ("ecu.llg5", b"\xd7\0\0\0lf3", "PCLink"),
        ("flight", b"AXCS123 test\r\nHFDTE160526\r\nB1101355206343N00006198WA0058700558\r\n", "IGC.*to GPX"),
        ("gps.json", b'{"class":"TPV","lat":51.1,"lon":-114.1}\n', "JSON.*as GPX or CSV"),
        ("run", b'<?xml version="1.0"?>\n<History><Run/></History>', "neither GPX nor TCX"),
        ("day", b"OziExplorer Track Point File Version 2.1\r\nWGS 84\r\n", "GPSBabel.*with times"),
        ("gps.log", b"\xba\1\0\2,\3,\4\n5,6,7\n", "binary data"),
        ("BL-1000.BIN", b"\xc3\x42\0\0", "GPSBabel.*with times"),
        ("fixes", b"No,Latitude,Longitude\n1,30.06,-91.61\n", "no row has a time.*: No, Latitude.*each row"),
        ("laps", b"Lap,Time,Sector 1,Sector 2\n1,1:23.456,30.1,53.3\n", "is a list of laps"),
        ("ecu", b"RPM,MAP,TPS\n3037,77.4,51.2\n", "no row has a time.*: RPM, MAP, TPS.*each row"),
        ("fixes", b"11.2788,52.0273\n11.2783,52.0274\n", "no row of names.*first line"),
        (
            "fixes",
            b"39.3,-120.1,2009-07-22 20:55:41\n39.3,-120.2,2009-07-22 20:55:45\n",
            "no row of names.*first line",
        ),
        ("can.log", b"309#40\n025#00\n202#900000\n", "SavvyCAN.*with times"),
        ("day.gpx", b'<trk><trkseg><trkpt lat="55.6" lon="12.5"/></trkseg></trk>', "neither GPX nor TCX"),
        ("day.gpx", b'<gpx>\n<rte><rtept lat="1.0" lon="2.0" time="3"/></rte></gpx>', "no trackpoint"),
        ("day.gpx", b'<gpx a="1><trk><trkseg/></trk></gpx>', "no trackpoint.*not well-formed"),
        ("gps.csv", b'2024-06-23T05:10:33Z,{"lat":11.1,"lon":106.6}\n', "JSON.*as GPX or CSV"),
        ("boat.txt", b"4453.51N 06840.23W 33808\n4453.51N 06840.24W 31378\n", "no row of names.*first line"),
        ("can.csv", b'1,="11:17:34.454",0xB5FB52,ch1,0x0C05A1A7,x| 09 10\n', "SavvyCAN.*with times"),
        ("utm", b"utm_x,utm_y\n1000.5,2000.1\n1001.7,2000.2\n", "no column of times: utm_x, utm_y"),
        (
            "gps.log",
            b"Status: 1\nLatitude: 52.1\nLongitude: 4.2\n" * 9,
            "one value on each line.*row and a time",
        ),
        ("acc", b"timestamp,x,y,z\n14/05/2016 11:17:09,0.1,0.2,9.8\n", "neither positions.*Location.csv"),
        ("fixes", b"47.24,N,122.43,W,True\n47.25,N,122.44,W,True\n", "no row of names.*first line"),
        ("log", b"//\n// Somebody\nCAN BUS Analyzer\n166184;RX;0x00000102;1;0x16;\n", "SavvyCAN.*with times"),
        ("can.csv", b'Bitrate 500\n"Bus","No","Time","State","ID (hex)","DLC"\n', "SavvyCAN.*with times"),
        ("can.trc", b"@ TEXT @ 2 @ 64 @ 0 @\n", "SavvyCAN.*with times"),
        ("boat.txt", b"2020-03-04T00:29:58.618 2 013 255 130306 : ff a4 01 51\n", "NMEA 2000.*0183"),
        ("boat.ebl", b"\x1b\x01\x03\x90\xe3", "NMEA 2000.*0183"),
        ("flight", b"ULog\1\x12\x35", "PX4.*GPX"),
        ("raw.ubx", b"\xb5\x62\x0d\x12\x38\0", "NAV-PVT.*log that message"),
        ("day.txt", b"SportsimVersion:01\n#Sportsim TrackFile\n", "GPSBabel.*with times"),
        ("day.txt", b"Grid\tLat/Lon hddd\nDatum\tWGS 84\n", "GPSBabel.*with times"),
        ("drive.mlg", b"MLVLG\0\0\1", "MegaLogViewer"),
        ("pull.csv", b"%DataLog%\nDataLogVersion : 1.1\n", "NSP.*CSV"),
        ("drive.mf4", b"MDF     4.10", "asammdf.*CSV"),
        ("drive.blf", b"LOGG", "can_logconvert"),
        ("can.db", b"SQLite format 3\0", "SQLite.*can_logconvert"),
        ("day.kmz", b"PK\x03\x04", "GPX or CSV"),
        ("can.log", b"(1436509052.249713) can0 2C4#0000\n", "no DBC says what they mean.*--dbc FILE"),
    ],
)
def test_what_is_read_elsewhere_says_where(tmp_path: Path, name: str, head: bytes, what: str) -> None:
    path = tmp_path / name
    path.write_bytes(head + bytes(range(256)))
    with pytest.raises(RecordingError, match=what):
        open_recording(path)


def test_a_session_of_racechrono_is_told_by_name_and_what_to_export(tmp_path: Path) -> None:
    path = tmp_path / "session.rcz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.json", '{"title":"A session"}')
        archive.writestr("sessionfragment.json", "{}")
        archive.writestr("channel_1_100_0_3_0", b"\1\2\3\4\5\6\7\10")
    with pytest.raises(RecordingError, match=r"RaceChrono's own .*CSV v3 or VBO"):
        open_recording(path)


def test_a_spreadsheet_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "log.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/sheet1.xml"):
            archive.writestr(name, "<x/>")
    assert not text.unpack_folder(path, tmp_path)
    with pytest.raises(RecordingError, match=r"spreadsheet.*as CSV"):
        open_recording(path)


def test_an_archive_of_several_is_read_as_a_folder_and_names_stay_in_it(tmp_path: Path) -> None:
    archive, into = tmp_path / "day.zip", tmp_path / "into"
    into.mkdir()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a/drive.csv", "one")
        file.writestr("/etc/b.csv", "two")
        file.writestr("../../c.csv", "three")
        file.writestr("__MACOSX/._drive", b"Mac")
    assert text.unpack_folder(archive, into)
    found = {path.name: path.read_text() for path in tmp_path.rglob("*.csv")}
    assert found == {"drive.csv": "one", "b.csv": "two"}


def test_the_readme_lists_the_formats_that_are_read() -> None:
    """README's sentence is made of the table: whoever adds a row finds here what it must say."""
    titles = "; ".join(row.title for row in detect.FORMATS)
    assert f"It reads {titles}." in " ".join((ROOT / "README.md").read_text().split())
