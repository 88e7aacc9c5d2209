"""Sessions to analyse: the real Sonoma recording, and simulated drives with mistakes that are known."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from stored_facts import opened

from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import Mistake, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store
from pitwall.track.model import Track

Drive = Callable[..., SessionRow]


def row_of(facts: Facts, session: str) -> SessionRow:
    return next(row for row in facts.sessions() if row.id == session)


@pytest.fixture(scope="session")
def sonoma(
    sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, Facts, SessionRow]]:
    """The M3's session at Sonoma; tests only look at it."""
    root = shutil.copytree(sonoma_driven, tmp_path_factory.mktemp("sonoma") / "home")
    with opened(Home(Path(root))) as store:
        facts = Facts(store)
        [row] = facts.sessions()
        yield store, facts, row


@pytest.fixture(scope="session")
def tools(sonoma: tuple[Store, Facts, SessionRow]) -> Tools:
    """The tools over that session, which remember its report."""
    return Tools(sonoma[1])


@pytest.fixture(scope="session")
def club() -> Track:
    return club_circuit()


@pytest.fixture(scope="session")
def clean_home(made_once: Callable[[str, Callable[[Path], object]], Path], club: Track) -> Path:
    """A home with five clean laps on the club circuit; for copies."""

    def driven(root: Path) -> None:
        home = Home(root)
        home.prepare()
        (home.track_data / "club.json").write_bytes(msgspec.json.encode(club))
        simulate_to_file(club, SimulationPlan(laps=5, seed=1), "vbo", root / "clean.vbo")
        with opened(home) as store:
            import_file(root / "clean.vbo", home, store)

    return made_once("club-clean", driven)


@pytest.fixture(scope="session")
def clean(clean_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, SessionRow]]:
    """The store of those laps and their session; tests only look at it."""
    with opened(Home(shutil.copytree(clean_home, tmp_path_factory.mktemp("clean") / "home"))) as store:
        yield store, Facts(store).sessions()[0]


@pytest.fixture
def clean_store(clean_home: Path, tmp_path: Path) -> Iterator[Store]:
    """A store of those laps of a test's own."""
    with opened(Home(shutil.copytree(clean_home, tmp_path / "clean"))) as store:
        yield store


@pytest.fixture
def store(home: Home, club: Track) -> Iterator[Store]:
    """An open store that knows the invented club circuit."""
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club))
    with opened(home) as made:
        yield made


@pytest.fixture
def drive(store: Store, club: Track, tmp_path: Path) -> Drive:
    """Simulates a session on the club circuit and imports it: `drive(Mistake(...), ..., laps=5)`."""

    def driven(*mistakes: Mistake, laps: int = 5, seed: int = 1, **changes: object) -> SessionRow:
        plan = SimulationPlan(laps=laps, mistakes=mistakes, seed=seed, **changes)  # type: ignore[arg-type]
        path = tmp_path / f"drive-{seed}-{len(list(tmp_path.iterdir()))}.vbo"
        simulate_to_file(club, plan, "vbo", path)
        imported = import_file(path, store.home, store)
        return row_of(Facts(store), imported.session)

    return driven
