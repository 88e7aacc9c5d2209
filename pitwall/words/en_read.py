"""English: what is read. The formats behind the colons are those of `units.Filler`."""

from __future__ import annotations

from pitwall.words import en_ask, en_asked
from pitwall.words.en_fleet import FLEET, FLEET_SENTENCES
from pitwall.words.en_page import PAGE

DECIMAL = "."
ONE_LAP, LAPS_FROM_TO, MORE_LAPS = "lap {}", "laps {} to {}", "laps {}"
LINKS: dict[str, str] = {"and": "and", "then": "then", "nor": "nor"}

# What stands for a word of the analysis, table by table.
TERMS: dict[str, dict[str, str]] = {
    "phase": {
        "approach": "on the way in",
        "brake": "on the brakes",
        "turn_in": "at turn-in",
        "apex": "in the middle",
        "exit": "on the way out",
        "differs": "in another part each time",
    },
    # The keys of a script file.
    "script": {
        "approach": "approach", "brake": "brake", "turn_in": "turn_in", "apex": "apex", "exit": "exit",
    },
    # What the figures say, then what to do.
    "advice": {
        "brakes early": "Move the mark forward a car length at a time, and keep the same first squeeze.",
        "brakes late": "Brake where that lap did: the speed you carry past it is taken back at the apex.",
        "coasts": "One foot is always working: hold the throttle to the mark, then go straight to the brake.",
        "releases abruptly": "Keep the first squeeze, and take twice as long to let it go.",
        "drags the brake": "Brake as hard as you do now, and begin to let go sooner.",
        "enters slowly": "Same mark, same first squeeze; start the release sooner and let the car roll in.",
        "over-slows": "Leave the brake mark where it is, and give speed back by releasing sooner.",
        "late on the throttle": "Wait with the turn-in if you must, but once it is open keep it open.",
        "slow exit": "Unwind the wheel as the throttle opens and use all the road on the way out.",
        "line": "No pedal explains it: look at where you turn in, and drive the line of your best lap.",
        "differs": "Drive your best pass here again until three are alike; only then change something.",
        "keep the mark": "Leave the brake mark where it is.",
    },
    "habit": {
        "brakes early": "you brake early",
        "brakes late": "you brake late",
        "coasts": "you coast",
        "releases abruptly": "you let the brake go abruptly",
        "drags the brake": "you drag the brake",
        "enters slowly": "you enter slowly",
        "over-slows": "you over-slow",
        "late on the throttle": "you are late on the throttle",
        "slow exit": "your exit is slow",
        "line": "your line costs time",
        "differs": "you lose time in another part of it each lap",
    },
    "cause": {
        "brakes early": "brakes early",
        "brakes late": "brakes late",
        "coasts": "coasts",
        "releases abruptly": "releases abruptly",
        "drags the brake": "drags the brake",
        "enters slowly": "enters slowly",
        "over-slows": "over-slows",
        "late on the throttle": "late on the throttle",
        "slow exit": "slow exit",
        "line": "line",
        "differs": "differs",
    },
    "incident": {
        "spin": "a spin",
        "off track": "all four off",
        "blow": "a hard knock",
        "sudden stop": "a sudden stop",
    },
    "incident kind": {
        "spin": "spin", "off track": "off track", "blow": "blow", "sudden stop": "sudden stop",
    },
    "trend": {
        "faster": "faster", "plateau": "plateau", "slower": "slower", "not known": "not known",
    },
    "grip": {
        "steady": "steady", "rising": "rising", "falling": "falling",
        "not known": "too few laps to tell a trend",
    },
    "balance": {
        "understeer": "understeer", "neutral": "neutral", "oversteer": "oversteer", "unknown": "unknown",
    },
    "level": {"beginner": "a beginner", "intermediate": "a practised driver", "expert": "an expert"},
    "things": {"1": "One thing", "2": "Two things", "3": "Three things"},
    "channel": {
        "steering_deg": "the steering angle", "yaw_rate_dps": "the yaw rate",
        "g_lat": "the lateral acceleration", "coolant_c": "coolant", "oil_temp_c": "oil",
    },
    "lap kind": {
        "in": ", an in lap", "out": ", an out lap", "broken": ", a broken lap", "flying": "",
        "traffic": ", in traffic", "yellow": ", under a yellow flag",
    },
    # Tables and the console.
    # What may be lost, and what a rule needs.
    "status": {
        "settings": "settings", "litert": "litert", "words": "words", "phone": "phone", "audio": "audio",
        "disk": "disk", "store": "store", "imu": "imu", "can": "can", "gps": "gps", "sources": "sources",
        "track": "track", "reference": "reference", "phrases": "phrases", "messages": "messages",
        "sound": "sound", "brake phases": "brake phases", "exit phase": "exit phase",
        "turn-in and apex phases": "turn-in and apex phases", "lat_deg": "lat_deg", "lon_deg": "lon_deg",
        "speed_mps": "speed_mps", "wheel_speed_mps": "wheel_speed_mps", "g_lat": "g_lat",
        "g_long": "g_long", "gear": "gear", "rpm": "rpm", "coolant_c": "coolant_c",
        "oil_temp_c": "oil_temp_c", "oil_bar": "oil_bar", "brake_bar": "brake_bar",
        "brake_pct": "brake_pct", "throttle_pct": "throttle_pct", "yaw_rate_dps": "yaw_rate_dps",
    },
    "column": {
        "lap": "lap", "kind": "kind", "time": "time", "session": "session", "driven": "driven (UTC)",
        "track": "track", "laps": "laps", "best": "best", "tags": "tags", "same drive": "same drive as",
        "from": "from", "at": "at", "place": "place", "before": "before", "in hand": "in hand",
        "callout": "callout",
    },
    "corner figure": {
        "slowest": "slowest point", "exit": "exit speed", "entry": "entry speed", "time": "time",
        "loss": "loss against the best lap, to the next corner", "brake": "brake point before the apex",
    },
    "compare": {
        "delta": "lost", "entry": "entry", "slowest": "slowest", "exit": "exit", "brake": "brakes later",
    },
    "opportunity": {
        "where": "where", "cause": "cause", "loss": "a lap", "laps": "laps", "against": "against lap",
    },
    "all days": {
        "losses": "Where time goes lap after lap", "profile": "All your days",
        "lessons": "What was learned of you",
    },
    "profile": {"sessions": "sessions", "since the first": "since the first"},
    # The charts and tables of a page.
    "chart": {
        "speed_mps": "speed", "brake_bar": "brake", "brake_pct": "brake", "throttle_pct": "throttle",
        "steering_deg": "steering", "g_lat": "lateral", "g_long": "braking and pulling", "gear": "gear",
        "rpm": "engine speed",
    },
    "page": PAGE,
    "fleet": FLEET,
    "view": {
        "laps": "Laps", "lap": "lap", "kind": "kind", "time": "time", "sector": "sector", "reason": "why",
        "shown": "shown", "against": "against", "charts": "Laps by place", "delta": "delta",
        "delta help": "above zero: slower than the other lap", "map": "Map", "colour": "colour by",
        "by speed": "speed", "by gain": "gain and loss", "slow": "slow", "fast": "fast", "lost": "lost",
        "won": "won", "corners": "Corner by lap", "corner": "corner", "figure": "figure",
        "min_speed": "slowest point", "exit_speed": "exit speed", "brake": "brake point before the apex",
        "time_s": "time", "loss_s": "loss against the best lap", "grade": "grade",
        "grade help": "A: as in the best lap (or your better pass, where time is lost lap after lap), "
        "to 0.05 s. B: up to 0.15 s lost, C: up to 0.35 s, D: more; and "
        "where most of it was lost.", "braking": "braking", "middle": "mid corner",
        "exit": "exit", "coach": "What the coach said",
        "coach would": "What the coach would have said",
        "text": "words", "outcome": "what became of it", "debrief": "Debrief",
        "best": "best", "no laps": "No lap was driven in this session.",
        "no callouts": "No words of the coach are stored in this session.", "median": "median",
        "before": "before", "mark": "mark", "gap": "gap", "gain": "gain", "best lap": "best lap",
        "potential": "Theoretical best", "potential help": "The pieces of all your laps, one a corner, that "
        "join to one lap: none begins faster than the one before it ended. Behind each corner: the time to "
        "your best lap, the lap that it is of, its time, and that of your best lap.",
        "next run": "For the next run", "at the cursor": "Figures at the cursor", "gg": "Grip used",
        "gg help": "Sideways: cornering. Up: pulling, down: braking.",
        "calls": "which", "said": "said", "kept back": "kept back", "all calls": "all",
        "nothing of it": "None.",
        "made by": "made by Pitwall", "hint": "Move over a chart or the map: all show the same place. "
        "Arrow keys move it too.",
    },
    "lap": {
        "flying": "flying", "out": "out", "in": "in", "broken": "broken", "traffic": "traffic",
        "yellow": "yellow", "mark": "mark", "clear": "mark taken back",
    },
    "session kind": {"live": "live", "import": "import", "replay": "replay"},
    "lesson": {"fault": "fault", "cured": "cured", "trouble": "trouble", "habit": "habit"},
    "place": {"on": "on track", "off": "off track", "pit": "pit lane", "lost": "place unknown"},
    "outcome": {
        "spoken": "spoken", "held then spoken": "held then spoken", "expired": "expired",
        "superseded": "superseded", "suppressed": "suppressed", "shed": "shed",
        "noted": "noted",
    },
    "tier": {"rule": "composed on this machine", "litert": "said by the model on this machine"},
}  # fmt: skip

SENTENCES: dict[str, str] = {
    # The debrief.
    "no lap to judge": (
        "{where}no flying lap was timed in this session, so there is nothing to judge yet. {why}"
    ),
    "left out": "You marked {laps:laps} as {kind}: {count:it does|they do} not count.",
    "left out slow": "You were far off your best in {laps:laps}: {count:it does|they do} not count.",
    "best lap": "{where}your best lap was a {time:lap}, lap {lap}.",
    "personal best": "That is a personal best here, {gain:.3f} s under the old one.",
    "cured": (
        "{corner} came good: it had cost you {before:.2f} s a lap, and in {laps:laps} that was gone."
    ),
    "gain": "From lap {first} to lap {last} you found {gain:.1f} s.",
    "consistent laps": (
        "All your flying laps lay within {spread:.2f} s of each other: that is a base to build on."
    ),
    "heard": "{corner}: heard in {laps:laps}, found {gain:.1f} s.",
    "best sector": "Sector {sector} in lap {lap} was {gain:.1f} s better than your usual one.",
    "steady corners": "You drove {corners:and} the same way lap after lap.",
    "things": "{count} for the next run.",
    "things ranked": "{count} for the next run, the dearest first.",
    "no corners known": (
        "No corners are known here, so only lap times can be told: pitwall track build FILE --id ID "
        "--name NAME, with a recording from here that has positions, makes them known."
    ),
    "too few laps": (
        "There are too few flying laps to tell a habit from a slip: what returns lap after lap counts."
    ),
    "nothing lost": (
        "Nothing costs you time lap after lap: no corner lost more than noise again and again."
    ),
    "troubles": "Before pace: {troubles:and}{more}. Go through what led to it before you go out again.",
    "trouble": "{incident} in lap {lap}",
    "trouble at": "{incident} in lap {lap} at {corner}",
    "troubles more": ", and {count} more",
    "thing": "{corner}, {phase}: {loss:.2f} s a lap ({laps:laps}). {observed}{mark}{advice}{release}",
    "next run": "Next run, {corner}: {habit}, compared with lap {lap}. {advice}",
    "mark": "Your mark is {mark}. ",
    "marks": "Marks to hang it on: {marks:and}. ",
    "observed": "Against lap {lap} {clauses:and}. ",
    "observed differs": "Most went {parts:and}. ",
    "lost there": "{phase} in lap {lap}",
    "you": "you ",
    "brakes sooner": "{you}brake {by:m.0f} sooner",
    "brakes later": "{you}brake {by:m.0f} later",
    "rolls": "{you}roll {by:.1f} s longer off both pedals",
    "throttle later": "{you}open the throttle {by:m.0f} later",
    "entry slower": "{you}turn in {by:m/s.0f} slower",
    "entry faster": "{you}turn in {by:m/s.0f} faster",
    "middle slower": "{you}are {by:m/s.0f} slower at the slowest point",
    "middle faster": "{you}are {by:m/s.0f} faster at the slowest point",
    "exit slower": "{you}leave {by:m/s.0f} slower",
    "exit faster": "{you}leave {by:m/s.0f} faster",
    "straight slower": "{you}carry {by:m/s.0f} less onto the straight",
    "release took": " You took {own:.1f} s to come off the pedal, in lap {lap} it was {best:.1f} s: {shape}.",
    "release too short": (
        "squeeze once, then bleed it off in one long, even release that ends at the apex, not at turn-in"
    ),
    "release too long": (
        "same first squeeze, then begin to let go sooner, in one straight, even release down to nothing"
    ),
    "release shape": (
        " The shape of the release: one firm squeeze, then evenly off, the last of it at the apex."
    ),
    "corners counted": (
        "The corners here were found by Pitwall and are counted from the start line: the track's own numbers "
        "may differ."
    ),
    "hands": "Your hands and feet are those of {level}: {signs:and}.",
    "hands coast_pct": "off both pedals for {value:.0f} % of the lap",
    "hands roll_s": "{value:.1f} s from the brakes to half throttle",
    "hands brake_spread_m": "brake points {value:m.0f} apart",
    "hands jerk_pct": "the throttle closed again in {value:.0f} % of the corners",
    "no brake signal": (
        "No brake signal was recorded, so brake points are read from how the car slows."
    ),
    "all in one lap": "Lap {lap} holds your best sectors, or nearly: now do it again.",
    "best pieces": (
        "Your best sectors add up to {theory:lap}, {gain:.2f} s under your best "
        "lap: no new speed is needed for that, only all of it in one lap."
    ),
    "no lap begun": "No lap was begun: the start line was not crossed, or no track is known here.",
    "what there was": "What there was: {reasons:and}.",
    # The brief.
    "nothing to build on": (
        "{where}there is no timed flying lap to build on yet. Drive a few clean ones first."
    ),
    "last best": "{where}last time your best was {time:lap}.",
    "personal best here": "Your personal best here is {time:lap}.",
    "usual first": "Your usual lap was {usual:lap}: first bring that to {target:lap}.",
    "target": "Target for the best one: {time:lap}.",
    "reminder": "{corner}, {phase} ({loss:.2f} s a lap last time). {mark}{advice}",
    "lessons": "From your sessions here so far. {lessons}",
    "plan": "The plan: {blocks:then}.",
    "plan warm up": "{laps:one lap|# laps} to warm up",
    "plan focus": "{laps:one lap|# laps} only for {corner}",
    "plan repeat the same lap": "{laps} laps the same lap again and again, above all at {corner}",
    "plan put it together": "{laps:one lap|# laps} to put it together",
    # Lessons.
    "lesson fault": "{corner}: {habit}{cost} ({seen}). {advice}",
    "lesson cost": ", about {loss:.2f} s a lap",
    "lesson cured": "{corner} is cured{gain}: it used to be that {habit} there. Driven without it: {seen}.",
    "lesson gain": ", worth about {gain:.2f} s a lap",
    "lesson trouble": (
        "{corner} has caught you out ({incident}; {seen}). Build up to it, and leave a margin there."
    ),
    "lesson habit": "A habit at {track}: {habit} in {corners:and} ({seen}).",
    "seen": "{laps} laps in {sessions:one session|# sessions}, last on {day}",
    "seen in none": "in sessions that are gone",
    "unknown day": "a day that is not known",
    # Answers.
    "nothing stored": "There is nothing stored yet that could answer this.",
    "refused": "That can't be answered: {error}. What would help: {help}.",
    "ask again": "ask again",
    "this session": "This session",
    "no timed lap": "This session has no timed flying lap.",
    "overview": "{where}: {count:1 flying lap|# flying laps}, the best a {time:lap} in lap {lap}.{top}",
    "top speed": " Top speed {speed:km/h.0f}.",
    "lap slower": (
        "Lap {lap} was {by:.3f} s slower than lap {other} ({time:lap} against {other_time:lap}).{rest}"
    ),
    "lap faster": (
        "Lap {lap} was {by:.3f} s faster than lap {other} ({time:lap} against {other_time:lap}).{rest}"
    ),
    "lap most": " Most of it: {corners:and}.",
    "corner lost": "{corner} {by:.2f} s lost",
    "corner won": "{corner} {by:.2f} s won",
    "corner not driven": "{corner} was not driven in a flying lap of this session.",
    "corner passes": (
        "{corner}, {count:1 pass|# passes}: your best was lap {lap}, {time:.2f} s and "
        "{speed:km/h.0f} at the slowest point."
    ),
    "corner no loss": (
        "No fault returns there lap after lap; from braking to the run after the exit it took {mean:.2f} s "
        "more than in your best lap, on average."
    ),
    "corner one pass": "One pass shows neither a habit nor what there is to gain.",
    "corner loss": "It costs you {loss:.2f} s a lap in {laps:laps}: {cause}.",
    "not driven in lap": "{corner} was not driven in lap {lap} as a flying lap.",
    "corner in lap": "{corner} in lap {lap}: {parts:and}.",
    "seconds": "{time:.2f} s",
    "one session": "One session on {track} so far, best {best:lap}: progress shows from the second one on.",
    "progress quicker": (
        "{count} sessions on {track}, personal best {best:lap}. The latest best is "
        "{by:.2f} s quicker than the first. Trend: {trend}."
    ),
    "progress slower": (
        "{count} sessions on {track}, personal best {best:lap}. The latest best is "
        "{by:.2f} s slower than the first. Trend: {trend}."
    ),
    "balance unknown": "The balance can't be told: {notes}.",
    "balance": (
        "The steering says {balance}: {gradient:.1f} degrees of wheel per g "
        "beyond what the curve needs.{notes}"
    ),
    "note missing": "{channel} was not recorded, or can't be believed",
    "note without yaw": "without a yaw rate the curve is taken from lateral acceleration and speed",
    "note left turns": (
        "steering could be read in {share:.0%} of the left turns: this is about the others"
    ),
    "note right turns": (
        "steering could be read in {share:.0%} of the right turns: this is about the others"
    ),
    "note balance unknown": "the balance can't be told from this session",
    "mind": " Mind: {notes}.",
    "your best": "Your best was a {time:lap} in lap {lap}.",
    "corner loss short": "{corner} {loss:.2f} s",
    "no other reference": "No other session is stored on this track. {worth}",
    "own is fastest": "No lap of another session here is faster than your best one. {worth}",
    "time goes at": "Against your own best passes time goes at {corners:and}.",
    "time goes nowhere": "Nothing is lost again and again.",
    "behind reference": "Your best lap is {by:.3f} s behind lap {lap} of another session{day}.{where}",
    "ahead of reference": "Your best lap is {by:.3f} s ahead of lap {lap} of another session{day}.{where}",
    "where it goes": " Where it goes: {corners:and}.",
    "driven on": ", driven on {day}",
    "reading from to": "{name} from {least} to {most}",
    "grip": "In the hardest twentieth of a usual lap you used {grip:.2f} g or more; grip in use: {trend}.",
    "recorded": "Recorded: {readings:and}.",
    "no weather": "No weather was recorded, so rain and track are yours to judge.",
    "answer plan": "{laps} laps in all: {blocks:and}.",
    "answer plan repeat the same lap": "{laps} laps the same every time, above all at {corner}",
    "no incidents": "The data shows no spin, no excursion, no hard knock and no sudden stop.",
    "no incidents seen": (
        "The data shows no spin, no hard knock and no sudden stop; excursions need a known track."
    ),
    "incidents": "The data shows {incidents:and}{more}.",
    "largest loss": " The slowest lap was lap {lap}, {loss:.1f} s slower than lap {other}.",
    "largest loss at": (
        " The most lost at one place: {corner} in lap {lap}, {loss:.1f} s slower than in lap {other}."
    ),
    "longest stint": "Your longest stint, {laps:laps}: best {best:lap}, usual {usual:lap}{spread}.",
    "spread": ", all of them within {spread:.2f} s",
    "fading unknown": "Too few laps to tell whether it fades.",
    "it fades": "It fades: {slope:+.3f} s a lap.",
    "it quickens": "It gets quicker: {slope:+.3f} s a lap.",
    "no trend": "No sure trend: {slope:+.3f} s a lap.",
    "no pieces": "Your best is {best:lap}; no sectors or corners are known here to add up.",
    "no more in pieces": (
        "Your best is {best:lap}, and your best sectors add up to hardly less: drive it again."
    ),
    "goals": "From {best:lap} to {target:lap} next; your best sectors add up to {theory:lap}.{where}",
    "found at": " It is to be found at {corners:and}.",
    "too few to differ": "There are too few laps to tell where you differ.",
    "spread at": "{corner} (spread {spread:.2f} s)",
    "differ": "You differ most at {corners:and}, least at {steadiest}.",
    "scripts": "There are voice scripts for {count} corners; a phrase has at most {most} words.",
    "script": "{corner} says: {phrases}.",
    "not saved": "Nothing was saved.",
    "saved script": "Saved for {corner}: {phrases}.",
    "in general": "(in general: {comment})",
    "nothing this time": "I have nothing this time on {what}.",
    "no script": "{corner} has no script of its own.",
    "no scripts without model": "New phrases can't be written without a model; nothing was changed.",
    "reading in lap": "{value} in lap {lap}",
    "lap not timed": "Lap {lap} was not timed{kind}.",
    "lap timed": "Lap {lap} was a {time:lap}{kind}.",
    "any time": "Any time.",
    "see you": "See you. Drive well.",
    "here": "I am here. Ask me about your laps, a corner, or the plan for the next run.",
    "all right": "All right. Ask me whenever you like.",
    "hello": "Hello. Ask me about your laps, a corner, or the plan for the next run.",
    "nothing now": "I can't answer that now. What was recorded is safe, ask again later.",
    "unknown lap": "there is no {laps:nor} in this session",
    "lap": "lap {lap}",
    "ask about laps": "ask about {count:lap|laps} {laps:and}",
    "ask about another": "ask about a session with laps",
    # Tables and the console.
    "unknown": "unknown",
    "unknown track": "unknown track",
    "unknown place": "unknown place",
    "none": "none",
    "corners head": "{track}: {figure} ({unit}), lap by lap",
    "compare head": "{lap}, {time:lap}, against {against}, {best:lap}: {delta:+.3f} s",
    "compare signs": "above zero: lost time, faster, braked later than the other lap",
    "no opportunities": "nothing costs time lap after lap in this session",
    "no profile": "no session was judged yet: pitwall debrief --all-days --update judges imported ones",
    "profile habit": "{habit}: {corners:and}",
    "profile cured": "cured: {corners:and}",
    "profile incidents": "incidents: {incidents:and}",
    "no corners driven": "no corner of a known track was driven in this session",
    "not flying": "* no flying lap; the median is that of the flying ones",
    "report printed": "{path}: {size:.1f} MB",
    "report written": "{path}: {size:.1f} MB; open it in any browser, it needs no network",
    "session head": "session {session}: {track}, {when}",
    "no sessions": "no sessions yet: pitwall import FILE, or scripts/demo",
    "only replays": "no sessions but replays yet: pitwall sessions --replays lists them",
    "session going on": "{kind}, going on",
    "session broken off": "{kind}, broken off",
    "session second file": "{kind}, second file",
    "replay without track": "unknown place: no corner names, no callouts but safety",
    "replay head": "{track}; session {session}",
    "rehearse head": "{track}: lap {lap}, {time:lap}, of session {session}; close your eyes and drive it",
    "cues": "cues: {cues}",
    "best so far": "best {time}",
    "best": "best so far",
    "and best": ", best {time}",
    "session opened": "session {session} opened",
    "track found": "track: {track}",
    "laps so far": "{laps:1 flying lap|# flying laps} so far{best}",
    "session over": "session {session} is over: {why}",
    "session rests": "session {session} rests; a start soon after goes on with it",
    "drive summary": (
        "{where}: {laps:1 flying lap|# flying laps}{best}, {callouts} callouts; see pitwall debrief {session}"
    ),
    "page link": (
        "open it in a browser: {link} (good once, for {minutes} minutes; pitwall show prints another)"
    ),
    "page shown": "{link} (good once, for {minutes} minutes)",
    "page report": "No daemon runs in this home: the session is shown from a file, {path}",
    "ready": "pitwall is ready: {where}, home {home}",
    "without the API": "without the API",
    "unverified": "(unverified: the answer used none of the data that it needs)",
    "without": "(without: {missing})",
    "nothing learned": (
        "nothing was learned yet: it takes two sessions; "
        "pitwall debrief --all-days --update judges imported ones"
    ),
    "nothing learned about that": "nothing was learned about that yet",
    "pushed": (
        "{count:1 session|# sessions} pushed, {size:.1f} MB; {there:1 was|# were} there already: {lake}"
    ),
    "push failed": "session {session} was not pushed: {why}",
    "push waits": "this waits as job {job} and goes on while the car stands in the paddock: {why}",
    "daemon pushes": "the running daemon pushes; see pitwall jobs",
    "pulled": (
        "{count:1 session|# sessions} pulled, {size:.1f} MB; {there:1 was|# were} there already: {lake}"
    ),
    "lake verified": (
        "{count:1 session|# sessions} in {files:1 file|# files}, {size:.1f} MB: {damaged} damaged; "
        "{unnamed:1 file|# files} of pushes that were broken off, which nobody reads"
    ),
    "lake compacted": (
        "{count:1 session|# sessions} folded into {groups:1 track and month|# tracks and months}; "
        "{deleted:1 file|# files} taken away"
    ),
    "driver forgotten": "driver {driver} is forgotten: {count:1 session|# sessions}",
    "given up": (
        "a damaged file held rows of others too; until their next push these sessions lack some: {sessions}"
    ),
    "searched": "searched in {place}: {files:1 file|# files}, {size:.1f} MB, for {words}",
    "still found": "still found in {place}",
    "daemon judges": "the running daemon judges each session by itself, when it has ended",
    "lap no evidence": "Lap {lap} is no evidence.",
    "heeded": "heeded: the next pass lost {loss:.2f} s, {before:.2f} before",
    "partly heeded": "partly heeded: the next pass lost {loss:.2f} s, {before:.2f} before",
    "not heeded": "not heeded: the next pass lost {loss:.2f} s, {before:.2f} before",
    "passed again": "the next pass lost {loss:.2f} s, {before:.2f} before",
    "coach speaks": "the coach speaks as: {mode}, {level}",
    "nothing said": (
        "nothing was said in this session: `pitwall replay FILE` and `pitwall report` show what would be"
    ),
    "said": "said",
    "marked": "{mark}, at {clock}",
    "mark taken": "{mark}: lap {lap}, at {clock}",
    "kept": "kept",
    "no longer": "; no longer: {why}",
    "evidence": "{session}: laps {laps}{seconds}{against}",
    "evidence seconds": ", {loss:.2f} s a lap",
    "evidence against": " (against it)",
}  # fmt: skip


def corner_title(name: str) -> str:
    """A corner's or sector's name as it is read, from its name in the track file."""
    return name


TERMS |= en_asked.TERMS | en_ask.TERMS
SENTENCES |= en_asked.SENTENCES | en_ask.SENTENCES
SENTENCES |= FLEET_SENTENCES
