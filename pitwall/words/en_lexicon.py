"""English: what the words of a coach's phrase mean."""

from __future__ import annotations

from pitwall.words.en import number_words, spoken_name
from pitwall.words.lexicon import Lexicon, sense_table, word_set

SENSES = sense_table("""
    brake: brake, brakes, braking, brake pedal, brake point, braking point
    brake later: leave braking later, leave braking little later, leave braking bit later
    brake hard: hit brakes, hit brake, big stop, heavy stop, hard stop, full pressure, full brake pressure
    brake light: brush brake, brush brakes, touch brake, touch brakes, kiss brake, tap brake, tap brakes
    brake light: dab brake, dab brakes
    release: release, releasing, release brake, release brakes, release pedal, let pedal up, lift brake foot
    release: let brake go, let brakes go, let off brake, let up, lift off brake, lift off brakes
    release smooth: roll off brake, roll off brakes, trail off, bleed off brake, bleed off, bleed brake
    release smooth: bleed it, bleed it off
    release smooth: feather brake
    trail: trail, trailing, trail brake, trail brakes, trail braking, brake as you turn, brake while you turn
    trail: carry brake, carry brakes, carry braking, carry some brake, keep some brake, keep a little brake
    trail longer: brake to apex, carry brake to apex, brake into apex, brakes to apex, brake until apex
    coast: coast, coasting, coasts
    not coast: from throttle to brake, from brake to throttle, no gap, no pause, nothing between
    not coast: from gas to brake, from gas straight to brake, from throttle straight to brake
    not coast: nothing in between
    lift light: a breath, little lift
    lift: lift, lifting, lifts, breathe, breath, lift off throttle, lift throttle
    throttle: throttle, gas, power, accelerator, pick up throttle, get on power, back to power, accelerate
    throttle: accelerating, acceleration, open throttle, pick up gas, pick up power, get on throttle
    throttle: get on gas, fast out, fast exit
    throttle more: push on, push hard, push harder, push more
    brake more: push harder on brake, push harder on brakes
    throttle full: full throttle, full power, full gas, flat, flat out, wide open, foot down, floor it
    throttle full: pedal to metal, hammer down, all throttle, pedal down
    throttle hold: stay on it, stay on throttle, stay on power, stay on gas, keep foot in, foot in
    throttle smooth: roll on throttle, roll throttle, roll on power, roll throttle on, feather throttle
    throttle smooth: roll into throttle, roll into power
    go: go, go go
    turn: turn, turns, turning, turn in, turning in, turn-in, turn in point, rotate, rotated, rotation
    apex: apex, apexes, clip point, clipping point, first apex, second apex, last apex, inside, the inside
    apex: two apexes, both apexes
    clip: clip, hug, kiss, touch the, touch, brush, meet, hit, reach
    kerb: kerb, kerbs, curb, curbs, inside kerb, inside curb
    out: out, outward, run out, track out, run wide, let it run out, let it run, let car run, let run
    out: drift out, float out, way out, exit kerb, exit curb, outside kerb, outside curb, to edge, run
    out: all road, all track, whole road, whole track, full road, full track, full width, track width
    out: all width, use exit, whole exit, all exit, width, bit of road, inch of road, bit of track
    out: inch of track, all of road, all of track, more track, more road
    free: let it go, release car, let nose in, let nose come in, let it come, let car turn, let it turn
    free: let it come round, let go, let it flow, let car go, let it roll
    unwind: unwind, unwinding, unwind wheel, open hands, open wheel, open steering, open it, straighten
    unwind: straighten wheel, straighten hands, straight hands, release wheel, straighten it, unwind steering
    unwind: relax wheel, relax steering, hands open, wheel open, open up steering, open up wheel, open up
    steer: steer, steering, wheel, hands, hand, lock, turn of wheel, turn wheel, input, inputs
    steer off: let go of wheel, let wheel go, leave wheel, hands off, hands off wheel, left hand, right hand
    not look: look back, look away, look down, look behind, eyes off, eyes shut, eyes closed
    look: down straight, down road, down track, look down straight, look down road, look down track
    look: eyes down straight, eyes down road, eyes down track, eyes down hill, look down hill, scan, search
    look: target, look, looking, eyes, eye, see, watch, spot, vision, view, focus, aim, find, ahead
    look: where you want to go
    steer smooth: slow hands, quiet hands, still hands, calm hands, soft hands, gentle hands, light hands
    correct: correct, corrections, correction, correcting, saw, sawing
    speed: speed, momentum, minimum speed, minimum, mid corner speed, corner speed, apex speed
    speed hold: carry, roll, rolling, run in
    speed more: less speed off, brisk
    slow: slow, slowing, slowed, slow down, slow it, slow car, slower, slower in, slow in, slow entry
    slow: speed off
    gear: gear, gears, shift, shifting
    gear up: upshift, short shift, higher gear, taller gear
    gear down: drop gear, drop one gear, downshift, downshifts, downshifting, lower gear, heel and toe
    position: position, move, place car, drift, set up, line up, track, middle of road, centre, center
    position wide: out wide, outside edge, wide, wider, outside, open entry, open up entry
    position tight: tight, tighter, closer, narrow, narrower, close to, tuck in, stay in, keep in, in from
    off: away from, stay away, keep away, further from, far from, clear of, wide of
    wait: wait, waiting, patience, patient, patiently, hang on, delay, not yet, no rush, no hurry, don't rush
    wait: don't hurry, do not rush
    calm: calm, relax, relaxed, settle, settled, balance, balanced, rhythm pays, tidy, clean, neat, rhythm
    calm: flow, flowing, trust, breathe out, loose, precise, nerve, confidence, give, sacrifice, confident
    calm: confidently, focused, get ready
    sooner: earlier, early, sooner, soon, earliest
    later: later, late, deeper, deep, further round, further in, go deeper, go in deeper, straight longer
    later: straight a little longer
    before: before, ahead of
    after: after, past, beyond, once you, once you're, once it, once car
    until: until, till
    more: more, harder, firmer, stronger, increase, extra, add, bigger, larger
    hard: big, heavy, heavily, hard, firm, firmly, strong, strongly, solid, decisive
    less: less, lighter, softer, reduce, fewer, smaller, weaker
    light: light, lightly, soft, softly, slight, small, tiny, dab, dab of, easy
    short: short, shorter, brief, briefly
    longer: longer, long, twice as long
    hold: neutral, commit, committed, hold, holding, keep, keeping, stay, staying, maintain, steady, steadily
    hold: constant, maintenance
    smooth: smooth, smoothly, smoother, gentle, gently, gentler, progressive, progressively, gradually
    smooth: slowly, delicate, delicately, count two, count to two, ease, easing, feed, build, blend
    smooth: clean release, don't stab, don't snatch, don't pump, no stab, don't stamp, do not stamp
    smooth: do not stab
    squeeze: squeeze, squeezing
    once: one, once, single, one go, in one go, one time
    again: again, twice
    full: full, fully, maximum
    fast: fast, faster, quick, quicker, quickly
    off: off
    up: up, upwards, higher, raise
    down: down, lower, drop
    left: left
    right: right
    straight: straight, straight line, in a straight line, straighten up, straighten car, straight ahead
    from: from
    into: into
    too: too, so
    not: not, no, never, none, nothing, don't, dont, without, stop, quit, avoid, cease, forget, skip, ignore
    not: refuse, cannot, can't, won't, shouldn't, mustn't, needn't, isn't, nor, neither, hardly, instead of
    extreme: as late as, as early as, as hard as, as fast as, as deep as, latest, max, possible, much
    extreme: as much as, as long as, super late, last moment, last second, and more, and beyond
    hill: hill, uphill, downhill, up hill, down hill, climb, rise, drops, drops away, descent, slope
    hill: falls away, fall away
    crest: crest, brow, summit, over top
    dip: dip, hollow, compression
    beyond: exit, exits, middle, mid corner, mid, in corner, in bend, in turn, wait for corner, for exit
    not out: run off, run off track, run off road, drive off, run inside, run to inside, out to inside
    not out: drift inside, drift to inside
    beyond: finish line, finish, at line, at end, next lap, in lap, another lap, later in lap
    turn beyond: turn on straight, turn in on straight
    beyond: are through, you're through, when through, once through
    -: a touch, a bit, a little bit, little, bit, slightly, fraction, a little, a fraction, a moment, moment
    -: a hair, hair, before you turn, before you turn in, before turn in, before turning, before turning in
    -: before you brake, before braking, enter, entering, under, rotated car, whole, a tad, tad, some, only
    -: just, simply, still, then, now, here, there, car length, half car length, one car length
    -: two car lengths, half a car length, a car length, to, at, on, in, of, for, with, by, through, onto
    -: towards, toward, over, along, during, about, near, it, you, you're, your, yours, it's, is, are, be
    -: will, can, do, get, got, go to, let, lets, let's, this, that, these, those, all, both, every, each, as
    -: when, where, its, own, same, next, last, while, us, this one, that one, next one, right now
    -: right there, right here, right at, right on, right before, right after, car, nose, front, rear
    -: tyre grip, grip, weight, front tyres, rear tyres, foot, feet, bite, pressure, pedal, pedals, press
    -: press on, application, point, zone, marker, brake marker, braking marker, mark, marks, your marker
    -: reference, reference point, brake zone, braking zone, threshold, initial, spot on, start, starting
    -: begin, end, first, at first, part, corner, corners, bend, bends, turn point, entry, entrance
    -: road, lane, slowest corner, slow corner, slow one
    -: fastest corner, quick corner, tight corner, tight one, long right, kink, sweeper, section, complex
    -: banked, bumpy, fast corner, fast one, fast bend, fast left, fast right, long one, long corner, blind
    -: hairpin, chicane, esses, line, straightaway, the straight, long straight, lap, laps, way, whole way
    -: all way, side, by itself, itself, make, makes, take, takes, use, using, come, comes, coming, going
    -: goes, bring, put, gets, need, needs, push, prepare, pays, yourself, room, between, space, edge, try
    -: think, remember, mind, counts, count, matters, feel, sense, load, loaded, apply, far, further
    -: early enough, right away, good, nice, well, best, ready, be ready, follows, leads, opens, tightens
    -: opening, tightening, camber, off camber, surface, set, away, across, back, forward, through here
    -: open, come around, a beat, beat, more room, more space, give yourself
    -: once more, driving, drive, arc, radius, double apex, same place, place, than, being, as you pass
    -: pass under, left hander, right hander, angle, wheels, tyres on, inside wheels
    too more: too much, so much
    too less: too little
    lift again: second lift
    brake again: second brake, second press, second bite
""")

LEXICON = Lexicon(
    name="English",
    senses=SENSES,
    articles=word_set("a an the your its"),
    joints=word_set("and then but or as while when"),
    landmarks=word_set("""
        bridge board boards sign signs letter letters wall walls tyre tyres tire tires stack stacks tree
        trees cone cones post posts pole poles flag flags marshal stand stands grandstand tower building
        house hut shed fence gate barrier barriers banner billboard seam patch shadow paint bump bumps
        tunnel church lamp light lights camera van truck access road pit pits entry drain grass gravel bush
        bushes rock sand river lake crossing k step steps stripe stripes lines arrow arrows rail guardrail
        armco hoarding clubhouse windmill statue
    """)
    - {"road", "entry", "light"},
    figures=word_set("""
        zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds
        thousand half third quarter second fourth fifth sixth seventh eighth ninth tenth tenths percent
        double triple dozen couple metre metres meter meters yard yards feet kilometres kmh kph mph bar
        seconds
    """)
    - {"feet"},
    corner_words=("turn", "corner"),
    names_after=word_set("sacrifice give for to into up give through towards toward out before is"),
    kinds={
        "bridge": "bridge",
        "wall": "wall",
        "board": "board",
        "bump": "bump",
        "tyres": "tyre tire",
        "sign": "sign",
        "crest": "crest",
        "tree": "tree",
        "cone": "cone",
    },
    endings=("s",),
    forms=lambda number: _forms(number),
    spoken_name=spoken_name,
    examples={
        "approach": "Look for your marker",
        "brake": "Brake in a straight line",
        "turn_in": "Be patient, then turn in",
        "apex": "Late apex, eyes up",
        "exit": "Squeeze the throttle, unwind the wheel",
        "brake_earlier": "Brake a car length earlier",
        "brake_later": "Brake a car length later",
        "brake_lighter": "Lighter on the brake",
        "brake_harder": "Brake harder at first",
        "brake_once": "One squeeze on the brake",
        "release_sooner": "Release the brake sooner",
        "release_smoother": "Release the brake smoothly",
        "trail_longer": "Trail the brake in longer",
        "no_coasting": "Straight from throttle to brake",
        "turn_in_earlier": "Turn in a touch earlier",
        "turn_in_later": "Turn in a touch later",
        "wider_entry": "Come in wider",
        "later_apex": "Take a later apex",
        "clip_apex": "Clip the apex",
        "more_apex_speed": "Carry more speed at the apex",
        "over_slowed": "Slow it less",
        "understeer": "Less wheel, wait for the front",
        "oversteer": "Quiet hands, gentle throttle",
        "fewer_corrections": "One smooth turn of the wheel",
        "throttle_sooner": "Throttle a touch sooner",
        "throttle_fully": "Full power sooner",
        "throttle_smoother": "Squeeze the throttle on",
        "throttle_once": "Throttle once, and stay on it",
        "use_exit": "Use all the road out",
        "unpinch_exit": "Unwind the wheel",
        "less_lift": "Lift less here",
        "flat_possible": "This goes flat",
        "gear_up": "One gear higher",
        "gear_down": "One gear lower",
    },
)


def _forms(number: int) -> tuple[str, ...]:
    """The ways to say it: 150 is also "one fifty", "a hundred and fifty" and 150."""
    hundreds, rest = divmod(number, 100)
    said = {str(number), number_words(number)}
    if hundreds and rest:
        said |= {f"{number_words(hundreds)} hundred and {number_words(rest)}"}
        said |= {f"{number_words(hundreds)} {number_words(rest)}"} if rest > 9 else set()
    if hundreds == 1:
        said |= {each.removeprefix("one ") for each in said if each.startswith("one hundred")}
    return tuple(sorted(said))
