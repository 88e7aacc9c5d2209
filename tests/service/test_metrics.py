"""/metrics: each source and each loss by its name, the disk and the memory, as /status has them."""

from __future__ import annotations

import pytest
from service_inside import Moving, running, settings
from until import until

from pitwall.config import Home
from pitwall.contract.status import PhoneReport
from pitwall.daemon.app import Daemon
from pitwall.drive.degradation import TABLE
from pitwall.telemetry.sources.base import Source, SourceError

TWO = '[sources.one]\nuri = "test:one"\n[sources.two]\nuri = "test:two"'


@pytest.fixture
def cars(monkeypatch: pytest.MonkeyPatch) -> dict[str, Moving]:
    made: dict[str, Moving] = {}

    def open_source(uri: str, _: object) -> Source:
        return made.setdefault(uri, Moving(uri))

    monkeypatch.setattr("pitwall.daemon.intake.sources.open_source", open_source)
    return made


def figures(service: Daemon, name: str) -> dict[str, float]:
    """The figures of one name by their label, "" without one."""
    return {
        "".join(metric.labels.values()): metric.value for metric in service.metrics() if metric.name == name
    }


async def test_every_source_has_its_figures(home: Home, cars: dict[str, Moving]) -> None:
    async with running(home, settings(home, TWO)) as service:
        await until(lambda: service.keeper.session is not None)
        cars["test:one"].health.reconnects, cars["test:one"].health.shed = 3, 7
        cars["test:two"].trouble = SourceError("test:two: no such device; plug it in")
        await until(lambda: figures(service, "source_up")["two"] == 0.0)
        await until(lambda: "one" in figures(service, "source_rate_hertz"))
        assert figures(service, "source_up")["one"] == 1.0
        assert figures(service, "source_reconnects_total") == {"one": 3.0, "two": 0.0, "push": 0.0}
        assert figures(service, "source_shed_total")["one"] == 7.0
        assert "push" not in figures(service, "source_age_seconds"), "nothing was ever handed in"
        cars["test:one"].health.last_received_s = service.clock.start_received_s
        assert figures(service, "source_age_seconds")["one"] > 0.0


async def test_every_row_of_the_degradation_table_is_there_lost_or_not(
    home: Home, cars: dict[str, Moving]
) -> None:
    async with running(home, settings(home, TWO)) as service:
        assert figures(service, "degradation") == {row.name: 0.0 for row in TABLE}
        service.phone(PhoneReport(heat="severe"))
        assert figures(service, "degradation")["phone"] == 1.0
        assert sum(figures(service, "degradation").values()) == 1.0


async def test_disk_and_memory_are_those_of_the_status(home: Home) -> None:
    async with running(home, settings(home, "[limits]\nfree_floor_mb = 1.5")) as service:
        await until(lambda: service.status().disk.free_bytes is not None)
        assert figures(service, "disk_free_bytes") == {"": service.status().disk.free_bytes}
        assert figures(service, "disk_floor_bytes") == {"": 1.5e6}
        [memory] = figures(service, "resident_memory_bytes").values()
        assert 20e6 < memory < 2e9
        assert service.status().process.rss_bytes == pytest.approx(memory, rel=0.1)


async def test_no_figure_is_there_twice(home: Home, cars: dict[str, Moving]) -> None:
    async with running(home, settings(home, TWO)) as service:
        found = [(metric.name, tuple(metric.labels.items())) for metric in service.metrics()]
        assert len(set(found)) == len(found)
        kinds = {(metric.name, metric.kind) for metric in service.metrics()}
        assert all((kind == "counter") == name.endswith("_total") for name, kind in kinds)
