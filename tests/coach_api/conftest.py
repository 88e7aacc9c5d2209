"""A driven home, made once; and what other rooms' tests have made: daemons, and a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_daemon import LOADED_S
from copies import copied
from service_inside import Moving

import pitwall.daemon.intake.sources as sources_module
import pitwall.daemon.paddock.gate as part_module
from pitwall.config import Home


@pytest.fixture
def coach_home(demo_driven: Path, tmp_path: Path) -> Home:
    """A home in which the demo recording was driven, of this test alone."""
    copied(demo_driven, tmp_path / "home")
    return Home(tmp_path / "home")


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Moving:
    """The daemon's one source: a car that stands until it is told to drive."""
    made = Moving("test:one")
    made.speed_mps = 0.0
    monkeypatch.setattr(sources_module, "open_source", lambda *_: made)
    # A loaded machine may take its time: that what is stopped ends by itself is looked at here.
    assert part_module.IN_ORDER_S < 1.0
    monkeypatch.setattr(part_module, "IN_ORDER_S", LOADED_S)
    return made
