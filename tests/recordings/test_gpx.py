"""GPX and TCX: what a point says of itself is heeded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from usable import column, kinds, read_whole

from pitwall.telemetry.recordings import RecordingError, open_recording


def test_a_point_without_a_fix_has_no_place(tmp_path: Path) -> None:
    tail = ("<fix>3d</fix><sat>9</sat><hdop>0.9</hdop>", "<fix>none</fix>", "<sat>4</sat><hdop>45</hdop>", "")
    points = "".join(
        f'<trkpt lat="51.{i:04d}" lon="4.0"><time>2025-05-17T17:00:0{i}Z</time>{each}</trkpt>'
        for i, each in enumerate(tail)
    )
    path = tmp_path / "ride.gpx"
    path.write_text(f'<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>{points}</trkseg></trk></gpx>')
    recording, samples = read_whole(path)
    assert column(recording, samples, "lat_deg") == [51.0, None, None, 51.0003]
    assert column(recording, samples, "satellites") == [9.0, None, None, None]
    assert kinds(recording) == {"void_fix": 2}


def tcx(path: Path) -> Path:
    point = """<Trackpoint><Time>2025-05-17T17:00:0{}.500Z</Time><Position>
    <LatitudeDegrees>51.0</LatitudeDegrees>
    <LongitudeDegrees>4.5</LongitudeDegrees></Position><AltitudeMeters>12</AltitudeMeters><Extensions><ns3:TPX><ns3:Speed>22.5</ns3:Speed></ns3:TPX></Extensions></Trackpoint>"""
    paused = "<Trackpoint><Time>2025-05-17T17:00:01Z</Time></Trackpoint>"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<TrainingCenterDatabase xmlns="urn:x" xmlns:ns3="urn:y">'
        "<Activities>"
        f'<Activity Sport="Other"><Lap StartTime="2025-05-17T17:00:00Z"><Track>{point.format(0)}{paused}'
        f"{point.format(2)}</Track></Lap></Activity></Activities></TrainingCenterDatabase>"
    )
    return path


@pytest.mark.parametrize("named", ["UTFnan8", "big5"])
def test_a_file_in_an_encoding_that_no_parser_knows_is_refused(tmp_path: Path, named: str) -> None:
    path = tcx(tmp_path / "ride.tcx")
    path.write_bytes(path.read_bytes().replace(b"UTF-8", named.encode(), 1))
    with pytest.raises(RecordingError, match=r"names an encoding.*save it as UTF-8"):
        open_recording(path)


def test_tcx(tmp_path: Path) -> None:
    recording, samples = read_whole(tcx(tmp_path / "ride.tcx"))
    assert (recording.info.format, recording.info.start_utc_s) == ("tcx", 1747501200.5)
    assert [sample.t for sample in samples] == [0.0, 2.0]
    assert column(recording, samples, "speed_mps") == [22.5, 22.5]
    assert column(recording, samples, "lon_deg") == [4.5, 4.5]
    assert column(recording, samples, "altitude_m") == [12.0, 12.0]
    assert kinds(recording) == {"malformed_row": 1}


def test_a_ride_without_any_position_is_told_so(tmp_path: Path) -> None:
    path = tcx(tmp_path / "indoors.tcx")
    path.write_text(re.sub(r"<Position>.*?</Position>", "", path.read_text(), flags=re.DOTALL))
    with pytest.raises(RecordingError, match=r"3 points with a time and none with a position .*without GPS"):
        open_recording(path)


def test_a_watch_that_pauses_loses_no_point(tmp_path: Path) -> None:
    times = ("17:00:00", "17:00:07", "17:00:08", "17:02:40", "17:02:41")
    points = "".join(f'<trkpt lat="51.0" lon="4.0"><time>2025-05-17T{each}Z</time></trkpt>' for each in times)
    path = tmp_path / "ride.gpx"
    path.write_text(f'<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>{points}</trkseg></trk></gpx>')
    recording, samples = read_whole(path)
    assert [sample.t for sample in samples] == [0.0, 7.0, 8.0, 160.0, 161.0]
    assert kinds(recording)["time_gap"] == 1
