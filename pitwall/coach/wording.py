"""Which words an advice gets: the driver's own script first, else those of the language."""

from __future__ import annotations

from pitwall.coach.scripts import Phrase, Scripts
from pitwall.diagnosis.advice import UNIT_OF, Action, Diagnosis
from pitwall.track.model import Corner
from pitwall.words.language import sentence

# A car is about 4.5 m long, a motorcycle 2.1. Nobody moves a brake point by more than two of them at once.
CAR_LENGTH_M, BIKE_LENGTH_M = 4.5, 2.1
# A driver is asked for half of what separates him from his best: the next pass shows half of it.
ASKED = 0.5


class Wording:
    """The words for advice on one track, from its scripts."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts, self._language = scripts, scripts.language

    def name_of(self, corner: Corner) -> Phrase:
        """Return the corner's name alone."""
        plain = self._language.plain_script(corner.id)["approach"]
        return Phrase(plain, sentence(self._language.name(corner.id)))

    def before(self, found: Diagnosis, *, brakes: bool, of_reference: bool = False) -> Phrase:
        """Return what to do, heard before the place. `brakes`: one brakes there; `of_reference`: as
        what the given reference does."""
        own = self._scripts.phrase(found.corner, found.action)
        amount = self._amount(found)
        words = self._language.advice(found.action, amount)
        text, short = words.do, words.short
        if of_reference:
            text = words.reference
        elif found.is_try:
            text, short = words.attempt, words.attempt_short
        elif found.is_habit:
            text = words.habit
        elif own is not None:
            text, short = own.text, own.short
        elif found.action == "more_apex_speed" and not brakes:
            text, short = self._language.rolled(amount)
        return self._named(found.corner, text, short)

    def lesson(self, corner_id: str, action: Action) -> Phrase:
        """Return the advice of an earlier day, heard before the corner."""
        words = self._language.advice(action)
        return self._named(corner_id, words.do, words.short)

    def _named(self, corner_id: str, text: str, short: str) -> Phrase:
        name = sentence(self._language.name(corner_id))
        return Phrase(f"{name}: {text}", f"{name}: {short}" if short else "")

    def _amount(self, found: Diagnosis) -> str:
        """Return half the amount in words; "" where there are none, or it is not known."""
        known = self._language.amounts(found.action)
        if not known or found.amount <= 0.0:
            return known[0] if known else ""
        if UNIT_OF[found.action] == "km/h":
            more = round(self._language.figures.value(ASKED * found.amount / 3.6, "m/s"))
            return known[min(max(more - 1, 0), len(known) - 1)]
        lengths = ASKED * found.amount / (BIKE_LENGTH_M if self._language.bike else CAR_LENGTH_M)
        return known[0 if lengths < 0.75 else 1 if lengths < 1.75 else 2]

    def taught(self, corner_id: str, key: str, shape: tuple[str, str, bool]) -> Phrase | None:
        """Return what the script says for a phase, with the corner's name; None where it is silent.
        Where nobody wrote one, the shape of the corner is said: no order is true of any corner."""
        own = self._scripts.phrase(corner_id, key)
        if own is None:
            return None
        if key != "approach" and own.text == self._language.plain_script(corner_id).get(key):
            direction, tight, brakes = shape
            said = self._language.shapes[direction, tight]
            braking = f", {self._language.braking}" if brakes else ""
            return Phrase(f"{sentence(self._language.name(corner_id))}: {said}{braking}")
        name = sentence(self._language.name(corner_id))
        named = key == "approach" or name.lower() in own.text.lower()
        return own if named else self._named(corner_id, own.text, own.short)

    def speed(self, corner_id: str, speed_mps: float) -> str:
        """Return the slowest speed of a pass behind its corner's name: a figure alone may be any
        corner's."""
        name, speed = self._language.name(corner_id), self._language.spoken_speed(speed_mps)
        return f"{sentence(name)}: {' '.join(speed)}"

    def again(self, corner_id: str) -> str:
        """Return what is said after the best pass of a corner that was called."""
        return self._language.again(corner_id)
