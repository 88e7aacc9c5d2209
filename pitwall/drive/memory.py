"""The path's memory of earlier days on a track."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitwall.store.errors import StoreError
from pitwall.store.files import replace_file
from pitwall.track.reference import ReferenceLap

# Advice counts at least and at most so many times what its corner costs.
LEAST_WEIGHT, MOST_WEIGHT = 0.5, 2.0


class Memory(msgspec.Struct, frozen=True):
    """Holds what is known of a driver from earlier days on a track: his best lap, and the faults that were
    still told at the end of the last one, as (corner, concept). `given`: somebody chose the lap, no better
    one of this day takes its place. `weights`: how much likelier than other advice a concept is heeded, by
    what a fleet has shown."""

    track: str
    reference: ReferenceLap | None = None
    lessons: tuple[tuple[str, str], ...] = ()
    given: bool = False
    weights: tuple[tuple[str, float], ...] = ()


class AdviceWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`advice.json` of a home."""

    pitwall_advice: int
    weights: dict[str, float]


def save_weights(path: Path, weights: Mapping[str, float]) -> None:
    """Keep what a fleet has shown of advice. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, msgspec.json.format(msgspec.json.encode(AdviceWeights(1, dict(weights)))))


def read_weights(path: Path) -> tuple[tuple[str, float], ...]:
    """Return what a fleet has shown, nothing without the file. StoreError where it can't be used."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=AdviceWeights)
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(
            f"{path} can't be used: {error}; pitwall fleet advice --save writes it anew"
        ) from None
    return tuple(
        (name, min(max(weight, LEAST_WEIGHT), MOST_WEIGHT)) for name, weight in found.weights.items()
    )
