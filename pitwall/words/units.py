"""Figures as they are read, in one place: the driver's units, lap times, lists."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

Units = Literal["metric", "imperial"]
# Besides the driver's own ones, those that a single question may ask for.


class Measure(NamedTuple):
    """A unit as it is shown: its name, and value * factor + offset."""

    name: str
    factor: float = 1.0
    offset: float = 0.0


# What a value is in -> how it is shown. What is not here is shown as it is, in both.
METRIC: dict[str, Measure] = {
    "m/s": Measure("km/h", 3.6),
    "degC": Measure("°C"),
    "C": Measure("°C"),
}
_FAHRENHEIT = Measure("°F", 1.8, 32.0)
IMPERIAL: dict[str, Measure] = {
    "m/s": Measure("mph", 1.0 / 0.44704),
    "km/h": Measure("mph", 1.0 / 1.609344),
    "m": Measure("ft", 1.0 / 0.3048),
    "km": Measure("mi", 1.0 / 1.609344),
    "bar": Measure("psi", 14.503774),
    "°C": _FAHRENHEIT,
    "degC": _FAHRENHEIT,
    "C": _FAHRENHEIT,
}
MEASURES: dict[Units, dict[str, Measure]] = {
    "metric": METRIC,
    "imperial": IMPERIAL,
}

_UNIT_SPEC = re.compile(r"(?P<unit>[A-Za-z°][^.]*)(?P<digits>\.\df)")


class Filler(string.Formatter):
    """Fill templates: `{loss:.2f} s`, and besides the usual formats

    `{time:lap}`          a lap time, seconds: 1:51.937
    `{numbers:laps}`      laps by number: lap 4; laps 4 and 6; laps 4 to 7
    `{names:and}`         a list with its last link: and, then, nor
    `{count:lap|# laps}`  one, or any other number in place of #
    `{shift:m.0f}`        a value and its unit, in the driver's units; so m/s, km/h, km, bar, °C
    """

    def __init__(self, units: Units) -> None:
        self._measures = MEASURES[units]

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a field. ValueError for a format that there is not."""
        if format_spec == "lap":
            return self.lap_time(value)
        if format_spec == "laps":
            return self.laps_named(value)
        if format_spec in ("and", "then", "nor"):
            return joined(value, format_spec)
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return one if value == 1 else many.replace("#", str(value))
        if spec := _UNIT_SPEC.fullmatch(format_spec):
            return self.measured(value, spec["unit"], spec["digits"])
        return format(value, format_spec)

    def check_unused_args(
        self, used_args: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Check nothing: a template may leave out a value."""

    def measured(self, value: float, unit: str, digits: str = ".0f") -> str:
        """Return a value and its unit, in the driver's units."""
        return f"{format(self.value(value, unit), digits)} {self.unit(unit)}"

    def value(self, value: float, unit: str) -> float:
        """Return a value of this unit in the unit that is shown."""
        measure = self.measure(unit)
        return float(value * measure.factor + measure.offset)

    def unit(self, unit: str) -> str:
        """Return the unit in which values of this one are shown."""
        return self.measure(unit).name

    def measure(self, unit: str) -> Measure:
        """Return how values of this unit are shown."""
        return self._measures.get(unit, Measure(unit))

    @staticmethod
    def lap_time(time_s: float) -> str:
        """Return `1:51.937`, or `58.204` under a minute."""
        minutes, rest = divmod(round(time_s, 3), 60.0)
        return f"{int(minutes)}:{rest:06.3f}" if minutes else f"{rest:.3f}"

    @staticmethod
    def clock(time_s: float | None) -> str:
        """Return a lap time in a table, `1:51.937` or `0:58.204`; a dash for none."""
        if time_s is None:
            return "-"
        minutes, rest = divmod(round(time_s, 3), 60.0)
        return f"{int(minutes)}:{rest:06.3f}"

    @staticmethod
    def laps_named(numbers: Sequence[int]) -> str:
        """Return `lap 4`, `laps 4 and 6`, `laps 4 to 7`."""
        ordered = sorted(numbers)
        if len(ordered) == 1:
            return f"lap {ordered[0]}"
        if len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1:
            return f"laps {ordered[0]} to {ordered[-1]}"
        return f"laps {joined([str(number) for number in ordered])}"


def joined(words: Sequence[str], link: str = "and") -> str:
    """Return `a`, `a and b`, `a, b and c`; `a, then b`."""
    if len(words) < 2:
        return "".join(words)
    comma = "," if link == "then" else ""
    return f"{', '.join(words[:-1])}{comma} {link} {words[-1]}"
