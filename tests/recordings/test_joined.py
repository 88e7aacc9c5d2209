"""An ECU's log joined to the GPS file of the same drive, by what both tell of the car."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from stored_facts import opened

from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.store.queries import rows
from pitwall.telemetry.recordings import Recording, RecordingError, open_recording
from pitwall.telemetry.recordings.joined import joined

DEMO = Path(__file__).resolve().parents[2] / "scripts" / "data" / "sonoma-simulated.vbo"
BEFORE_S = 137.4  # the ECU's clock reads so much more


def ecu_log(path: Path, name: str, *, factor: float, until_s: float = 400.0) -> Path:
    """What the ECU logs of the demo's drive, with a channel that GPS has not."""
    recording = open_recording(DEMO)
    at = [channel.name for channel in recording.info.streams[0].channels].index(
        "rpm" if name == "RPM" else "speed_mps"
    )
    lines = [f"Time (s),{name},TPS (%),CLT (C)"]
    for number, sample in enumerate(recording.samples()):
        value = sample.values[at]
        if sample.t > until_s:
            break
        if sample.t > 60.0 and number % 2 == 0 and value is not None:
            lines.append(f"{sample.t + BEFORE_S:.3f},{value * factor:.2f},{number % 100},90")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("name", "factor"), [("Vehicle Speed (km/h)", 3.6), ("RPM", 1.0)])
def test_the_shift_is_found_and_its_certainty_told(tmp_path: Path, name: str, factor: float) -> None:
    other = open_recording(ecu_log(tmp_path / "ecu.csv", name, factor=factor))
    recording, shift = joined(open_recording(DEMO), other)
    assert shift.sure
    assert shift.shift_s == pytest.approx(60.1, abs=0.1)  # its own clock began at the log's first row
    assert shift.fit > 0.9
    assert shift.fit - shift.next_fit > 0.03
    samples = list(recording.samples())
    assert all(before.t <= after.t for before, after in pairwise(samples))
    assert {stream.id for stream in recording.info.streams} == {sample.stream for sample in samples}


def test_a_log_of_another_drive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ecu.csv"
    lines = "\n".join(f"{n / 5:.1f},{20 + n * 7919 % 60},{n % 50}" for n in range(2000))
    path.write_text(f"Time (s),Vehicle Speed (km/h),TPS (%)\n{lines}\n")
    with pytest.raises(RecordingError, match=r"can't be joined .* for sure: shifted by"):
        joined(open_recording(DEMO), open_recording(path))


@pytest.mark.long
def test_an_import_has_the_channels_of_both(tmp_path: Path, home: Home) -> None:
    path = ecu_log(tmp_path / "ecu.csv", "Vehicle Speed (km/h)", factor=3.6, until_s=200.0)
    with opened(home) as store:
        imported = import_file(DEMO, home, store, second=path)
        sql = "SELECT count(coolant_c), max(coolant_c) FROM frames WHERE session = ? AND coolant_c = 90.0"
        [(count, _)] = rows(store, sql, [imported.session])
    assert count > 500
    assert any(note.startswith(f"{path} joined, shifted by +60.") for note in imported.notes)


def test_a_folder_joins_what_is_of_one_drive_and_does_nothing_twice(
    tmp_path: Path, home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITWALL_HOME", str(home.root))
    folder = tmp_path / "card"
    (folder / "DCIM").mkdir(parents=True)
    ecu_log(folder / "ecu.csv", "Vehicle Speed (km/h)", factor=3.6, until_s=200.0)
    (folder / "DCIM" / "drive.vbo").write_bytes(DEMO.read_bytes())
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 a photo")
    (folder / "day.kmz").write_bytes(b"PK\3\4 a map")
    opened = Counter[str]()

    def counted(path: Path, *given: object) -> Recording:
        opened[path.name] += 1
        return open_recording(path, *given)  # type: ignore[arg-type]

    monkeypatch.setattr("pitwall.drive.prepare.open_recording", counted)
    assert main(["import", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.count(": session ") == 1
    assert "2 recordings: 1 ecu-csv, 1 vbo" in err
    assert "ecu.csv joined, shifted by +60." in err
    assert "no recordings, left out: photo.jpg" in err
    assert "export the drive as GPX or CSV" in err
    assert opened == {"ecu.csv": 1, "drive.vbo": 1, "photo.jpg": 1, "day.kmz": 1}
    assert main(["import", str(folder)]) == 0
    assert "already stored" in capsys.readouterr().out


def test_one_file_is_joined_to_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "a.vbo", "b.vbo", "--with", str(tmp_path / "ecu.csv")]) == 2
    assert "name one FILE" in capsys.readouterr().err
