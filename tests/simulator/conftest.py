"""One driven session of the invented circuit, shared by the simulator's tests."""

import pytest
from club import club_circuit

from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.trace import TrueDrive, true_drive
from pitwall.track.model import Track


@pytest.fixture(scope="session")
def club() -> Track:
    return club_circuit()


@pytest.fixture(scope="session")
def plan() -> SimulationPlan:
    return SimulationPlan(laps=2)


@pytest.fixture(scope="session")
def driven(club: Track, plan: SimulationPlan) -> TrueDrive:
    return true_drive(club, plan)
