"""The shipped demo recording is what its plan makes, is small, and says that it is simulated."""

from pathlib import Path

import pytest

from pitwall.simulator.demo import write_demo
from pitwall.telemetry.recordings.detect import open_recording

DEMO = Path(__file__).resolve().parents[2] / "scripts" / "data" / "sonoma-simulated.vbo"
# Another machine's libm may differ in the last bit, and so in the last digit written.
LAST_DIGITS = 2e-3


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / DEMO.name
    return path, write_demo(path)


@pytest.mark.long
def test_making_the_demo_again_gives_the_shipped_file(again):
    path, _ = again
    made, kept = path.read_text(encoding="utf-8").split("\n"), DEMO.read_text(encoding="utf-8").split("\n")
    renew = "track or plan has changed: run scripts/make_demo"
    assert len(made) == len(kept), renew
    data = made.index("[data]") if "[data]" in made else made.index("[data]\r")
    for number, (new, old) in enumerate(zip(made, kept, strict=True), start=1):
        if number <= data + 1 or new == old:
            assert new == old, (number, renew)
        else:
            cells = [float(cell) for cell in new.split()]
            assert cells == pytest.approx([float(cell) for cell in old.split()], rel=LAST_DIGITS), (
                number,
                renew,
            )


def test_the_demo_is_small_and_says_what_it_is():
    content = DEMO.read_bytes()
    assert len(content) < 1_000_000
    assert b"SIMULATED" in content[:1000]
    info = open_recording(DEMO).info
    assert "SIMULATED" in info.venue
    assert info.gate is not None


def test_the_demo_driver_is_believable(again):
    _, summary = again
    times = [lap.time_s for lap in summary.truth.laps if lap.time_s is not None]
    assert len(times) == 5
    assert all(110.0 < time_s < 116.0 for time_s in times)
    assert min(times) == times[-1], "what he cured must show"
