"""Channels that a person named, in the settings and for one file."""

from __future__ import annotations

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
