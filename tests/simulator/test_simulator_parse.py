"""What a person types: read as meant, or refused with what would be right."""

import pytest

from pitwall.simulator.mistakes import parse_mistake
from pitwall.simulator.plan import Mistake, SimulationError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turn_1:brake_early=15@2-4", Mistake("turn_1", "brake_early", 15.0, 2, 4)),
        ("turn_2:slow_exit=0.3@3", Mistake("turn_2", "slow_exit", 0.3, 3, 3)),
        (" turn_3:coast=40 ", Mistake("turn_3", "coast", 40.0)),
        ("turn_3:brake_soft=0.3@2-6~4", Mistake("turn_3", "brake_soft", 0.3, 2, 6, 4)),
    ],
)
def test_mistakes_are_read(club, text, expected):
    assert parse_mistake(text, club) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "write CORNER:KIND=AMOUNT@LAPS"),
        ("turn_1 brakes early", "write CORNER:KIND=AMOUNT@LAPS"),
        ("turn_9:coast=10", "no corner 'turn_9'; its corners: turn_1"),
        ("turn_1:sneeze=10", "no mistake 'sneeze'; there are brake_early"),
        ("turn_1:slow_exit=30", "at most 1"),
        ("turn_1:coast=0", "more than 0"),
        ("turn_1:coast=-5", "more than 0"),
        ("turn_1:coast=5@4-2", "run backwards"),
        ("turn_1:coast=nan", "write CORNER"),
        ("turn_1:coast=" + "9" * 400, "at most 300"),
    ],
)
def test_bad_mistakes_are_refused_with_a_reason(club, text, says):
    with pytest.raises(SimulationError, match=says):
        parse_mistake(text, club)


def test_mistakes_without_laps_are_on_every_flying_lap():
    mistake = Mistake("turn_1", "coast", 10.0)
    assert [lap for lap in range(6) if mistake.on(lap, flying_laps=4)] == [1, 2, 3, 4]


def test_a_mistake_fades_evenly_from_the_lap_where_it_was_first_made():
    mistake = Mistake("turn_1", "coast", 12.0, 2, 9, fades=4)
    assert [mistake.amount_on(lap, 9) for lap in range(8)] == [0.0, 0.0, 12.0, 9.0, 6.0, 3.0, 0.0, 0.0]
