"""English: the words of a driver's question, and how a query is called.

LEXICON: a symbol of the reader (or several) -> the words and phrases that mean it; `*` is any ending.
"""

from __future__ import annotations

LEXICON: dict[str, str] = {
    # Laps, places, sessions.
    "LAP": "hot lap, hot laps, lap, laps, laptime's, flyer, flyers, rounds",
    "SECTOR": "sector splits, sector split, sector, sectors, split, splits",
    "PIECE": "mini sector, mini sectors, minisector, minisectors",
    "CORNER": "corner, corners, turn, turns, bend, bends, curve, curves",
    "STRAIGHT": "straight, straights, straightaway, back straight",
    "MAIN STRAIGHT": "pit straight, home straight, start finish straight",
    "MAIN": "main, start finish, front, start and finish, finish straight",
    "SESSION": "session, sessions, outing, whole day, day, today, todays, drive, track day, trackday, so "
    "far, whole time, all day, overall, entire",
    "STINT": "stint, stints, run, runs",
    "HALF": "half",
    "IN LINE": "at the start finish line, at the start/finish line, at the start line, at the finish "
    "line, at start finish, at start/finish, at the line",
    "LINE": "start line, finish line, start finish line, start/finish line, line",
    "IN MAIN STRAIGHT": "at the start finish straight",
    "LAST LAP": "towards the end, by the end",
    "SESSIONEND": "at the end, at the end of the session, end of the session, at the very end",
    "SESSIONSTART": "at the start, at the beginning, at the start of the session, start of the session, at "
    "the start of the day",
    "OUTLAP": "out lap, outlap, out laps",
    "INLAP": "inlap, in-lap, when i came in, as i came in, coming in, when i come in",
    "FLYING": "flying, timed, proper",
    "FIRST": "first, opening, 1st",
    "LAST": "last, final, latest lap, most recent",
    "BEGIN": "start, starts, starting, begin, begins, beginning",
    "PREV": "this morning, in the morning, earlier today, yesterday, yesterdays, the day before, "
    "previous, prior, last session, last time, earlier session, other session, before that one",
    "NEXT": "next",
    "OTHERS": "other, others, rest, other laps, the other ones, remaining",
    "EACH SESSION": "ever here, all time, of all sessions, in all sessions, all sessions, all my sessions, "
    "of all time",
    "EACH": "each, every, per, lap by lap, corner by corner, by lap, by corner, by sector, individual, list, "
    "listed, show all, breakdown, all the, all my, all of my, all of the, all",
    "TRACKWHOLE": "whole track, anywhere, lap of the track, whole lap, whole circuit, entire lap",
    # How values are taken, ranked, compared.
    "BEST": "best, personal best",
    "WORST": "worst, poorest",
    "MOST": "most, highest, max, maximum, biggest, largest, greatest, peak, top, maximal, up to, "
    "strongest, ever hit, high point, high",
    "LEAST": "low point, low, least, lowest, min, minimum, smallest, minimal, fewest, tiniest",
    "FAST": "fast, quick, rapid, quickly, pacey",
    "FAST MOST": "fastest, quickest",
    "FAST COMP": "faster, quicker",
    "SLOW": "slow, slowly, bad, terrible, awful, rubbish",
    "SLOW MOST": "slowest",
    "SLOW COMP": "slower",
    "LATE": "late, deep",
    "LATE MOST": "latest, deepest",
    "LATE COMP": "later, deeper",
    "EARLY": "early, soon",
    "EARLY MOST": "earliest, soonest",
    "EARLY COMP": "earlier, sooner",
    "HARD": "hard, heavy, heavily, firm, much force, cautious, timid, gentle, careful",
    "HARD MOST": "hardest, heaviest",
    "HARD LEAST": "softest, gentlest, lightest",
    "HARD COMP": "harder, heavier",
    "HOT": "hot, warm, overheat*, cooked, heat",
    "HOT MOST": "hottest, warmest",
    "LONG": "long",
    "LONG MOST": "longest",
    "LONG LEAST": "shortest",
    "LONG COMP": "longer",
    "MORE COMP": "more, higher, greater, bigger",
    "LESS COMP": "less, lower, smaller, fewer",
    "BETTER": "better, worse",
    "THAN": "than, compared to, compared with, relative to, against, beside, versus my",
    "THAN USUAL": "is that a lot, is that much, is that good, is that any good, is that normal, is that ok",
    "MEAN": "average, avg, averages, averaged, mean, on average, typical, typically",
    "MEDIAN": "median",
    "USUAL": "usual, usually, normally, generally, normal",
    "SUM": "total, in total, in all, altogether, sum, combined",
    "SPREAD": "how far apart, apart, spread, range, consistent*, consistency, inconsistent*, vary, "
    "varies, varied, varying, variation, variance, scatter, deviation, repeatable, all over the place, "
    "steady, steadiest, standard deviation, fluctuat*",
    "CONSISTENT": "as consistent",
    "TREND": "move, moved, moving, keep climbing, keep rising, climbing, rising, changed, change, "
    "changes, keep going up, worse over, trend, trends, over time, over the session, over the laps, "
    "getting, develop*, evolve*, progress*, throughout, as the session went on, rise over, drift, change "
    "over, over the run, still improving, change during, go up, going up, went up, go down, going down, "
    "climb over, creep",
    "IMPROVED": "improve, improved, improving, improvement",
    "SHARE LAP": "how much of lap, what share of lap",
    "SHARE": "percent, percentage, share, proportion, fraction, how much of the lap, how much of a lap, "
    "part of the lap, % of the lap, how much of my lap, how much of the time",
    "HOWMANY": "how many, number of, count, amount of laps",
    "HOWMUCH": "how much, how many seconds, how many tenths, how much time between, by how much",
    "OFTEN": "how often, how many times, often, times did, number of times",
    "RANK": "rank, ranked, sorted, sort, order, ordered, ranking",
    "COMPARE": "close, compare, compared, comparison, comparing, vs, versus, difference, differ, "
    "different, gap, delta, differs, next to, stack up",
    "EVER": "ever, at any point, at all, go past, exceed*, hit, reach, reached, get past, get to, past",
    "BEAT": "beat, break, broke, crack, dip, dipped, go under, get under, went under, get below, duck under",
    "OVER": "over, above, more than, higher than, exceed, past, beyond, greater than, at least",
    "UNDER": "under, below, less than, lower than, sub",
    "WITHIN": "within",
    "BETWEEN": "between",
    "FROM": "from",
    "TO": "to, through to, until, till, up until",
    "AND": "and, plus, &, as well as",
    "OR": "or",
    "BEFORE": "before, ahead of",
    "AFTER": "after, following, since",
    "NOT": "without, except, excluding, apart from, not counting, other than, leaving out, minus",
    "NO": "not, never, no, isn't, wasn't, didn't, didnt, dont, don't",
    "THERE": "there, that corner, that turn, that point, that place, that one, at that",
    "THATLAP": "that lap, on it, in it, same lap, this lap",
    "SAME": "same, same again, likewise, ditto",
    "ONLY": "only, just",
    "OFF BEST": "close to my best, how far behind my best, far behind my best, behind my best, down on my "
    "best, how far from my best, off my best, off the best, off best, off my fastest, off my quickest, "
    "away from my best",
    "OFF": "how far off, how far away from, off",
    # Question words.
    "WHAT": "what, whats, what's, wot, which was",
    "WHICH": "which, what lap, whichever",
    "WHERE": "where on track, where on the track, where on the circuit, where around the lap, where, "
    "wheres, where's, whereabouts, at which point, what part, which part",
    "WHEN": "when, what time of, at what time",
    "WHO": "who, whos, who's",
    "WHY": "wrong, doing wrong, going wrong, why, how come, reason, explain, what made, because of what, "
    "what happened, cause",
    "HOW": "how, hows, how's",
    # Figures.
    "TIME": "time, times, laptime, laptimes, seconds spent",
    "PACE": "pace",
    "SPEED": "speed, speeds, velocity, kmh, km/h, kph, mph speed",
    "MOST SPEED": "vmax, topspeed, flat chat speed, terminal",
    "CARRY": "carry, carrying, carried, roll through, rolling",
    "BRAKE": "brake, brakes, braking, braked, anchors, stopping, brakin, brkae",
    "THROTTLE": "throttle, gas, accelerator, power pedal, pedal, loud pedal",
    "ONGAS": "open the throttle, opening the throttle, opened the throttle, open the gas, on the gas, on "
    "the power, on throttle, on the throttle, back on, back to throttle, pick up, pickup, picking up, "
    "throttle application, back to power, to power, throttle point, get to the throttle, throttle on",
    "FULL": "full, flat, flat out, wide open, wot, full throttle, floored, foot down, pedal to the metal, "
    "pinned, 100% throttle, fully open, flat-out",
    "COAST": "coast, coasts, coasting, coasted, off both pedals, neither pedal, no pedal, no pedals, "
    "rolling on",
    "BOTH": "both pedals, both feet, pedals overlap, overlap, overlapping, at the same time, brake and "
    "throttle together",
    "TRAIL": "trail, trailing, trail braking, trail-braking, trailbrake, trailbraking, trail brake",
    "LIFT": "lift, lifts, lifting, lifted, come off the gas, off the gas, let off, get off the gas, off "
    "the throttle, come off the throttle, off throttle, off the power, let go of the throttle, back off",
    "POINT": "point, points, marker, spot",
    "PRESS HOWMUCH": "how many bar, how much bar",
    "PRESS": "pressure, pressures, force",
    "FAR BEFORE": "how many metres before, how many meters before, metres before, meters before, "
    "how far before",
    "FAR": "far, distance, how early before, mileage",
    "GEAR": "gear, gears",
    "SHIFT": "shift, shifts, shifting, shifted, gear change, gear changes, change gear, changes of gear",
    "UPSHIFT": "upshift, upshifts, shift up, shifts up, change up, changing up, upshifting",
    "DOWNSHIFT": "downshift, downshifts, shift down, change down, downshifting",
    "RPM": "rpm, revs, rev, rpms, engine speed, revving, engine revs",
    "DROP": "drop, drops, dropped, fall, falls, lose revs",
    "G": "g, gs, g's, g-force, gforce, g force, g forces, g-forces, gforces, gee",
    "LAT": "lateral, sideways, cornering, side, lat",
    "BRAKE G": "deceleration, decelerate, decel, retardation, slowing down, slow down",
    "ACCEL": "acceleration, accelerate, accelerating, accel, longitudinal acceleration",
    "LONGI": "longitudinal",
    "STEER": "steering, steer, wheel, wheel angle, steering wheel, lock, steering angle",
    "ANGLE": "angle",
    "YAW": "yaw, rotation, yaw rate, rotate",
    "OIL": "oil",
    "WATER": "water, coolant, cooling water, engine temperature, engine temp, radiator",
    "ENGINE": "engine, motor",
    "TEMP": "temp, temps, temperature, temperatures",
    "HEIGHT": "altitude, elevation, height, high up",
    "CLIMB": "climb, elevation change, altitude difference, height difference, hill, uphill",
    "SMOOTH": "smooth, smoothly, smoothest, jerky, sawing, jabbing, busy",
    "ENTRY": "entry, entering, enter, turn in, turn-in, on the way in, into, entrance, arrive, "
    "arriving, going in, in speed",
    "APEX": "apex, mid corner, mid-corner, midcorner, middle, apexes, mid, slowest point of the corner, "
    "minimum point",
    "EXIT": "exit, exits, exiting, on the way out, coming out, out of, corner exit, leaving, track out, out",
    "LOSE": "leave, leave time, lose, losing, lost, loss, losses, time loss, cost, costs, costing, give "
    "away, giving away, leaving time, leave time, time to find, time to gain, drop time, dropping time, "
    "waste, wasting, off the pace, slow spots, bleeding, on the table, left on the table",
    "GAIN": "gain, gains, gained, gaining, win, won, make up, pick up time, find time, found time, make "
    "time, made time",
    "TAKE": "take, takes, taking, took, spend, spent, need",
    # Topics.
    "IDEAL": "everything came together, everything comes together, it all came together, ideal, "
    "theoretical, theoretical best, optimal, optimum, perfect lap, perfect, potential, "
    "virtual, best possible, possible lap, rolling best",
    "TOGETHER": "together, add up, put together, added up, combined best, adding, combine, string "
    "together, strung together, stitched, in one lap",
    "WORK": "work on, focus, concentrate, priority, prioritise, advice, tip, tips, suggest, recommend, "
    "help me, practise next, do differently next, to go faster, to get faster, to be faster, how can i go "
    "faster, how do i go faster, how do i get faster, how can i be faster, to be quicker, find more, "
    "quick win, low hanging, fix, change first, improve next, improve first, improve most, improve on, "
    "biggest problem, biggest weakness, weakest, weakness, one thing",
    "COACH": "coach, pitwall, you",
    "SAY": "warning, warnings, say, said, tell me, told, call, called, callout, callouts, calls, spoke, "
    "spoken, mention, "
    "told me, hints, advise, tell me about",
    "HEED": "heed, heeded, follow, followed, listen, listened, obey, obeyed, do what, ignored, ignore, "
    "took your advice",
    "MARK": "marked, mark, i mark, marks, press mark",
    "TARGET": "target, goal, targets, goals, aim, aim for",
    "PLAN": "plan, planning, next run, schedule",
    "STOP": "stop, stopped, stops, pit, pits, pitted, paddock, break, stood, standing",
    "SPIN": "spin, spun, spins, crash, crashed, off track, went off, incident, incidents, go off, "
    "mistake, mistakes, moment, run wide, ran wide, gravel, trouble, hairy, scary",
    "BALANCE": "understeer, understeers, oversteer, oversteers, balance, setup, set-up, set up, handling, "
    "loose, push, tail happy, pushing, understeering, oversteering",
    "PROGRESS": "personal record, pb, progress, season, last visit, over the year, since last time, "
    "history, plateau, than my last session, over my sessions, getting better over, than the last session",
    "SUMMARY": "summary, summarise, sum up, overview, debrief, how was it, how did it go, how did i do, "
    "how was my session, how did the session go, how did that session go, how did that go, recap, how was "
    "my day, how was the session, how was today, how did today go, how am i doing",
    "DURATION": "duration, how long was the session, how long did i drive, how long was i out, how long "
    "was i driving, session length, length of the session, how long is the recording, how long was the "
    "recording, how long did the session last, last for, how long was the day",
    "DRIVEN": "how far did i drive, distance driven, driven distance, total distance, how many km, how "
    "many kilometres, how "
    "many miles, how many kilometers, kilometres did i, distance did i cover, how far did i go",
    "LENGTH": "length, track length, lap length, how long is the track, how long is the lap, how long is "
    "a lap, metres is one lap, how long is one lap, how long is the circuit",
    "TRACK": "track, circuit, venue",
    "CAR": "car, vehicle",
    "DRIVER": "driver, driving",
    "RECORD": "recorded, record, channels, channel, signals, signal, data do you have, logged, sensors",
    "SOURCE": "device, logger, recorded this, what recorded, which file",
    "GPS": "gps, satellites, satellite, fix, fixes, signal quality",
    "DIRECTION": "clockwise, anticlockwise, which way round, direction, left or right, left-hander, "
    "right-hander, lefthander",
    "DATED": "date, what day, which day, when was this, when was the session, when did i drive, when "
    "was that session",
    "EXPORT": "export, download, csv, share the data, file, plot, graph, chart, draw, video, "
    "screenshot, send",
    "HELP": "what can i ask, what can you do, help",
    # Words that say nothing of their own.
    "BE": "is, was, were, are, am, be, been, did, do, does, has, have, had, will, would, can, could, "
    "should, shall, might, happening, happened, being, having, doing, done, got, get, gets, go, goes, "
    "going, went, gone, make, made, seem, need to, want, use, used, using, run at, see, saw, keep, kept, "
    "let, set, put, come, came",
    "I": "did i run, i ran, i, my, me, mine, myself, i'm, im, ive, i've, we, our, us, you're, your",
    "IN": "in, on, at, for, during, of, with, by, about, as, into the, through, around, across, up, down, "
    "while, inside, near, towards, round, off of, onto, entering the",
    "THE": "here, possible, lean, realistic, there a, anything, something, everything, zone, zones, "
    "myself, generally, going to, seconds, second, km, tenths, half a second, possible now, ever do, "
    "compared with each other, rate, of them, ever since, the, a, an, this, these, those, it, its, it's, "
    "that, they, them, their, one, ones, there's, theres, some, any, bit, kind, sort, thing, things, way, "
    "much, many, very, so, too, really, actually, exactly, roughly, about, please, pls, thanks, mate, "
    "hey, hi, ok, okay, then, now, again, also, else, ever so, today's, like, know, show, give, tell, "
    "think, gimme, lemme, find, look, looks, figure, figures, value, values, number, reading, readings, "
    "data, level, levels, going into, actual, overall, currently, still, already, quite, pretty, well, "
    "good, ok then, out there, if, would be, when i, even, own, lads, coach please, chief, boss, "
    "question, quick question, compared, car's, carrying into, say me, enough, driving into, generally "
    "speaking, right, alright, hm, hmm, um, uh, er, in bar, on screen, down the, along, down to, each of, "
    "out in, pulled, pull, pulling, hold, held, stay, stayed, pass, passes, measured, figure for, put in, "
    "performance, result, numbers, stats, statistic, statistics, what about, how about, and what about, "
    "run through, show me, tell me the, give me, question about, reached, manage, managed, achieve, "
    "achieved, hitting, seen, saw it, register, touch, touched, got to, see if, did it, is it, was it, is "
    "that, was that, getting to, degrees of",
}

# What no source records, or no data tells of: the names of `TERMS["untold"]`.
UNTOLD: dict[str, str] = {
    "tyres": "tyre, tyres, tire, tires, rubber, grip level",
    "fuel": "fuel, petrol, gasoline, litres",
    "weather": "weather, rain, raining, wind, windy, air temperature, ambient, track temperature, "
    "humidity, wet, sunny",
    "brake temperature": "brake temp, brake temps, brake temperature, brake temperatures, disc "
    "temperature, pad wear, pads",
    "other cars": "other cars, traffic, overtake, overtakes, overtaken, opponents, competitors, who else, "
    "passed me, anyone else",
    "result": "position, what position, positions, podium, place did i finish, race result, leaderboard",
    "driving aids": "abs, traction control, esp, stability control, tcs",
    "flags": "flag, flags, yellow flag, red flag, safety car",
    "penalties": "penalty, penalties, track limits",
    "body": "heart rate, pulse, bpm, tired",
    "clutch": "clutch",
    "power": "horsepower, torque, bhp, hp, power output",
    "suspension": "suspension, downforce, damper, ride height, springs, dampers",
    "battery": "battery, voltage, volts",
    "wheel speeds": "wheelspin, wheel spin, lock up, lockup, lockups, locked up, locking, wheel slip",
    "air fuel": "lambda, afr, exhaust",
    "brake release": "brake release, release the brake, release the brakes, come off the brakes, off "
    "the brakes",
    "turn in": "where do i turn in, turn in point, turn-in point, where i turn in",
}

# Of other languages: what is said around a question, in English.
TALK: dict[str, str] = {}

UNITS: dict[str, str] = {
    "kmh": "km/h, kmh, kph, kilometres per hour, kilometers per hour, km per hour, kays",
    "mph": "miles per hour, mph, miles an hour",
    "knots": "knots",
    "rpm": "rpm, revs",
    "bar": "bar, bars",
    "psi": "psi",
    "g": "g, gs",
    "celsius": "degrees, celsius, degree, c, °c, deg, degrees c, degrees celsius",
    "fahrenheit": "fahrenheit, f, °f, degrees f, degrees fahrenheit",
    "%": "percent, %, per cent",
    "metres": "m, metres, meters, metre, meter",
    "feet": "ft, feet, foot",
    "yards": "yards, yard, yd",
    "km": "km, kilometres, kilometers",
    "minutes": "minutes, minute, mins",
    "s": "s, sec, secs, seconds, second",
    "tenths": "tenth, tenths",
}

NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
# What an ordinal may end in.
ORDINAL_ENDS = ""
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"

TERMS: dict[str, dict[str, str]] = {
    # How a measure is called where one is chosen; the reader reads it back.
    "measure": {
        "time": "time", "speed": "speed", "entry_speed": "entry speed", "min_speed": "minimum speed",
        "exit_speed": "exit speed", "brake_m": "brake point", "lift_m": "lift point",
        "throttle_m": "throttle point", "brake_bar": "brake pressure", "brake_time": "time on the brakes",
        "brake_count": "how often braked", "brake_far_m": "braking distance", "full_throttle": "full "
            "throttle time",
        "coast": "coasting", "overlap": "both pedals", "trail": "trail braking", "lost": "time lost",
        "brake_lost": "time lost on the brakes", "mid_lost": "time lost in the middle",
        "exit_lost": "time lost on the exit", "lifts": "how often lifted", "throttle": "throttle",
        "throttle_turns": "how smooth on the throttle", "steering_turns": "how smooth on the steering",
        "gear": "gear", "gear_time": "time in a gear", "shifts": "how often shifted", "upshifts": "how "
            "often upshift", "downshifts": "how often downshift",
        "shift_rpm": "rpm at the upshift", "rev_drop": "rev drop at the upshift", "rpm": "engine speed",
        "g_lat": "lateral g", "g_brake": "braking g", "g_accel": "acceleration g",
        "coolant_c": "water temperature", "oil_temp_c": "oil temperature", "oil_bar": "oil pressure",
        "steering_deg": "steering angle", "yaw": "yaw rate", "climb_m": "altitude difference",
        "altitude_m": "altitude", "losses": "where I lose time", "advice": "what to work on",
        "corner": "how it was driven", "ideal": "ideal lap", "lap_count": "how many laps",
        "said": "what the coach said",
        "target": "target", "stints": "stints", "compare": "compare", "spread": "consistency",
        "duration": "how long the session was",
        "progress": "progress", "incidents": "incidents", "heeded": "advice heeded", "summary": "summary",
        "plan": "plan", "setup": "balance", "why": "why it was so", "driven_km": "distance driven",
        "track_km": "track length", "channels": "what was recorded",
    },
    "which": {
        "min": "lowest", "max": "highest", "mean": "average", "median": "median", "sum": "total",
        "spread": "spread", "trend": "trend", "share": "share",
    },
    "group": {"lap": "each lap", "corner": "each corner", "sector": "each sector", "straight": "each "
        "straight",
              "gear": "each gear"},
    "ask how": {"": "usual value", "mean": "average", "median": "median", "min": "lowest", "max": "highest",
                "sum": "in all", "spread": "range over the laps", "trend": "usual value",
                "share": "usual value"},
    "ask order": {"min": ", lowest first", "max": ", highest first"},
    "side": {"over": "over", "under": "under"},
    "lap mark": {"best": "my best lap", "worst": "my slowest lap", "last": "the last lap",
                 "first": "the first lap", "in": "the in lap", "out": "the out lap", "all": "all laps"},
}  # fmt: skip

SENTENCES: dict[str, str] = {
    "ask in lap": "{value} in lap {lap}",
    "ask lap value": "lap {lap} {value}",
    "ask of lap": " (lap {lap})",
    "ask place value": "{place} {value}",
    "ask beside": " against {laps:laps}",
    "ask beside mean": " against the average",
    "ask nth": ", number {rank}",
    "ask over flying": " over {count:1 flying lap|# flying laps}",
    "ask by place": "{label}{how}{laps}{order}: {values:and}.",
    "ask lap best": "Lap {lap} was your best lap: {time:lap}, the fastest of {count:1 flying lap|# "
    "flying laps}.",
    "ask slowest": "It is your slowest flying lap.",
    "ask median": "Median {value}.",
    "ask lowest": "{label}{place}, lowest{among}: {value}, in lap {lap}.",
    "ask highest": "{label}{place}, highest{among}: {value}, in lap {lap}.",
    "ask among": " of {laps:laps}",
    "ask between": "{by} between them.",
    "ask two mean": "{label}, average: {value}{place}, {other}{other_place}, {by} between them.",
    "ask usual against": (
        "{label}{place}: usually {value} over {count:1 other flying lap|# other flying laps}, {other} in "
        "lap {lap}: {by} between them."
    ),
    "ask share": (
        "{label}{place}: {share:.0%} of the time on average over {count:1 lap|# laps} ({time}), from "
        "{low:.0%} to {high:.0%}."
    ),
    "ask first session": "Of {count} sessions the {end}: {value}, in that of {when}.",
    "ask of session": "Session of {when}: {rest}",
    "asked corners none of": "{label} is {side} {limit} in no corner, in most laps.",
    "ask back": "Do you mean {first}, or {second}?",
    "ask back one": "Do you mean {first}?",
    "ask strange": "I do not know what you mean by {words:and}.",
    "ask unused": "I can't tell what {words:and} is to mean there.",
    "ask query": "{which}{measure}{place}{laps}{group}{unit}",
    "ask at": " in {place}",
    "ask of laps": " in {laps}",
    "ask own lap": "lap {lap}",
    "ask by": ", {group}",
    "ask ranked": ", {group}, {order}",
}
