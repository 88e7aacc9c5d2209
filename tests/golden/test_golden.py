"""Same input, same ledger, to the byte: for every recording we have."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from long_runs import some

sys.path.insert(0, str(Path(__file__).parent))
import ledgers

from pitwall.voice import render
from pitwall.voice.render import engine_id

HELP = "scripts/golden shows this, scripts/golden --renew accepts it"


@pytest.mark.parametrize("path", ledgers.SHIPPED, ids=lambda path: path.name)
def test_ledger_of_a_shipped_recording_is_the_golden_one(path: Path) -> None:
    shown = ledgers.difference(path, whole=True)
    assert not shown, f"{HELP}\n{shown}"


@pytest.mark.parametrize("name", some(ledgers.SHARED, 3))
def test_ledger_of_a_shared_recording_is_the_golden_one_however_often_it_is_broken_off(
    name: str, recordings: Path
) -> None:
    shown = ledgers.difference(recordings / name, whole=False, broken_off=True)
    assert not shown, f"{HELP}\n{shown}"


@pytest.mark.long
def test_golden_clip_lengths_are_what_the_same_engine_measures(
    sonoma_clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "levelled", bytes)  # as in `sonoma_clips`
    measured = ledgers.measure_lengths(sonoma_clips)
    kept = ledgers.json.loads(ledgers.LENGTHS.read_text())
    engine = engine_id()
    if kept["engine"] != f"{engine.name} {engine.version}":
        pytest.skip(f"lengths were measured with {kept['engine']}")
    assert measured["clips"] == kept["clips"], HELP
