"""The routing table: who answers what. Read from the top, the first row that matches wins. The order
is the issue's: its left column from top to bottom, then its right. A row that stands before its
agent's plain keywords refines them, and says why. Adding an agent is adding a row. Patterns are
those of phrase_match.py; `unless` voids the row wherever in the question it matches. Words that are
often only mentioned give way to a classifier that is sure of another agent: `gives_way` "always", or
only "upwards", to an agent whose own words stand higher ("the message at turn 4" is about a script)."""

from __future__ import annotations

from typing import Literal, NamedTuple

DEFAULT = "TelemetryAgent"


class IntentRow(NamedTuple):
    agent: str
    when: str
    unless: str = ""
    gives_way: Literal["never", "upwards", "always"] = "never"


# Fixed phrases in which a keyword does not mean what it does elsewhere: each is read as one other word.
IDIOMS = """
    at the moment, for the moment, at this moment, the moment i/we/it/you/he, the moment when, right this
    moment, moment of truth, any moment, moments ago, moment ago, one/a moment please, give me a moment,
    in/for a moment, every moment, moment of inertia, per moment, for reference, for future reference, with/in
    reference to, reference point/points, reference number/manual, in practice, best practice/practices,
    common practice, race car/cars, race line/lines, race track/tracks, race suit/boots/gloves/seat/shop,
    race shoes, race fuel, race to the bottom, mind/heart/thoughts race/races, tyre/tire wall/walls, tyre/tire
    stack/stacks, tyre/tire barrier/barriers, tyre/tire bundle/marks/mark, in brief, be/keep brief, keep
    it/this/that brief, make it/this/that brief, brief lift/lifts/dab/brush/flash, very brief, briefly,
    fog up/lights/light, gold coast, floor plan, plan view, plan b, fuel level/gauge/pressure, rev
    limiter, the limiter, make it count, wheels/wheel spin, out of my head, traction control, red mist,
    stuck out, talk me through, right as rain, take a rain check, rain check, vs code, goal posts, target
    audience, pie in the sky, by accident, an accident when/or, pre race, more/less/too brief, hit me with,
    heel and/n toe, corner name/names, top/best/good/favourite/favorite/proud moment/moments
"""

# Two laps or two times named: a comparison, whatever else is said about them.
TWO_LAPS = """
    lap # .. vs/versus/v/against/than/or/and/with/to lap, lap # vs/versus/v/against/or/and/with/to/than #,
    laps # and/or/vs/versus/v/to/with/against #, compare lap/laps #, compare my/the laps, compare my/the
    last/best/first/two/fastest .. laps, compare the/my/these/those two laps, compare two laps, <time>
    or/vs/versus/v/and/against/to/than <time>, <time> .. <time>, slower/faster/quicker than my/the
    last/best/previous/first/other lap, slower/faster/quicker than lap #, lap # .. slower/faster/quicker
    .. lap/#, difference/different between .. laps/lap
"""

# A question about what has been driven, not about what to drive: counted and listed from the data.
LAPS_COUNTED = """
    how many laps did/have/had/was/were/i/we/has/got/are/do, how many .. laps did/have/had/do i/we, number
    of laps, laps did i/we, laps have i/we, lap count, count my/the laps, list/show .. laps, how many laps
    today/yesterday, how many laps on/at/by, how many laps in that/the/this/my, how many laps total, how many
    laps in total/all, how many good/clean/valid/complete/flying/timed laps
"""
AHEAD = "should, need, plan, plans, left, tomorrow, next, before i"

ROWS: tuple[IntentRow, ...] = (
    IntentRow(
        "LapComparisonAgent",
        TWO_LAPS,
        """gold, aj, reference, rain, fog, <corner>, consisten-, plan, drop between/from, fade, fading, pit,
        get from, go from, average""",
    ),
    IntentRow(
        "GoldLapAgent",
        """gold, golden lap, aj, ajs, reference, references, benchmark lap/driver, ghost lap,
        pro/expert/instructor/coach/ideal lap, the pro/expert/instructor, pro driver, expert driver, being
        compared to, compared to who, compare me to/with/against, target driver, the comparison
        driver/lap/car, faster driver/guy/guys/bloke/lad/lads, quicker driver/guy/guys/bloke/lad/lads,
        vs/versus/against the master/champ/champion, vs/versus/against the best driver, driver be
        faster/quicker than me""",
    ),
    # "Wet" and its kin are the weather's even where a tyre or a plan is named with them.
    IntentRow(
        "WeatherAdaptationAgent",
        """fog, foggy, weather, rain, rains, raining, rained, rainy, drizzl-, drying line/track, dry
        line, wet line/lines/lap/laps/track/setup/tyres/tires/weather, in the wet, wets, inters,
        puddle-, aquaplan-, hydroplan-, damp, forecast, windy, crosswind, headwind, tailwind,
        slippery, greasy, sky, boiling hot, freezing cold, soaked, soaking, puddles, icy, drizzle,
        snow, snowing, sleet, storm, thunderstorm, downpour, monsoon, mist""",
        "dampers, rain on your parade",
    ),
    # How long rubber or fuel lasts is pace over a stint, not a plan.
    IntentRow(
        "RacePaceAgent",
        """how many laps .. tyre/tyres/tire/tires/rears/fronts/fuel/rubber/set/softs/mediums/slicks/tank,
        how many laps .. this/a tank/set/stint, how many more laps ..
        tyre/tyres/tire/tires/rears/fronts/fuel/rubber/set/softs/tank,
        tyres/tires/rears/fronts/fuel/tank .. laps""",
        "pressure, pressures, how to use",
    ),
    IntentRow(
        DEFAULT,
        LAPS_COUNTED,
        AHEAD + ", tyre/tyres, tank, stint, within, the same, consisten-, pb, target, goal",
    ),
    IntentRow("SessionPlannerAgent", "plan, plans, planned, planning, session planner"),
    # How practice went is looked back on; "practice" and "laps" else are weak words and leave way to others.
    IntentRow("DebriefPipeline", "how did/was .. practice, how did/was .. practice go"),
    IntentRow(
        "SessionPlannerAgent",
        "practice, practices, practise, practising, practicing, practise-",
        """vs, versus, compar-, consisten-, inconsisten-, race pace, target, goal, pb, spin, spun, incident,
        debrief, highlight-, faster than, script, audio, top/max speed, pay off, paying off""",
    ),
    IntentRow(
        "SessionPlannerAgent",
        """how many laps, how many more laps, laps should/to, laps do i need, laps left/remaining, laps
        tomorrow, warm up laps, cool down laps, more laps, next .. laps, laps next, extra laps, laps of, #
        laps what/how, spend .. laps, use .. laps""",
        """vs, versus, compar-, consisten-, inconsisten-, variance, all over, stint, race,
        tyre/tyres/tire/tires, last # laps, did, incident, moment, spike, target, goal, pb, <corner>,
        faster, progress, audio, script, debrief, brief, highlight-, frustrat-, stuck, feels, setup,
        understeer-, oversteer-, loose, dropping, next to""",
    ),
    IntentRow(
        "IncidentReviewAgent",
        "incident, incidents, moment, moments, spike, spikes, spiked, spiking, near miss",
        """<time>, tenths, without incident, confidence, scared, afraid, out_of_my_head, nerve, nerves, fear,
        mentally, since my, since the, worried, nervous, forget, get over, stop thinking, thinking about""",
    ),
    IntentRow(
        "IncidentReviewAgent",
        """spin, spun, spins, crash, crashed, shunt, shunted, tank slapper, high side, highside, lowside, low
        side, highsided, lowsided, off track excursion, went off, ran off, flew off, went off track, went
        straight on, ended up in the gravel, ran into me, crashed into, in the
        gravel/grass/barrier/wall/tyre_wall/tire_wall, accident, caught me out, went round at, hit the
        wall/barrier/tyre_wall/tire_wall/tyres/tires, hit a cone/car, nearly/almost lost/binned/crashed,
        binned it, lost the back/rear/front end, lost it, had an off, big off, my off, the off at/on""",
        """<time>, tenths, wheel spin, wheel/wheels/rear/rears spins, spin/spins/spinning up, confidence,
        scared, afraid, out_of_my_head, nerve, nerves, fear, mentally, since my, since the, granny, worried,
        nervous, forget, get over, stop thinking, thinking about, track/tyres/rubber/it/they/rears/fronts went
        off""",
        gives_way="always",
    ),
    # A pressure is set, not raced.
    IntentRow(
        "SetupAdvisorAgent",
        """tyre/tyres/tire/tires pressure/pressures, pressures .. tyre/tyres/tires, psi, camber, toe, ride
        height, tyres/tires are # hot/cold""",
        "stint, race",
        gives_way="always",
    ),
    IntentRow(
        "RacePaceAgent",
        """race, races, raced, race pace, stint, stints, tyre, tyres, tire, tires, long run/runs, fuel,
        undercut, overcut, tire deg, degradation, deg, drop off .. pace""",
        """tyre/tire temperature/temperatures/temp/temps, fuel pressure/gauge/level/pump/reading, short runs
        or, story of, recap, sum up, how to use, these conditions, big/the/that slide""",
        gives_way="always",
    ),
    IntentRow(
        "GoalSettingAgent",
        """target, targets, targeting, goal, goals, pb, pbs, personal best/bests, aim for, shoot for,
        milestone, how much faster/quicker could/can i, theoretical best""",
        "unless targeted",
    ),
    IntentRow(
        "MentalMapAgent",
        """consisten-, inconsisten-, variance, variances, variability, variation, variations, all over the
        place/shop, same .. every lap/time, how often do i, hit and miss, hit or miss, repeatab-, erratic,
        scatter, scattered, standard deviation""",
        """pedal, feels, brakes are, handling, car is all over, rear is all over, front is all over, cars all
        over, bike is all over, kart is all over, head is all over, end is all over, nose is all over, mind is
        all over""",
    ),
    # What the coach says in the car is a script, whatever corner it is about.
    IntentRow(
        "VoiceScriptAgent",
        """audio, script, scripts, scripted, tts, callout, callouts, call outs, voice line/lines/over/script,
        the voice, your voice, say .. <corner>, keeps telling/saying/repeating, you say, you said, you
        saying, your/the warning/warnings, stop/quit saying/telling/shouting/yelling/repeating/calling,
        say something else/different, make/have/get/let it/you/him/her/the/coach .. say, say .. instead,
        instead of saying, change what you/it/she/he say-, change the/that/your
        phrase/phrases/wording/words/call/cue/line, pronunciation, pronounce-, hear what, hear .. say, say
        at, phrase, phrases, wording, volume, earpiece, talk/speak/say
        less/more/slower/louder/quieter/faster, talk/speak too, talks/talking too, shut up, cue, cues,
        louder, quieter, rephrase, reword, re record, record a
        call/cue/phrase/message/line/new/different/better, prompt, prompts, shout/warn ..
        sooner/earlier/later, do you call, dont call, write me, new line/lines/words/call/calls for, speak
        when/only/on, rename the call, call .. earlier/later/sooner, tell/remind me to, tell me ..
        earlier/sooner/later""",
        """visual cue, visual cues, would you say, you said before, one/two/three/first/main cue/cues,
        cue/cues for this/the/my/next run/session/outing, cue/cues for next""",
    ),
    # --- the right column ---
    IntentRow(
        "CornerCoachAgent",
        "<corner>, carousel, esses",
        gives_way="upwards",
    ),
    IntentRow(
        "CornerCoachAgent",
        """hairpin, hairpins, chicane, this/that/the/last/first/final corner, last/first/final turn/bend""",
        gives_way="always",
    ),
    IntentRow(
        "LapComparisonAgent",
        """vs, versus, compare, compared, compares, comparing, comparison, comparisons, lap v, # v #,
        than .. lap before, than .. one before, than my/the last/previous/first/other one/lap/run""",
        """compared to/with the rear/front/back/car, opening/closing laps, last
        month/season/year/spring/summer, compare to january/february/march/april/may/june/july, compare to
        august/september/october/november/december, compared with someone who, compare/comparing/compared
        myself""",
        gives_way="upwards",
    ),
    IntentRow(
        "ProgressTrackerAgent",
        """progress, progressed, progressing, progression, faster, plateau, plateaus, plateaued, plateauing,
        plateaux""",
        "faster gear, shift faster, how much faster could/can, who faster, who is faster, is it faster",
        gives_way="upwards",
    ),
    IntentRow(
        "SetupAdvisorAgent",
        """setup, setups, set up, understeer-, oversteer-, feels, damper, dampers, anti roll, sway bar, sway
        bars, swaybar, brake bias, spring rate, springs, preload, rebound""",
        """feels like i, feels like im, feels like rain, feels like ive, head feels, feels
        hopeless/pointless, it all feels""",
        gives_way="upwards",
    ),
    IntentRow(
        "MindsetCoachAgent",
        "frustrat-, stuck",
        """stuck behind, stuck in gear/traffic/second/third/fourth/neutral/#, stuck at #/this/the/that, stuck
        on the same/#/<time>, throttle/pedal/sensor/gps/signal .. stuck, stuck
        throttle/sensor/signal/pedal/valve, stuck on the screen""",
        gives_way="upwards",
    ),
    # A figure of today is looked up, not told as a story.
    IntentRow(
        DEFAULT,
        """what/whats/show was/is/my/the .. best/fastest/quickest/slowest lap/sector/time .. today,
        best/fastest/quickest/slowest lap/sector/time today, top/max/min speed/rpm/g today, top/max speed ..
        today, how many .. today, how much did .. today, how long .. today, how fast .. today, how far ..
        today""",
        "debrief, highlight-, brief, compar-, quick enough",
    ),
    # "Brief me for today" asks for a brief.
    IntentRow(
        "BriefPipeline",
        "brief me, pre brief, prebrief, pre_race, brief for, my/the/a brief",
        "debrief, de brief, debriefing, brief summary/recap/rundown/overview/look/word/report",
    ),
    IntentRow("DebriefPipeline", "brief summary/recap/rundown/overview/look/word/report"),
    IntentRow("DebriefPipeline", "debrief, debriefs, debriefing, debriefed, de brief, highlight-"),
    # "Today" only says when: what is wished for, felt or counted today is another's.
    IntentRow(
        "DebriefPipeline",
        "today, todays",
        """number, tenths, to find, left in, beat, beating, best ever, old best, my record, sensible,
        realistic, doable, aim, aiming, bet, result for, runs for, runs are for, first run, before i,
        heading out, going out, commit, my head, wrong with me, confidence, biggest, highest, lowest,
        longest, max, peak, average, fastest person/guy/driver, last year, since""",
        gives_way="always",
    ),
    IntentRow("BriefPipeline", "brief, briefing"),
)

AGENTS: tuple[str, ...] = tuple(dict.fromkeys(row.agent for row in (*ROWS, IntentRow(DEFAULT, ""))))
