"""Channels that a person named, in the settings and for one file."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from usable import column

from pitwall.cli import main
from pitwall.config import CanNames, Home
from pitwall.drive.prepare import opened
from pitwall.drive.replay import import_file
from pitwall.store.store import Store
from pitwall.telemetry.recordings import RecordingError

CSV = """\
Time (s),Latitude (deg),Longitude (deg),Speed (km/h),lws,Brake Pressure (bar),pbk_hr (psi)
0.0,51.0,4.0,90,0.5,1.0,100
0.1,51.00002,4.0,90,-0.5,2.0,200
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "log.csv"
    made.write_text(CSV)
    return made


def test_a_channel_is_taken_for_what_a_person_says(path: Path, home: Home) -> None:
    names = CanNames(channels={"steering_deg": "LWS:rad", "oil_bar": "poel"}, given={"brake_bar": "pbk_hr"})
    recording = opened(path, Home(home.root, can=names))
    samples = list(recording.samples())
    assert column(recording, samples, "steering_deg") == pytest.approx([28.6479, -28.6479], abs=1e-4)
    assert column(recording, samples, "brake_bar") == pytest.approx([6.8948, 13.7895], abs=1e-4)
    assert column(recording, samples, "brake_pressure_own") == [1.0, 2.0]
    with Store(home) as store:
        store.open()
        first = import_file(path, home, store)
        again = import_file(path, Home(home.root, can=names), store)
    assert not first.known
    assert not again.known


def test_what_is_not_there_or_does_not_fit_says_so(path: Path, home: Home) -> None:
    for given, what in (
        ({"rpm": "nmot"}, "has no channel 'nmot'"),
        ({"brake_bar": "lws"}, r"lws in no unit is no brake_bar .*brake_bar=lws:bar"),
    ):
        with pytest.raises(RecordingError, match=what):
            opened(path, Home(home.root, can=CanNames(given=given)))


@pytest.mark.parametrize("text", ["steering=lws:deg", "steering_deg=", "steering_deg=lws:bar"])
def test_what_can_not_be_a_channel_is_refused(
    path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["inspect", str(path), "--channel", text])
    assert "--channel" in capsys.readouterr().err


def test_the_settings_name_channels(
    path: Path, home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home.root.mkdir(parents=True, exist_ok=True)
    (home.root / "pitwall.toml").write_text('[channels]\nsteering_deg = "lws:rad"\nbrake = "x"\n')
    monkeypatch.setenv("PITWALL_HOME", str(home.root))
    assert main(["inspect", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "steering_deg (lws)" in out
    assert "pitwall.toml:3" in err
    assert "no signal of Pitwall's" in err


def unitless(path: Path, per_mps: float, name: str = "Speed") -> Path:
    """Two minutes of driving north with a speed that changes, in so many of its unit for each m/s."""
    lines, lat = [f"Time (s),Latitude (deg),Longitude (deg),{name}"], 51.0
    for n in range(600):
        speed_mps = 25.0 + 10.0 * math.sin(n / 40.0)
        lines.append(f"{n / 5:.1f},{lat:.7f},4.0,{speed_mps * per_mps:.3f}")
        lat += speed_mps / 5.0 / 111_195.0
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("unit", "per_mps"), [("km/h", 3.6), ("mph", 2.23694), ("m/s", 1.0), ("knots", 1.94384)]
)
def test_a_speed_without_a_unit_is_read_as_it_agrees_with_the_fixes(
    tmp_path: Path, home: Home, unit: str, per_mps: float
) -> None:
    recording = opened(unitless(tmp_path / "log.csv", per_mps), home)
    samples = list(recording.samples())
    assert column(recording, samples, "speed_mps")[100] == pytest.approx(25 + 10 * math.sin(2.5), abs=0.01)
    [told] = [each.detail for each in recording.findings() if each.signal == "speed_mps"]
    assert f"read as {unit}, in which it agrees" in told
    corrected = opened(unitless(tmp_path / "corr.csv", per_mps, "Corr Speed"), home)
    assert "wheel_speed_mps" in {channel.name for channel in corrected.info.streams[0].channels}


def test_a_stated_unit_that_the_fixes_refute_is_not_believed(tmp_path: Path, home: Home) -> None:
    """mph under the name of km/h, as a converter writes it; what a person says outranks the fixes."""
    path = unitless(tmp_path / "log.csv", 2.23694, "Speed (km/h)")
    recording = opened(path, home)
    samples = list(recording.samples())
    assert column(recording, samples, "speed_mps")[100] == pytest.approx(25 + 10 * math.sin(2.5), abs=0.01)
    [told] = [each.detail for each in recording.findings() if each.signal == "speed_mps"]
    assert told == "'Speed': the file says km/h, its positions say mph: read as mph"
    for unit, factor in (("mph", 1.0), ("km/h", 0.44704 * 3.6)):
        given = opened(path, Home(home.root, can=CanNames(given={"speed_mps": f"Speed:{unit}"})))
        told_mps = column(given, list(given.samples()), "speed_mps")[100] or 0.0
        assert told_mps * factor == pytest.approx(column(recording, samples, "speed_mps")[100], rel=1e-4)


@pytest.mark.parametrize(
    ("per_mps", "name"), [(3.6, "Speed (km/h)"), (3.1, "Speed (km/h)"), (2.9, "Speed (mph)")]
)
def test_a_stated_unit_is_believed_where_no_other_agrees(
    tmp_path: Path, home: Home, per_mps: float, name: str
) -> None:
    recording = opened(unitless(tmp_path / "log.csv", per_mps, name), home)
    assert not [each for each in recording.findings() if each.signal == "speed_mps"]
    assert "speed_mps" in {channel.name for channel in recording.info.streams[0].channels}


def test_a_speed_that_no_unit_explains_is_not_used(tmp_path: Path, home: Home) -> None:
    ecu = tmp_path / "ecu.csv"
    ecu.write_text("Time,RPM,Speed\n" + "".join(f"{n / 10},3000,{n}\n" for n in range(50)))
    for path, why in ((unitless(tmp_path / "log.csv", 2.9), "in none"), (ecu, "nothing tells it")):
        recording = opened(path, home)
        assert not {"speed_mps", "wheel_speed_mps"} & {c.name for c in recording.info.streams[0].channels}
        [told] = [each.detail for each in recording.findings() if each.signal == "speed"]
        assert why in told
        assert '="Speed:km/h"' in told


def test_a_speed_of_sparse_rows_agrees_with_the_fixes_over_longer_steps(tmp_path: Path, home: Home) -> None:
    rows, lat = ["Time (s),Latitude (deg),Longitude (deg),Speed"], 51.0
    for n in range(40):
        rows.append(f"{n * 12},{lat:.7f},4.0,{(20.0 + n / 5) * 2.23694:.3f}")
        lat += (20.1 + n / 5) * 12.0 / 111_195.0
    path = tmp_path / "leaf.csv"
    path.write_text("\n".join(rows) + "\n")
    recording = opened(path, home)
    assert column(recording, list(recording.samples()), "speed_mps")[-1] == pytest.approx(27.8, abs=0.01)


def test_rows_stamped_as_they_arrived_are_refused(tmp_path: Path, home: Home) -> None:
    """Twenty metres a second, sent in bursts of four rows: three of four moves are too fast."""
    rows = ["Time (s),Latitude (deg),Longitude (deg)"]
    rows += [f"{n // 4 + n % 4 / 100:.2f},{51.0 + n * 4.5e-5:.6f},4.0" for n in range(80)]
    path = tmp_path / "bursts.csv"
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(RecordingError, match=r"not those of its places: 60 of 79 .*logger's own time"):
        opened(path, home)
