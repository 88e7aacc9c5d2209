"""A moment that a driver marked is explained by what was just before it."""

from __future__ import annotations

import msgspec

from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.drive import load_drive
from pitwall.analysis.port import Facts
from pitwall.analysis.report import explain_moments, make_report
from pitwall.coach.cue import STRATEGY, Cue
from pitwall.coach.spoken import unspoken_line
from pitwall.simulator.plan import Mistake
from pitwall.store.store import Store


def test_the_dearest_pass_just_before_a_mark_explains_it(store: Store, drive) -> None:
    row = drive(Mistake("turn_1", "overslow", 4.0, 4, 4))
    facts = Facts(store)
    driven = load_drive(facts, row)
    slow = next(each for each in driven.passes if each.lap == 4 and each.corner == "turn_1")
    marks = [
        Cue(id=n, t=t, lap=4, corner="", phase="mark", text="mark", priority=STRATEGY)
        for n, t in enumerate((slow.exit_t + 5.0, driven.laps[0].start_t + 1.0), 1)
    ]
    ledger = [unspoken_line(each, each.t, "noted", "", None) for each in marks]
    lost, unseen = explain_moments(ledger, driven, ())
    assert lost.corner == "turn_1"
    assert lost.loss_s > 0.2
    assert unseen.corner == ""
    report = msgspec.structs.replace(make_report(driven, facts), moments=(lost, unseen))
    said = compose_debrief(report)
    assert f"Turn 1, just before it, cost {lost.loss_s:.2f} s against your best pass there" in said
    assert "You marked a moment in lap 4: no pass of a corner was seen just before it." in said
