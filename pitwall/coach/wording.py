"""Which words an advice gets: the driver's own script first, else those of `words/`."""

from __future__ import annotations

from pitwall.coach.concepts import TIME_LOST
from pitwall.coach.diagnosis import Advice
from pitwall.coach.scripts import Phrase, Scripts
from pitwall.track.model import Corner
from pitwall.words.forms import Amount
from pitwall.words.language import sentence

# A car is about 4.5 m long. Nobody moves a brake point by more than two of them at once.
CAR_LENGTH_M = 4.5
# A driver is asked for half of what separates him from his best: he gets there in two laps.
ASKED = 0.5
# More than "two car lengths" can't be called that.
MOST_LENGTHS = 2.75


class Wording:
    """The words for advice on one track, with the units and for the level of its scripts."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts, self._language, self._level = scripts, scripts.language, scripts.level

    def name_of(self, corner: Corner) -> Phrase:
        """The corner's name alone."""
        plain = self._language.plain_script(corner.id)["approach"]
        return Phrase(plain, sentence(self._language.name(corner.id)))

    def before(self, advice: Advice, *, again: bool, cost_s: float = 0.0) -> Phrase:
        """Return what to do, heard before the place; `again`: said another way than before; `cost_s`: what
        a pass with the fault lost by it, where that is to be told too."""
        name = sentence(self._language.name(advice.corner))
        if advice.fact:
            text, short = self._language.best(advice.fact, _done(advice.metres))
            return Phrase(f"{name}: {text}", f"{name}: {short}" if short else "")
        own = self._scripts.phrase(advice.corner, advice.concept)
        if own is not None and not again:
            text, short = own.text, own.short
        else:
            words = self._language.concept(advice.concept, self._level, _asked(advice.metres))
            text, short = words.again if again and words.again else words.before, words.short
        why = f"{name}: {text}, {self._language.cost(cost_s)}" if cost_s else ""
        return Phrase(f"{name}: {text}", f"{name}: {short}" if short else "", why)

    def after(self, advice: Advice, *, relapsed: bool, lost_s: float | None = None) -> Phrase:
        """Return what was done, heard on the straight after the place. `lost_s`: what this pass lost,
        where that is to be told and not what the corner costs a lap."""
        if advice.fact:
            return self.before(advice, again=False)
        name = sentence(self._language.name(advice.corner))
        if advice.concept == TIME_LOST:
            tenths = self._language.tenths(advice.loss_s if lost_s is None else lost_s)
            return Phrase(f"{name}: {tenths} {self._language.lost[advice.part]}")
        text = self._language.concept(advice.concept, self._level, _done(advice.metres)).after
        return Phrase(f"{name}: {text}, {self._language.relapse}" if relapsed else f"{name}: {text}")

    def lesson(self, corner_id: str, concept: str) -> Phrase:
        """A fault of an earlier day, heard before the corner."""
        name = sentence(self._language.name(corner_id))
        words = self._language.concept(concept, self._level)
        return Phrase(f"{name}: {self._language.last_time}, {words.after}")

    def taught(self, corner_id: str, key: str, shape: tuple[str, str, bool]) -> Phrase | None:
        """Return what the script says for a phase, with the corner's name; None where it is silent. Where
        nobody wrote one, the shape of the corner is told: no order is true of any corner."""
        own = self._scripts.phrase(corner_id, key)
        if own is None:
            return None
        if key != "approach" and own.text == self._language.plain_script(corner_id).get(key):
            direction, tight, brakes = shape
            told = self._language.shapes[direction, tight]
            braking = f", {self._language.braking}" if brakes else ""
            return Phrase(f"{sentence(self._language.name(corner_id))}: {told}{braking}")
        name = sentence(self._language.name(corner_id))
        named = key == "approach" or name.lower() in own.text.lower()
        return own if named else Phrase(f"{name}: {own.text}", f"{name}: {own.short}" if own.short else "")

    def graded(self, corner_id: str, won_s: float, *, did: bool) -> Phrase:
        """Return what a pass won that was called before it."""
        name, tenths = sentence(self._language.name(corner_id)), self._language.tenths(won_s)
        whole, short = self._language.done[did]
        return Phrase(f"{name}: {whole} {tenths}", f"{name}: {short}")

    def speed(self, corner_id: str, speed_mps: float) -> str:
        """Return the slowest speed of a pass behind its corner's name: a figure alone may be any corner's."""
        name, speed = self._language.name(corner_id), self._language.spoken_speed(speed_mps)
        return f"{sentence(name)}: {' '.join(speed)}"

    def praise(self, corner_id: str) -> str:
        """Return what is said once when a corner is cured."""
        return self._language.praise(corner_id)


def _asked(metres: float | None) -> Amount:
    """The amount to ask for, "" where there is none."""
    return "" if metres is None else _named(ASKED * metres / CAR_LENGTH_M)


def _done(metres: float | None) -> Amount:
    """The amount that was seen, "" where there is none or where it is more than there are words for."""
    if metres is None or metres > MOST_LENGTHS * CAR_LENGTH_M:
        return ""
    return _named(metres / CAR_LENGTH_M)


def _named(lengths: float) -> Amount:
    return "touch" if lengths < 0.75 else "car_length" if lengths < 1.75 else "two_car_lengths"
