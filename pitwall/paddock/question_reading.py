"""What was read in a question."""

from __future__ import annotations

import msgspec

# How a lap is meant: its number, or "best", "worst", "last", "first", "in", "out"; "best:2" is the second
# best, "top:3" the three best, "from:5" all from lap 5 on, "to:5" those until it, "firsts:3", "lasts:3",
# "span:2-4", "these:5,6"; "found" the lap that the question before searched.
LapMark = str
# How the marks begin that mean several laps: parts of the drive, and other groups.
DRIVE_PARTS = ("from:", "to:", "half:", "firsts:", "lasts:", "span:", "these:", "stint:")
LAP_GROUPS = (*DRIVE_PARTS, "not:")
# The lap whose highest value is the lowest one.
LOWEST_PEAK = ("least", "most")
# Figures whose highest or lowest value in a part of the lap is another one than the figure itself.
BY_VALUE = frozenset(
    (
        *("speed", "rpm", "g_lat", "g_brake", "g_accel", "brake_bar", "coolant_c", "oil_temp_c", "oil_bar"),
        *("steering_deg", "yaw", "altitude_m", "throttle"),
    )
)
# Of these, over a lap, a low value is that of the lap's peak; of the first two an average too.
BOTH_WAYS = frozenset(("g_brake", "g_accel"))
PEAKED = BOTH_WAYS | {"g_lat", "steering_deg", "yaw", "brake_bar"}
MOST_LEAST = frozenset(("most", "least"))
_OTHER_END = {"most": "least", "least": "most"}
# The speed that a point of a corner asks for.
SPEED_AT = {"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}
# Points of a corner at which a pedal is moved.
PEDAL_POINTS = ("brake", "lift")
# As a gear: the highest that was engaged.
TOP_GEAR = 99


class QuestionReading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read. `measures` are meanings of `figure_words`, `which` of `vocabulary`; `laps` are marks;
    `corners` ids of the track (`no_corner`: one that the track does not have); `point` of a corner: entry,
    apex, exit; `sectors` from 1 on, (0,) for all of them; `place_m` from the start line; `of` says what is to
    be found: lap, corner, sector, place; `per` what it is to be told for, "run" for the longest time in one
    go; `limit_s`: laps under this time, `within_s` of the best; `bare` a number alone, and the corner of that
    number; `bound` a limit of another figure, in `bound_unit` ("": not said); `over` one of both is asked
    from above; `counted`: how often or how long it was passed. `gain_s`: so much time is to be found;
    `target_s`: whether that lap time can be reached; `sprint`
    from which speed to which, in `bound_unit`; `half` of the lap, 1 or 2; `line` "to",
    "from": between the corner and the start line, "gap" between two corners; `peak`: told where this measure
    had this value; `made_of`: a lap of these sectors of these laps; `before_m` before the corner's entry.
    `of_two`: which of two that were named; `earlier` the laps of the question before. `gears`: from which to
    which one is shifted, 0 for any; the one that is engaged. `straight`: that before or after the corner, the
    main or the longest one, each of them. `piece` of the mini sectors, from 1 on; `at_speed`: told where the
    car gains that speed, in `bound_unit`; `at_s` of the recording. `ranked`: how many of a rank are told;
    `among`: which corners are meant, marks of `Subject.corners`; `beyond`: the lap, or "mean", that the laps
    are asked for beside, or with `nearest` the one that comes nearest to it or to `limit_s`. `nth`: ranks
    that stand alone. `flips`: the other side of the limit before; `before`: the question before, whose lap is
    "found". `negated`: what was not so is asked for; `counts`: how many; `named`: figures that were named
    beside the one that is asked for; `left`: known words that stand for no field. `strange`: words that mean
    nothing here, `called` those of the question before."""

    measures: tuple[str, ...] = ()
    which: tuple[str, ...] = ()
    laps: tuple[LapMark, ...] = ()
    corners: tuple[str, ...] = ()
    no_corner: str = ""
    span: bool = False
    point: str = ""
    sectors: tuple[int, ...] = ()
    pieces: bool = False
    piece: int = 0
    place_m: float | None = None
    of: str = ""
    per: str = ""
    compares: bool = False
    sessions: tuple[str, ...] = ()
    driver: str = ""
    limit_s: float | None = None
    over: bool = False
    within_s: float | None = None
    gain_s: float | None = None
    target_s: float | None = None
    sprint: tuple[int, int] | None = None
    half: int = 0
    at_speed: float | None = None
    at_s: float | None = None
    line: str = ""
    before_m: float | None = None
    peak: tuple[str, ...] = ()
    made_of: tuple[tuple[int, LapMark], ...] = ()
    between_s: tuple[float, float] | None = None
    bound: float | None = None
    bound_unit: str = ""
    counted: bool = False
    gears: tuple[int, ...] = ()
    straight: str = ""
    unit: str = ""
    untold: str = ""
    coaching: bool = False
    said: bool = False
    marked: bool = False
    follows: bool = False
    bare: tuple[str, str] = ("", "")
    step: int = 0
    nth: tuple[int, ...] = ()
    of_two: bool = False
    earlier: tuple[LapMark, ...] = ()
    among: tuple[str, ...] = ()
    ranked: int = 0
    beyond: LapMark = ""
    nearest: bool = False
    negated: bool = False
    counts: bool = False
    named: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    flips: bool = False
    before: QuestionReading | None = None

    @property
    def places(self) -> bool:
        """Whether a part of the lap is named."""
        return bool(
            self.corners
            or self.sectors
            or self.half
            or self.straight
            or self.no_corner
            or self.place_m is not None
            or self.pieces
        )


def other_end(which: tuple[str, ...]) -> tuple[str, ...]:
    """The same values with the highest for the lowest, and the lowest for the highest."""
    return tuple(_OTHER_END.get(each, each) for each in which)
