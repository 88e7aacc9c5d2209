"""What every test may use: the shared recordings, a home of its own, what is made once for all workers."""

from __future__ import annotations

import atexit
import fcntl
import gc
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import certifi
import pytest
from copies import copied, link_clips
from cpu_seconds import CpuSeconds
from hypothesis import HealthCheck, settings
from stand_ins import write_stand_ins
from stored_facts import WritableStoreFacts

from pitwall.config import Home
from pitwall.drive.prepare import known_tracks, prepare_words
from pitwall.drive.replay import Replay, ReplayOptions, import_file
from pitwall.store import writer
from pitwall.store.store import Store
from pitwall.voice import render

# python-can would load pandas through it, where it is installed.
sys.modules.setdefault("asammdf", None)  # type: ignore[arg-type]

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

# How long an example takes is no matter of a test. A folder that all examples of one share does no harm: each
# writes its file anew. Examples follow from the code, as hypothesis has it under CI: what was green before it
# landed is green after. PITWALL_FUZZ=1 looks for faults: ten times as many, others at each run.
FUZZ = "PITWALL_FUZZ" in os.environ
settings.register_profile(
    "pitwall",
    settings(),
    deadline=None,
    derandomize=not FUZZ,
    max_examples=200 if FUZZ else 20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("pitwall")


@pytest.fixture(scope="session", autouse=True)
def no_signal_to_all() -> Iterator[None]:
    """A signal to process 0 would reach the whole test run and what started it: a process that has no number
    yet, or no longer, is an error."""
    kill = os.kill

    def kill_one(pid: int, number: int) -> None:
        assert pid > 0, f"signal {number} to process {pid}"
        kill(pid, number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "kill", kill_one)
        yield


@pytest.fixture(scope="session", autouse=True)
def rows_at_once() -> Iterator[None]:
    """Who looks for a row waits no minute for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "HOLD_S", writer.FLUSH_EVERY_S)
        yield


ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
MadeOnce = Callable[[str, Callable[[Path], object]], Path]

# The longest ones, which wait for much of their time: begun first, none of them is left alone at the end. The
# later ones speak: while their words are made, nobody is to wait for them.
FIRST = (
    "tests/api/test_api_document.py",
    "tests/analysis/test_questions_recomputed.py",
    "tests/store/test_sqlgate_lists.py",
    "tests/system/test_killed_merges.py",
    "tests/daemon_kills/test_worst_day.py",
    "tests/termux/test_services.py",
    "tests/termux/test_adb.py",
    "tests/daemon/test_five_sources.py",
    "tests/system/test_pages.py",
    "tests/daemon/test_next_run.py",
    "tests/daemon/test_new_track.py",
)
# One worker runs the whole file: what its tests look at costs more than all of them.
TOGETHER = (
    "tests/analysis/test_answers_in_words.py",
    "tests/analysis/test_facts_recomputed.py",
    "tests/api/test_api_guard.py",
    "tests/coach/test_coach_drives.py",
    "tests/coach/test_coach_recording.py",
    "tests/coach/test_memory.py",
    "tests/daemon/test_faults_around.py",
    "tests/daemon/test_faults_data.py",
    "tests/daemon/test_next_run.py",
    "tests/daemon_kills/test_checkpoint.py",
    "tests/daemon_kills/test_judged_kills.py",
    "tests/fleet/test_fleet_answers.py",
    "tests/fleet/test_fleet_lake.py",
    "tests/simulator/test_simulator_formats.py",
    "tests/simulator/test_simulator_mistakes.py",
    "tests/simulator/test_simulator_sensors.py",
    "tests/store/test_sqlgate_lists.py",
    "tests/store/test_store_damaged.py",
    "tests/system/test_terminal.py",
    "tests/telemetry/test_fusion_streams.py",
    "tests/track/test_track_recordings.py",
    "tests/words/test_read.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests that are marked `long` as well")
    parser.addoption(
        "--rest", action="store_true", help="run what is marked `long`, and what takes a recording, only"
    )
    parser.addoption("--dearest", type=int, help="how many tests are named by what they cost")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(CpuSeconds())
    # A shell that starts this in the background lets Ctrl-C be ignored, and by every child of ours too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    choose(config, items)
    # Hypothesis reads the constants of all our modules, and keeps them in files: the others read those.
    with Path(__file__).open() as one_worker:
        fcntl.flock(one_worker, fcntl.LOCK_EX)
        return (yield)


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--rest"):
        chosen = [item for item in items if _is_long(item) or _takes_a_recording(item)]
    elif config.getoption("--long"):
        chosen = items
    else:
        chosen = [item for item in items if not _is_long(item)]
    if "PITWALL_MANY" not in os.environ:
        chosen = [item for item in chosen if item.get_closest_marker("many") is None]
    config.hook.pytest_deselected(items=list(set(items) - set(chosen)))
    items[:] = chosen
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=_order(items))


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None or item.get_closest_marker("many") is not None


def _order(items: list[pytest.Item]) -> Callable[[pytest.Item], int]:
    """The longest first, of which the quick part has none. Then a test each that makes what is dear; whoever
    else takes it comes last, so that it is there when he asks."""

    def takes(item: pytest.Item, *dear: str) -> bool:
        return not set(dear).isdisjoint(getattr(item, "fixturenames", ()))

    makers = [
        next((item for item in items if takes(item, dear)), None) for dear in ("demo_driven", "sonoma_driven")
    ]
    waiting = {item.path for item in items if takes(item, "sonoma_clips", "sonoma_driven")}

    def place(item: pytest.Item) -> int:
        if item.get_closest_marker("long") and item.nodeid.startswith(FIRST):
            return next(number for number, file in enumerate(FIRST) if item.nodeid.startswith(file))
        return len(FIRST) + (0 if item in makers else 1 + (item.path in waiting))

    return place


def _takes_a_recording(item: pytest.Item) -> bool:
    """A test with `drives` ran on simulated ones where no recordings are; one that only needs a driven home
    has nothing more to say of a real one."""
    fixtures = set(getattr(item, "fixturenames", ()))
    if "sonoma_driven" in fixtures and "sonoma_facts" not in fixtures:
        fixtures -= {"drives"}
    return bool(fixtures & {"recordings", "drives"}) or item.get_closest_marker("recordings") is not None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what the skipped tests need."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.getreports("skipped"))
    told = [f"{count}: {reason.removeprefix('Skipped: ')}" for reason, count in reasons.most_common()]
    if told:
        terminalreporter.write_line(f"skipped {reasons.total()} tests: {'; '.join(told)}")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What all modules load stays to the end: the garbage collector need not walk it, now or then."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        # Not before: what is still there when all is over, duckdb's library would report as leaked.
        atexit.register(gc.unfreeze)
        # Most of what a test makes goes without it: looking seldom takes a twentieth off the suite.
        gc.set_threshold(7_000, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """In a fresh clone the first worker that comes to a module compiles it; the others read that."""
    if not isinstance(collector, pytest.Module):
        return (yield)
    with collector.path.open() as module:
        fcntl.flock(module, fcntl.LOCK_EX)
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Test by test to whoever is free, but for TOGETHER. (xdist's own groups do nothing under pytest 9.2.)"""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid.partition("::")[0] if nodeid.startswith(TOGETHER) else nodeid

    return Scheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test leaves this machine, yet every model client reads all authorities there are: one is enough."""
    all_of_them = Path(certifi.where()).read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("authority") / "one.pem"
    path.write_text("".join(all_of_them.partition("-----END CERTIFICATE-----\n")[:2]), encoding="utf-8")
    os.environ["SSL_CERT_FILE"] = str(path)


def _recordings_folder() -> Path:
    return Path(os.environ.get("PITWALL_RECORDINGS", ROOT.parent / "shared" / "recordings"))


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real recordings. Missing: skipped, but under CI=true a failure."""
    folder = _recordings_folder()
    if not folder.is_dir():
        message = f"they need the shared recordings, which are not in {folder}; set PITWALL_RECORDINGS"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """`made_once(name, make)`: the folder of that name, made by `make(folder)` in the first worker that asks.

    It is everybody's: to be read or copied, never changed.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made-once"

    def made(name: str, make: Callable[[Path], object]) -> Path:
        shared.mkdir(exist_ok=True)
        folder = shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = shared / f"{name}.unfinished"
                shutil.rmtree(unfinished, ignore_errors=True)
                make(unfinished)
                unfinished.rename(folder)
        return folder

    return made


@pytest.fixture(autouse=True)
def _recordings_where_marked(request: pytest.FixtureRequest) -> None:
    """The mark `recordings`: what is said here only holds for them."""
    if request.node.get_closest_marker("recordings"):
        request.getfixturevalue("recordings")


@pytest.fixture(scope="session")
def drives(request: pytest.FixtureRequest, made_once: MadeOnce) -> Path:
    """A folder with a drive in each format: the real recordings, else simulated ones of the same names."""
    if _recordings_folder().is_dir() or os.environ.get("CI") == "true":
        return Path(request.getfixturevalue("recordings"))
    return made_once("stand-ins", write_stand_ins)


@pytest.fixture(scope="session")
def sonoma_driven(drives: Path, made_once: MadeOnce) -> Path:
    """A home with a session at Sonoma, the M3's or one that stands in for it; for copies."""

    def drive(root: Path) -> None:
        home = Home(root)
        with Store(home) as store:
            store.open()
            import_file(drives / "sonoma-m3-vbox.csv", home, store)

    return made_once("sonoma", drive)


@pytest.fixture(scope="module")
def sonoma_facts(
    sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WritableStoreFacts]:
    """The facts of the M3's session at Sonoma, in a home of this file's own."""
    root = copied(sonoma_driven, tmp_path_factory.mktemp("sonoma") / "home")
    with Store(Home(root)) as store:
        store.open()
        yield WritableStoreFacts(store)


@pytest.fixture(scope="session")
def sonoma_clips(made_once: MadeOnce) -> Path:
    """A folder with every clip of Sonoma, each as loud as espeak makes it: most of a rendering's time goes by
    in levelling, and a clip is as long without it."""

    def speak(root: Path) -> None:
        home = Home(root)
        home.prepare()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(render, "levelled", bytes)
            words = prepare_words(home, known_tracks(home)[0]["sonoma"], sound=True)
        assert words.clips, words.notes

    return Home(made_once("spoken", speak)).clips


@pytest.fixture(scope="session")
def demo_driven(sonoma_clips: Path, made_once: MadeOnce) -> Path:
    """A home in which the demo recording was driven with its coach; for copies."""

    def drive(root: Path) -> None:
        home = Home(root)
        home.prepare()
        link_clips(sonoma_clips, home.clips)
        with Store(home) as store:
            store.open()
            assert Replay(DEMO, home, store, ReplayOptions()).run()

    return made_once("demo", drive)


@pytest.fixture(scope="session")
def demo_imported(made_once: MadeOnce) -> Path:
    """A home into which the demo recording was imported; for copies."""

    def drive(root: Path) -> None:
        with Store(Home(root)) as store:
            store.open()
            import_file(DEMO, Home(root), store)

    return made_once("demo-imported", drive)


@pytest.fixture(scope="session")
def demo_replayed(demo_imported: Path, sonoma_clips: Path, made_once: MadeOnce) -> Path:
    """A home with the imported demo, and a replay of it that was driven after that; for copies."""

    def drive(root: Path) -> None:
        home = Home(copied(demo_imported, root))
        link_clips(sonoma_clips, home.clips)
        with Store(home) as store:
            store.open()
            assert Replay(DEMO, home, store, ReplayOptions()).run()

    return made_once("demo-replayed", drive)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty PITWALL_HOME, prepared."""
    made = Home(tmp_path / "home")
    made.prepare()
    return made


@pytest.fixture
def spoken_home(home: Home, sonoma_clips: Path) -> Home:
    """A home whose words are ready, as in a car that drove before."""
    link_clips(sonoma_clips, home.clips)
    return home
