"""A kill costs what was not said meanwhile, and nothing else: the killed drive beside its unbroken twin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from copies import link_clips
from driven_pitwall import Aim
from judge import Outcome, Ride, differences, driven
from long_runs import a_few
from running_daemon import DEMO

from pitwall.config import Home

pytestmark = pytest.mark.long

# Two laps and a bit of the demo: the first advice that came of them.
UNTIL_S = 480.0
BACKLOG = Ride(str(DEMO), "backlog", UNTIL_S)


@pytest.fixture(scope="module")
def home_at(tmp_path_factory: pytest.TempPathFactory, sonoma_clips: Path) -> Callable[[], Home]:
    def made() -> Home:
        home = Home(tmp_path_factory.mktemp("judged") / "home")
        home.prepare()
        link_clips(sonoma_clips, home.clips)
        return home

    return made


@pytest.fixture(scope="module")
def twin(home_at: Callable[[], Home]) -> Outcome:
    """The drive that nobody killed."""
    return driven(home_at(), BACKLOG)


@pytest.mark.parametrize(
    "aims",
    a_few(
        [
            # The track is known, its words are not: they are asked for again. And twice within a second.
            ([Aim("track", "after"), Aim("feeding"), Aim("words", "before")],),
            # The source's clock is mapped on: else what was held up falls on one instant.
            ([Aim("sample", "after", 4000)],),
        ],
        1,
    ),
    ids=["before the words", "a backlog"],
)
def test_a_killed_drive_is_its_unbroken_twin(
    aims: list[Aim], twin: Outcome, home_at: Callable[[], Home]
) -> None:
    assert twin.lines
    killed = driven(home_at(), BACKLOG, aims)
    assert len(killed.gaps) == len(aims)
    assert differences(killed, twin) == []
