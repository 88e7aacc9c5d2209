"""By which symbols a driver asks for a topic, and what a symbol may be meant for."""

from __future__ import annotations

# A row of `topics.TOPICS` or `AGENTS` -> alternatives, as those of a measure (`measures.AskedMeasure`).
ASKS: dict[str, str] = {
    "losses": "LOSE|LOSE TIME|LOSE WHERE MOST|LOSE WHERE|LOSE WHERE TIME|LOSE MOST TIME|GAIN "
    "WHERE|WHERE MOST TIME -TAKE -COAST -BRAKE -FULL -LONG -BOTH -TRAIL -INGEAR -CORNER|"
    "GAIN TIME|LOSE TIME WHERE MOST|LOSE CORNER MOST|GAIN",
    "ideal": "SUM SECTORS BEST|IDEAL TOGETHER|IDEAL LAP TOGETHER|"
    "IDEAL LAPS TOGETHER|SUM SECTOR BEST|IDEAL|IDEAL LAP TIME|IDEAL TIME|IDEAL BEST|IDEAL LAP|BEST "
    "SECTORS TOGETHER|SECTOR TOGETHER BEST|TOGETHER|SECTORS TOGETHER|BEST SECTOR TOGETHER|IDEAL "
    "FAST|IDEAL LAPS",
    "advice": "HOWTO FAST COMP|HOWTO WORK|HOWTO BETTER|HOW FAST COMP -COMPARE -THAN -OFF|HOWTO IMPROVED|WORK|"
    "WORK FAST|WORK FAST COMP|WORK MOST|WORK NEXT SESSION|WORK CORNER|WORK FIRST|WORK BE NEXT|WORK TIME",
    "said": "COACH SAY|SAY|SAY PLACE|SAY COACH PLACE|COACH SAY WHAT|SAY IN PLACE",
    "heeded": "HEED|HEED COACH|HEED COACH WORK|HEED SAY|HEED SAY COACH|HEED WORK",
    "marks": "MARK",
    "target": "TARGET|TARGET NEXT|TARGET TIME|TARGET NEXT SESSION|TARGET LAP TIME|TARGET LAPS",
    "plan": "PLAN|PLAN NEXT|PLAN NEXT SESSION",
    "stints": "STINT|STINT FAST MOST|STINT BEST|STINT HOWMANY|STINT TIME|STINT MEAN|STINT PACE",
    "stops": "STOP|STOP TAKE|STOP LONG TAKE|STOP HOWMANY|STOP OFTEN|STOP LONG|STOP TIME",
    "incidents": "SPIN|SPIN HOWMANY|SPIN OFTEN",
    "setup": "BALANCE|BALANCE CAR",
    "progress": "PROGRESS|IMPROVED PREV|PROGRESS IMPROVED|PROGRESS FAST COMP|PROGRESS BETTER",
    "summary": "SUMMARY -LAPS",
    "duration": "DURATION",
    "driven_km": "DRIVEN|FAR SESSION|FAR DRIVER",
    "track_km": "FAR FROM|LONG STRAIGHTS|LENGTH STRAIGHTS|LENGTH|LENGTH TRACK|LENGTH LAP|LENGTH LAPS",
    "track": "TRACK WHICH -FAST -SLOW|TRACK WHAT -FAST -SLOW|WHERE TRACK -FAST -SLOW",
    "car": "CAR WHICH -LAP -FAST -TIME|CAR WHAT -LAP -TIME -SPEED -G -FAST -GEAR",
    "driver": "WHO DRIVER|WHO BE DRIVER|DRIVER WHAT|WHO",
    "dated": "DATED|WHEN SESSION",
    "channels": "RECORD|RECORD WHAT|RECORD NO|WHAT RECORD NO BE",
    "source": "SOURCE|SOURCE RECORD",
    "gps": "GPS",
    "corner_count": "HOWMANY CORNER",
    "sector_count": "HOWMANY SECTOR",
    "lap_count": "HOWMANY LAP|HOWMANY LAPS|HOWMANY FLYING LAP",
    "direction": "DIRECTION",
    "export": "EXPORT",
    "help": "HELP",
    # How it is done, whatever was driven.
    "heel_and_toe": "HEELTOE|EXPLAIN HEELTOE|HOWTO HEELTOE",
    "trail_braking": "HOWTO TRAIL|EXPLAIN TRAIL|EXPLAIN TRAIL BRAKE",
    "braking_points": "HOWTO SEEK BRAKE POINT",
    "racing_line": "RACINGLINE|EXPLAIN RACINGLINE|HOWTO RACINGLINE|HOWTO SEEK RACINGLINE",
}
# What the answer to a topic tells too, so that its words are used by it.
COVERED: dict[str, str] = {
    "lost": "WHERE TIME",
    "losses": "WHERE TIME MOST SPEED", "advice": "WHERE TIME MOST FIRST NEXT FAST COMP BETTER MORE",
    "ideal": "FAST TIME SECTOR SECTORS BEST SUM LESS COMP UNDER",
    "stints": "FAST MOST BEST HOWMANY LONG TIME MEAN PACE EACH",
    "stops": "HOWMANY OFTEN LONG TIME LAST FIRST O1 O2 O3 TAKE WHERE WHEN",
    "incidents": "HOWMANY OFTEN WHERE WHEN EVER",
    "export": "HOWTO", "help": "HOWTO", "trail_braking": "MEAN", "heel_and_toe": "MEAN",
    "racing_line": "MEAN",
    "track_km": "HOWMANY", "driven_km": "HOWMANY", "said": "HOWMANY OFTEN MOST",
    "marks": "WHERE WHEN HOWMANY",
}  # fmt: skip
# What is told of driving in general.
HOW_TO = ("heel_and_toe", "trail_braking", "braking_points", "racing_line")
# Facts of the whole session: a lap or a corner that is named in a question is asked of something else.
UNSCOPED = frozenset(
    ("lap_count", "corner_count", "sector_count", "duration", "car", "driver", "dated", "channels", "source",
     "gps", "export", "help", "stints", "track", "driven_km", *HOW_TO)
)  # fmt: skip
# Topics of the whole session of which nothing is known of a lap or a corner.
NOT_PLACED = frozenset(("target", "plan", "progress", "summary"))
# What a symbol may be meant for where nothing certain uses it.
SYMBOL_HINTS: dict[str, tuple[str, ...]] = {
    "BRAKE": ("brake_m", "brake_bar"), "THROTTLE": ("throttle_m", "throttle"), "LIFT": ("coast", "lift_m"),
    "GRIP": ("g_lat", "g_brake"), "SPEED": ("speed",
    "min_speed"),
    "FAST": ("min_speed", "time"), "SLOW": ("min_speed", "lost"), "OIL": ("oil_temp_c", "oil_bar"),
    "TEMP": ("coolant_c", "oil_temp_c"), "HOT": ("oil_temp_c", "coolant_c"), "PRESS": ("brake_bar",
    "oil_bar"),
    "POINT": ("brake_m", "throttle_m"), "ENTRY": ("entry_speed",), "EXIT": ("exit_speed",),
    "APEX": ("min_speed",),
    "SMOOTH": ("steering_turns", "throttle_turns"), "LOSE": ("lost",), "LATE": ("brake_m", "throttle_m"),
    "EARLY": ("throttle_m", "brake_m"), "HARD": ("brake_bar", "g_brake"), "SHIFT": ("shift_rpm", "shifts"),
    "BETTER": ("time", "min_speed"), "ACCEL": ("g_accel",), "PLACE": ("time", "min_speed"),
    "HOWTO": ("advice",), "DROP": ("lost",), "FULL": ("full_throttle",), "LONG": ("time",), "TIME": ("time",),
}  # fmt: skip
