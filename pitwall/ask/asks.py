"""By which symbols a driver asks for a measure or a topic: each must stand in the question, `-` none of
it."""

from __future__ import annotations

# A row of MEASURES or of `topics.TOPICS` -> alternatives; the one with the most symbols wins.
ASKS: dict[str, str] = {
    "time": "TIME|PACE|LONG|LONG TAKE|SPREAD LAP|SPREAD LAPS|SPREAD|TREND FAST|TREND BETTER|"
    "MEAN LAP|MEDIAN LAP|RANK LAP",
    "entry_speed": "SPEED ENTRY|FAST ENTRY|CARRY ENTRY",
    "min_speed": "SPEED APEX|LEAST SPEED PLACE|CARRY|SPEED CARRY|LEAST SPEED CORNERS|SPEED CORNERS|"
    "LEAST SPEED CORNER|SPEED CORNER",
    "exit_speed": "SPEED EXIT|FAST EXIT|EXIT BEST|EXIT BETTER|EXIT COMPARE",
    "speed": "SPEED",
    "brake_m": "SPREAD BRAKE|BRAKE POINT|BRAKE WHERE|BRAKE LATE|BRAKE EARLY|BRAKE WHEN|BRAKE FAR BEFORE",
    "lift_m": "LIFT|LIFT WHERE|LIFT POINT|LIFT FAR|LIFT FAR BEFORE|LIFT EARLY|LIFT LATE|THROTTLE LIFT|"
    "LIFT WHEN",
    "throttle_m": "ONGAS|ONGAS WHERE|ONGAS EARLY|ONGAS LATE|THROTTLE WHERE -FULL|THROTTLE EARLY|THROTTLE "
    "LATE|THROTTLE POINT|FULL WHEN|FULL EARLY|FULL LATE|FULL THROTTLE WHEN|ONGAS POINT|"
    "ONGAS WHEN|ONGAS THROTTLE",
    "brake_bar": "PRESS PLACE -OIL|PRESS LAPS -OIL|BRAKE|WHERE BRAKE HARD|BRAKE PRESS|BRAKE HARD|BRAKE "
    "HOWMUCH",
    "brake_time": "BRAKE TIME|BRAKE LONG|BRAKE SHARE|BRAKE TAKE TIME",
    "brake_count": "BRAKE OFTEN|BRAKE HOWMANY",
    "brake_far_m": "BRAKE FAR",
    "full_throttle": "FULL|FULL THROTTLE|FULL LONG|FULL TIME|FULL TIME THROTTLE|FULL THROTTLE SHARE",
    "coast": "COAST|COAST LONG|COAST TIME",
    "overlap": "BOTH|BOTH BRAKE|BOTH THROTTLE BRAKE|BOTH TIME",
    "trail": "TRAIL|TRAIL BRAKE|TRAIL LONG|TRAIL TIME",
    "lifts": "LIFT OFTEN|LIFT HOWMANY|LIFT THROTTLE OFTEN",
    "throttle": "THROTTLE|THROTTLE HOWMUCH|THROTTLE MEAN|THROTTLE EXIT|THROTTLE SHARE -FULL",
    "throttle_turns": "THROTTLE SMOOTH|SMOOTH THROTTLE ONGAS|ONGAS SMOOTH",
    "steering_turns": "STEER SMOOTH",
    "gear": "GEAR",
    "gear_time": "TIME INGEAR|LONG INGEAR|EVER INGEAR|OFTEN INGEAR|INGEAR BE",
    "shifts": "SHIFT|SHIFT OFTEN|SHIFT HOWMANY|GEAR OFTEN SHIFT",
    "upshifts": "UPSHIFT OFTEN|UPSHIFT HOWMANY",
    "downshifts": "DOWNSHIFT|DOWNSHIFT OFTEN|DOWNSHIFT HOWMANY",
    "shift_rpm": "SHIFT RPM|UPSHIFT RPM|UPSHIFT|SHIFT POINT|SHIFT WHERE|SHIFT WHEN|SHIFT LATE|SHIFT EARLY",
    "rpm": "RPM",
    "g_lat": "G|G LAT|LAT|G CORNER|LAT ACCEL",
    "g_brake": "BRAKE HARD G|BRAKE G|BRAKE HOWMUCH G|LONGI G BRAKE",
    "g_accel": "ACCEL|ACCEL G|LONGI ACCEL|LONGI G",
    "coolant_c": "WATER|WATER TEMP|WATER HOT|ENGINE TEMP -OIL|ENGINE HOT -OIL|TEMP -OIL|HOT -OIL",
    "oil_temp_c": "OIL TEMP|OIL HOT|OIL|OIL OVER|TEMP|HOT",
    "oil_bar": "OIL PRESS|OIL",
    "steering_deg": "STEER|STEER ANGLE|STEER LOCK",
    "yaw": "YAW",
    "climb_m": "CLIMB|HEIGHT COMPARE",
    "altitude_m": "HEIGHT",
    "brake_lost": "LOSE BRAKE PLACE|LOSE BRAKE CORNER|LOSE BRAKE",
    "mid_lost": "LOSE APEX",
    "exit_lost": "LOSE EXIT|LOSE THROTTLE",
    "lost": "LOSE TIME RANK|LOSE TIME CORNERS RANK|LOSE PIECES|LOSE PIECES TIME|LOSE PIECES MOST "
    "WHERE|LOSE PLACE|LOSE LAPS|LOSE LAP|LOSE SECTORS|LOSE SECTOR|GAIN LAPS|GAIN PLACE|LOSE EACH|LOSE "
    "TIME PLACE|LOSE TIME LAPS|LOSE TIME SECTORS|LOSE HOWMUCH TIME SECTORS|LOSE HOWMUCH TIME PLACE",
    # Topics.
    "losses": "LOSE|LOSE TIME|LOSE CORNER|LOSE WHERE MOST|LOSE WHERE|LOSE WHERE TIME|LOSE MOST TIME|GAIN "
    "WHERE|WHERE MOST TIME -TAKE -COAST -BRAKE -FULL -LONG -BOTH -TRAIL -INGEAR -CORNER|"
    "GAIN TIME|LOSE TIME WHERE MOST|LOSE CORNER MOST|GAIN",
    "ideal": "SUM SECTORS BEST|SUM SECTOR BEST|IDEAL|IDEAL LAP TIME|IDEAL TIME|IDEAL BEST|IDEAL LAP|BEST "
    "SECTORS TOGETHER|SECTOR TOGETHER BEST|TOGETHER|SECTORS TOGETHER|BEST SECTOR TOGETHER|IDEAL "
    "FAST|IDEAL LAPS",
    "advice": "HOWTO FAST COMP|HOWTO BETTER|HOW FAST COMP -COMPARE -THAN -OFF|HOWTO IMPROVED|WORK|"
    "WORK FAST|WORK FAST COMP|WORK MOST|WORK NEXT SESSION|WORK CORNER|WORK FIRST|WORK BE NEXT|WORK TIME",
    "said": "COACH SAY|SAY|SAY PLACE|SAY COACH PLACE|COACH SAY WHAT|SAY IN PLACE",
    "heeded": "HEED|HEED COACH|HEED COACH WORK|HEED SAY|HEED SAY COACH|HEED WORK",
    "marks": "MARK",
    "target": "TARGET|TARGET NEXT|TARGET TIME|TARGET NEXT SESSION|TARGET LAP TIME|TARGET LAPS",
    "plan": "PLAN|PLAN NEXT|PLAN NEXT SESSION",
    "stints": "STINT|STINT FAST MOST|STINT BEST|STINT HOWMANY|STINT TIME|STINT MEAN|STINT PACE",
    "stops": "STOP|STOP HOWMANY|STOP OFTEN|STOP LONG|STOP TIME",
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
    "heel_and_toe": "HEELTOE|HOWTO HEELTOE",
    "trail_braking": "HOWTO TRAIL|HOWTO TRAIL BRAKE",
    "braking_points": "HOWTO SEEK BRAKE POINT",
    "racing_line": "RACINGLINE|HOWTO RACINGLINE|HOWTO SEEK RACINGLINE",
}
# What the answer to a topic tells too, so that its words are used by it.
COVERED: dict[str, str] = {
    "lost": "WHERE TIME",
    "losses": "WHERE TIME MOST SPEED", "advice": "WHERE TIME MOST FIRST NEXT FAST COMP BETTER MORE",
    "ideal": "FAST TIME SECTOR SECTORS BEST SUM LESS COMP UNDER",
    "stints": "FAST MOST BEST HOWMANY LONG TIME MEAN PACE EACH",
    "stops": "HOWMANY OFTEN LONG TIME LAST FIRST O1 O2 O3 TAKE WHERE WHEN",
    "incidents": "HOWMANY OFTEN WHERE WHEN EVER",
    "export": "HOWTO", "help": "HOWTO",
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
# Measures of a corner alone.
NEEDS_CORNER = frozenset(("entry_speed", "min_speed", "exit_speed", "brake_m", "lift_m", "throttle_m"))
# What a symbol may be meant for where nothing certain uses it.
SYMBOL_HINTS: dict[str, tuple[str, ...]] = {
    "BRAKE": ("brake_m", "brake_bar"), "THROTTLE": ("throttle_m", "throttle"), "SPEED": ("speed",
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
