"""What a driver's word is about, many words to one sense: the classifier learns of senses what it never saw as words.

Patterns are those of phrase_match.py. A word may have several senses; the classifier weighs them.
"""

from __future__ import annotations

SENSES: tuple[tuple[str, str], ...] = (
    (
        "wet",
        """wet, wetter, wettest, damp, soaked, soaking, drenched, flooded, puddle-, sopping, rivers, swimming
        pool, standing water, water on, spray, aqua-, hydroplan-, waterlogged, dew, slick out, slippy,
        slippery, slimy, greasy, greasier, icy, like ice, ice, ice rink, skating rink, like glass,
        treacherous, drying, dry out, dries, half dry, still dry, bone dry, inters, wets, wipers, moisture,
        oily, dry, drier, monsoon-, downpour, slop, soggy, dampness, saturated, water, slithery, slidey,
        treacherous out""",
    ),
    (
        "sky",
        """rain-, raindrops, drizzl-, pouring, pours, bucketing, buckets, chucking it, chucking down, pissing
        it/down, tipping it/down, hammering down, coming down hard, shower/showers, storm-, thunder-,
        lightning, hail, sleet, snow-, clouds/cloud/cloudy, overcast, sky, sunny, sun, suns, sunshine,
        sunset, glare, dusk, dark, darkness, night, mist, misty, fog-, haze, frost-, wind, winds, windy,
        gust-, breeze, blowing, crosswind, headwind, tailwind, forecast, weather, humid, humidity, ambient,
        radar, spitting, clear up, brighten-, heatwave, visibility, typhoon, monsoon, downpour, deluge,
        tipping, torrential, drops, umbrella, hailstones, blizzard, gale, blustery, sunglasses, blinding,
        blinded, low sun, spits, heavens, bleak, grey, dazzl-, cant see a thing, cant see the board, cant
        see the boards, on the visor, fogging""",
    ),
    (
        "thermal",
        """hot, heat, cold, colder, cooler, warm, warmer, freezing, chilly, baking, boiling, scorching,
        roasting, temperature drop, track temp, track temperature, cooled down, warmed up, minus, celsius,
        cold morning, degrees, temps, temperatures, cool, cold air, mild, near zero, toasty, sweltering,
        zero""",
    ),
    (
        "grip",
        """grip, grippy, traction, adhesion, rubbered, slick, bite, hold on""",
    ),
    (
        "out_there",
        """out there, track is, tracks, surface, tarmac, asphalt, conditions, the line is, off line, dry line,
        wet line""",
    ),
    (
        "rubber",
        """tyre-, tire, tires, rubber, rears, fronts, left front, right front, left rear, right rear, front
        left, front right, rear left, rear right, softs, mediums, hards, slicks, compound, graining,
        blister-, wear, wearing, worn, bald, cooked, cooking, overheat-, overheating, marbles, scrubbed, new
        set, old set, tread, boots, rubber is, heat cycles, heat cycle, shoulder, shoulders, sidewall,
        carcass, treads""",
    ),
    (
        "fall_off",
        """fade, fades, fading, faded, drop off, dropping off, drops off, dropped off, fall off, falls off,
        falling off, fell off, go off, going off, goes off, gone off, went off after, tail off, tails off,
        tailing off, dropoff, falloff, deg, degrad-, drop away, slow down over, lose per lap, get slower as,
        slower as, slower and slower, slows, hold on until, survive, last until, last for, will last, last
        the, make it to, die, dying, dead after, shot after, giving up, give up before, run out of, worse
        and worse, finished, less and less, get slower, getting slower as, going away, gone by, end of their
        life, had it, used up, overwork, killing, burn up, burning up""",
    ),
    (
        "stint",
        """stint-, long run, long runs, race-, enduro-, endurance, sprint, hour race, pitstop, pit stop, stops,
        one stop, two stop, fuel, fuelling, refuel-, tank, tankful, flag, chequered, checkered, distance,
        race distance, hold this, hold that, sustain-, keep it up, keep this up, keep that up, keep up,
        conserve, nurse, look after, looking after, manage the, full hour, whole hour, an hour, two hours,
        double stint, opening laps, closing laps, end of a run, over a run, long haul, strategy, undercut,
        overcut, pace, speed over a, average pace, traffic, backmarkers, overtake, overtaking, qualifying,
        quali, sc, safety car, consumption, litres, liters, gallons, should i pit, do i pit, to pit, box,
        pit window, when to stop, to stop, time to stop, come in for, new boots, closing stages, half
        distance, first half, second half, opening, closing, juice, minutes straight, for # minutes, #
        minutes without, # minute heat, # minute run, go the distance, all the way to the end, heat race,
        whole thing, entire, the hour, over the hour, long go""",
    ),
    (
        "aim",
        """target-, goal-, aim, aiming, aims, shoot, shooting, go for, going for, gunning, achievable,
        attainable, feasible, realistic-, unrealistic, doable, possible, capable, potential, ambitious,
        milestone, objective-, beat, under two, get under, dip under, dip below, go below, reachable, within
        reach, on the cards, theoretical, optimal, optimum, ultimate lap, all time best, personal best,
        record, best ever, ever done, how quick could, how fast could, how quick can, how fast can, quickest
        i could, fastest i could, move up, promotion, promoted, left in me, more in me, the bar, next step,
        in my reach, stretch, barrier, deadline, by the end of, by christmas, by summer, number to beat,
        should i be at, should i be doing, time to beat, what time should, what sort of time, good time for,
        decent time, hope for, settle for, break #, break the, break <time>, break into, break through the,
        dream lap, next level, fast group, intermediate group, set my sights, sights, out of reach, in
        reach, fair time, respectable, decent, should i want, come together, came together, together, strung
        it, string it, strung together, hook it all up, joined up, join up, best bits together, under #,
        under <time>, sub #, sub two, fifty, flat on, to achieve, achieve, accomplish, expect to, expect
        from, expectation-, fantasy, crack the, crack #, crack <time>, ever go under, ever do, could i do,
        can i do a, can i get to, get to by, could i go, could i be, could it be, how low, is there another,
        more is there, more to find, more time in, settle, be happy with, number, worth going for, ask of,
        fastest possible, quickest possible, best possible, possible lap""",
    ),
    (
        "scatter",
        """consisten-, inconsisten-, varian-, variat-, vary, varies, varying, spread, scatter-, deviat-,
        repeat, repeatab-, repeating, erratic, random, lottery, metronome, steadiness, reliable, unreliable,
        reliably, patchy, hit and miss, hit or miss, hit my marks, hitting my marks, all over the, wander
        around, tidy, untidy, messy, scrappy, ragged, sloppy, cluster, even, uneven, clockwork, dialled in,
        dialed in, jump around, jump about, moving about, moves about, moving around, move around, moves
        around, bounce around, range of, tight group, tightly grouped, close together, fluctuat-, swing,
        swings, like for like, robot like, variable, unpredictable, precise, precision, accuracy, accurate,
        stable times, steady, coin toss, fluke, flukes, scruffy, similar, alike, identical, spot on every,
        within a tenth, within # tenths, within how many, wandering, lines wander, my line wander, keep
        changing, never the same, get the same, same every, as one another, each other, like clockwork,
        changes most, differs most, least control, under control""",
    ),
    (
        "each_time",
        """each time, every time, every lap, each lap, time after time, lap after lap, lap to lap, same place,
        same spot, same point, same line, same thing, same apex, same gear, same way, the same twice, twice
        the same, two the same, differ every, different every, different each, different lines, overlap,
        spaghetti, some laps, sometimes, one lap good, good one bad, one minute, again and again, in a row,
        each go, from lap to lap, the next its, others, other times, some days, on and off, come and go,
        comes and goes, how often, twice running, any two, one go, one time, next time i, next one its, in
        the same, every go, never get, never the, times in a row, each time round, point each, five times,
        ten times, and sometimes, one day, from one go, do i always, always brake, always turn, always pick,
        or random""",
    ),
    (
        "mind_map",
        """mental, mental picture, picture, clear in my, know the track, memory, blind spot, sure of, unsure,
        guessing, guesswork, dont i know, not know, no idea, hoping, feel lost, know where i am, clueless,
        winging it, lucky, luck, patch, fuzzy, hazy, blurry, nailed, guess, improvis-, vague about, vague
        on, vague, clear on, really know, how well do i know, making up, make it up, learnt by heart, by
        heart, mental map, less clear, foggy about, blank, blank out, am i sure, look lost""",
    ),
    (
        "voice",
        """voice, audio, sound, sounds, volume, louder, quieter, hear, hearing, earpiece, headset, headphones,
        earphones, earbuds, intercom, speaker, bluetooth, said, speak, speaks, speaking, talking, chatty,
        chatter less, yap, yapping, waffle, nag, nagging, nags, shouting, yell, yelling, shut, mute, unmute,
        silence, silent, wording, phrase-, reword-, rephrase-, sentence-, message, messages, callout-, call
        out, call the, call my, prompt-, cue, cues, warning, warnings, warn, beep, beeps, tone, countdown,
        count me, count down, german, italian, french, spanish, english, dutch, language, accent, male,
        female, script-, tts, speech, announce-, pronounce-, pronounc-, mumbl-, garbled, robotic, nicer,
        polite, swear, in my ear, my ears, tell me when, tell me where to, tell me to, remind me to,
        shorter, let me know when, give me a shout, give me a warning, radio, chirp, ping, narrat-, say, it
        says, you say, saying, talk less, talk more, talk slower, talk over, talk too, dont talk, talks,
        talk to me mid, talk to me in, talk during, loud, quiet, calls, the call, the calls, words, fewer
        words, shout, a shout, whisper, speak up, pronunc-, bark, barks, orders, friendlier, kinder,
        instruction, instructions are, told me, you told, you tell me on, tell me earlier, tell me sooner,
        tell me things, my name, punchier, clearer, going on about, drop it, a nudge, add a reminder, put in
        a reminder, hear me, hear it, hear you, hear what, read out, read me, play me, play back, recite,
        repeat what, repeat that, information in my""",
    ),
    (
        "make_change",
        """change, rewrite, replace, swap, instead, something else, another one, edit, update, less, dont,
        rather than, sooner, too late, too early, add a, put in, ditch, get rid of the bit, remove the, turn
        off, turn it, switch off the, stop saying, stop going on, stop telling""",
    ),
    (
        "crash",
        """spin, spun, spinning, crash-, smash-, shunt-, binned, bin it, stuff it, stuffed, stack it, stacked
        it, crashed, wreck-, totalled, gravel, kitty litter, grass, barrier, barriers, armco, fence, wall,
        tyre_wall, tire_wall, tyres_wall, contact, collision, collid-, bang, thump, clout-, whack-, whacked,
        impact, sideways, slide, slid, snap, snapped, snaps, tank slapper, slapper, fishtail-, wobble,
        wobbled, highside-, lowside-, high sided, low sided, high side, low side, lost it, lost the, lose it
        on, lose the back, loop, looped, pirouette, agricultural, off roading, excursion, lockup, lock up
        on, locked up, flat spot, scare, near miss, close call, airborne, punt, punted, rear ended, red
        flag, went straight, straight on, straight off, overcooked, outbraked, ran wide, running wide, two
        wheels, four wheels, all four off, came round, come round, incident, moment, spike, clipped, tagged,
        swapped ends, bit me, flipped, rolled it, fell off the bike, dropped the bike, pranged, prang,
        buried it, parked it in, barrel roll, big one, an off, my off, that off, tumble, hit me, i hit, we
        hit, ran into, got hit, almost hit, nearly hit, accident, dropped it on, overtook me, overtook the,
        overtook, rear came past, came past me, let go, facing the wrong, wrong way, backwards, ended up,
        straight across, patch of oil, caught me out, caught out, trip through, trip over, trip into, step
        out on me, stepped out on me, stepped out hugely, went light, my save, big save, the off, had an
        off, cone, cones, whacked the, hit the, hit a, hit him, hit it, hit somebody, hit someone, damage,
        damaged, i went round, went round, round i went, went round at, ran off, slid off, out of control,
        avoided, avoid it, avoidable, fishtailed, spinning round, snap oversteer on, black flag, marshals,
        tow, towed, recovery truck, wrote it off, collected, collect""",
    ),
    (
        "nearly",
        """nearly, almost, close, what happened, went wrong there, whose fault, fault, blame, save, saved,
        caught, catch it, woah, whoa, wtf, hairy, heart in mouth, brown trousers, sketchy, why did i, what
        did i do, scary, that was scary, earth happened, how did that happen, what did it do, just happened,
        reconstruct, talk me through what happened""",
    ),
    (
        "handling",
        """understeer-, oversteer-, push or, pushes, pushing on, push on entry, push mid, plough-, plow-,
        loose, tight in, tight on, tight mid, wash, washes, washing, wont turn, not turn, doesnt turn,
        doesnt want to turn, refuses to turn, wont rotate, rotate, rotates, rotation, steps out, step out,
        stepping out, kicks out, tail happy, the tail, rear end, back end, front end, nose, nervous rear,
        rear is, rear feels, front is, front feels, twitchy, skittish, snappy, edgy, planted, vague, numb,
        lazy, sluggish, unresponsive, bouncy, bouncing, bounces, bottom, bottoming, bottoms, rolls, body
        roll, pitches, dives, dive, squats, wheelspin, wheel_spin, wheel spin, spins up, lights up, lighting
        up, chatter, chatters, chattering, hop, hopping, hops, tramlin-, darting, darts, wander on the
        straight, wanders, weaves, unstable, balance, balanced, unbalanced, handful, handling, handles, pig,
        boat, bogs, bog, bogging, bound up, shudder-, vibrat-, shimmy, pulls left, pulls right, pulls to,
        feels, stiff, turn in is, locks first, locking first, locks up first, front locks, rear locks,
        fronts lock, rears lock, falls over, nibble, unloads, inside wheel, inside rear, lifts a wheel,
        weight, bite on turn, wont bite, hooks up, put the power down, put power down, power down, tucks,
        tucking, headshake, stands up, runs wide on, nervous on, tail is, its nervous, car feels, sliding,
        slides, understeers, wont tuck, tuck in, swap ends, swap ends when, inside rear spins, spins its,
        rear spins, lazy to, no bite, has no bite, front has, rear has, more bite, the push, goes light,
        free up, follows every, pulls, bog down, limiter, hits the limiter, drives sideways, grips up, lifts
        the inside, sticks too, tight off, loose off, neutral, mid turn, is loose, is tight, tuck""",
    ),
    (
        "parts",
        """setup, set up, damper-, damping, shock, shocks, spring, springs, sway, arb, arbs, roll bar, camber,
        caster, castor, toe, alignment, ride height, rake, wing, wings, spoiler, splitter, diffuser, aero,
        downforce, brake balance, pressures, psi, sprocket, sprockets, gearing, ratio, ratios, final drive,
        diff, differential, hub, hubs, jet, jetting, jets, carb, carburettor, carburetor, fork, forks,
        preload, rebound, compression, stiffer, stiffen, softer, soften, ballast, corner weight, corner
        weights, crossweight, weight distribution, pads, rotors, discs, swingarm, geometry, tweak, tweaks,
        adjust, adjustment, clicks, suspension, chassis, front track, rear track, track width, torsion,
        tune, spanner-, lsd, engine map, mapping, shims, spacers, stagger, wedge, reeds, clutch slip,
        throttle map, traction control, abs level, wheels, tyre pressure, a bit of pressure, hot pressures,
        bar, bars, seat position, axle, clicker, clickers, tooth, teeth, one tooth, taller, gears are,
        gearing is, wheelbase, bleed, bias, softer springs, mechanical grip, steering lock, tyre_pressure,
        wastegate, exhaust, needle, main jet, air filter, brake pads, brake fluid, brake ducts, bushes,
        bushing-, engine mount, packers, gurney, flap""",
    ),
    (
        "vehicle",
        """car, cars, kart, bike, motor, miata, mx5, bmw, m3, porsche, caterham, machine, motorbike, the front,
        the rear, the back, it wont, it just, it doesnt""",
    ),
    (
        "emotion",
        """frustrat-, stuck, angry, anger, rage, raging, mad, furious, fuming, pissed, annoyed, annoying,
        irritat-, fed up, sick of, scared, scares, scary, afraid, fear, fears, frightened, frightens,
        terrified, terrifies, dread, dreading, nerves, nerve, anxious, anxiety, worried, worry, worrying,
        stress-, tense, tensing, tension, panic-, choke, choking, bottle, bottled, bottling, chicken-, guts,
        balls, brave, bravery, courage, confidence, confident, belief, doubt, doubting, trust, morale,
        demoral-, motivat-, depress-, sad, down on myself, gutted, disappointed, embarrass-, ashamed,
        useless, rubbish at, crap at, shit at, hopeless, hate, hating, give up, giving up, packing it in,
        pack it in, mojo, head in, red mist, myself, psyched, psych, butterflies, heart is, heart rate, my
        heart, shaking, sweaty, freeze, freezing up, pressure gets, under pressure, being watched, watching
        me, impostor, imposter, everyone is better, everyone else, burnt out, burned out, overwhelm-,
        spook-, spooked, wits, fried, crying, cry, knackered, exhausted, tired, fatigue-, shattered, not
        enjoying, enjoy, jealous, hesitat-, intimidat-, wimp, wimping, coward, lairy, temper, losing it
        mentally, cant be bothered, sucks, suck at, lose heart, im nervous, nervous before, so nervous, get
        nervous, nervous, tilt, fun any more, scared stiff, creeps, cool, keep my cool, lose my rag, lose my
        temper, wound me, wind me up, winds me, rush, rushing, adrenaline, commit, committing, lift where,
        believe, dont believe, cut out for, idiot, sick before, feel sick, death grip, gripping the wheel,
        gripping, loosen up, let go of it, granny, like a granny, broken, had enough, enough of this, ive
        had, feel like, i feel, feeling, bored, boring, hard on myself, mistake and, after a mistake, after
        one mistake, get brave, got no, pathetic, stupid, want it too, try too hard, trying too hard, care
        too, everything is getting, getting too much, on top of me, unfair, lonely, weep, loser, flinch,
        flinching, bailing, bail out, chickened, pressure on me, pressure to, expectations, the pressure,
        cope, coping""",
    ),
    (
        "head",
        """head, heads, mind, minds, mindset, headspace, brain, focused, focusing, concentrat-, distract-,
        overthink-, overthought, thinking, calm, breathe, breathing, relax, relaxed, zone, the zone,
        visuali-, meditat-, sleep, mentally, psycholog-, think about, focus, switch off on, my attention,
        intrusive, thoughts, in my head, self talk, tell myself, say to myself, my mind, wanders off""",
    ),
    (
        "growth",
        """progress-, better than i was, got better, getting better, gotten better, any better, get better,
        quicker, got quicker, getting quicker, any quicker, got faster, getting faster, plateau-, flatline-,
        flat lined, stagna-, ceiling, regress-, got worse, getting worse, backwards, going backward, come on
        since, come on, coming on, came on, came down, coming down, come down, dropping each, develop-,
        evolv-, evolution, trend, trends, trending, learned, learnt, getting anywhere, still doing, still
        making, still the same, fixed, cured, sorted, mastered, paid off, paying off, pay off, gained since,
        upward, downward, moved on, levelled, leveled, headway, breakthrough, any good now, grown, come
        along, coming along, turning a corner, helped, same mistakes, old habits, habit, habits, kicked the,
        improve, improved, improves, improving, improvement, improvements, learning curve, faster, did it
        help, coaching help, homework help, helping, is it working, sinking in, sunk in, how far have i
        come, far have i come, on the up, right path, right direction, drying up, slipping back, old faults,
        used to be, than it used, than before, gains, keep going up, going up, going down over, biggest
        step, step forward, stick from, fix stick, these days, am i better, have i lost, getting somewhere,
        am i still, do i still, still rubbish, stopped coming, slowed down since, proud of this, over the
        season, changed this, catching up, gone off the boil, peaked, on a roll, better than last, better
        than my last, worse than last, worse than i was, better driver than""",
    ),
    (
        "long_time",
        """month, months, monthly, season, seasons, year, years, yearly, since, history, historic-, over the
        winter, spring, summer, autumn, winter, january, february, march, april, june, july, august,
        september, october, november, december, last time, last visit, visits, over time, so far, i started,
        when i started, used to, ago, weeks, week, career, events, track days, trackdays, last event, when i
        began, my first time, past, lately, recently, these days, last sessions, few sessions, last few,
        last five, over my last, over the last, the long term, age""",
    ),
    (
        "two_things",
        """vs, versus, compar-, between, against, difference-, differ, differs, different, side by side,
        overlay, overlays, overlaid, the other, the two, the three, two laps, my two, those two, top two,
        one before, lap before, time before, the next one, the good one, the bad one, second one, first one,
        separates, separated, stack, than the, than my, relative, apart, respectively, which was better,
        which is better, which one, back to back, first and last, repeat lap, match, matched, couldnt
        repeat, couldnt match, best one, slow one, quick one, quicker one, fast one and, slower one, this
        one, that one, last one, contrast, put next to, beside, alongside, morning and, morning vs, morning
        to, morning or, on top of each, on top of the, one on top, lay over, lay lap, lay the, both laps,
        previous lap, previous run, the pair, identical laps, next to each, against each, next to lap, next
        to my best, hold it against, held up against, one against, my second quickest, to the other, of the
        two, out of lap, was slower, was quicker, quicker than #, slower than #, better than #, was lap,
        made lap, on the good, on the fast, the quick lap, good lap have, why was my, why was that, why was
        this, why was the, differently on, over lap, last time round, this time round, on the second, on the
        first, than on lap, line up lap, put the two, next to my, worse than the, from lap""",
    ),
    (
        "time_value",
        """<time>, tenth, tenths, hundredths, half a second, a second, thousandths, few tenths""",
    ),
    (
        "lap_number",
        """lap #, laps #, # or #, # and #, # to #, # over #""",
    ),
    (
        "expert",
        """gold, golden, aj, ajs, pro, pros, professional, expert-, instructor-, coachs lap, coach himself,
        coachs own, benchmark, reference-, perfection, master lap, model lap, ghost, alien, hotshoe, hot
        shoe, hotshot, fast guy, quick guy, fast guys, quick guys, fast lad, quick lad, fast driver, quick
        driver, fast boys, quick boys, ringer, legend, works driver, factory driver, champion, champ,
        quickest driver, record holder, better driver, top driver, top guy, top guys, front runners, someone
        fast, someone quick, ace, ace driver, the best driver, best drivers, hero lap, measured against, the
        guy in, benchmark driver, stig, senna, someone who knows, the good guys, tutor, mentor, perfect lap,
        the perfect, close to perfect, to perfect, ideal lap, ideal line, the ideal, the master, being
        compared to, up against, im chasing, who drove, who set, driver set, really quick, really fast, much
        quicker than me, much faster than me, so much faster, so much quicker, he got, he do, does he, is
        he, quickest guy, someone good, top lap, behind the instructor, fast people, quick people, quicker
        than me, faster than me, your best driver, who holds, target lap driver""",
    ),
    (
        "practice_words",
        """plan, plans, planning, planned, schedule, programme, program, drill, drills, exercise, exercises,
        prioriti-, priorities, split up, divide, organise, organize, structure, structured, spend, spent
        best, use my time, make the most, most out of, get the most, tackle, routine, regime, agenda,
        timetable, syllabus, curriculum, warm up, warmup, learn a, session left, sessions left, left in the
        session, minutes left, minute session, minute sessions, track time, how long should, laps should,
        work on, one thing, weak spots, weaknesses, fix first, experiment, try next, to try, should i try,
        focus next, break between, short runs, build up, shakedown, bed in, approach the day, attack the
        day, game plan, fix one, fix things, should i fix, learn this, learn the, learn new, for learning, i
        train, to train, train at, training for, train most, practise-, practice-, practicing, practising,
        start if, should i start with, working on next, homework for, set me, give me something to, set of
        exercises, to do list, carve, carve up, build up to, effort, where should my effort, in one go, best
        way to use, best use, most useful, two day, three runs, # runs, runs of, which day, point in
        staying, worth staying, stay out, staying out, keep going round, keep circulating, circulating, rest
        or, or rest, take a break, sim, simulator, outings, approach tomorrow, new place, biggest weakness,
        weakness, open pit, half hour, half a day, all day, how do i go about, a good way to, suggest,
        suggest something, we try, should we, skills, skill, work out a""",
    ),
    (
        "when_ahead",
        """next session, next sessions, next time, next outing, next run, next stint, tomorrow, sunday,
        saturday, monday, friday, weekend, after lunch, this afternoon, tonight, next week, next month""",
    ),
    (
        "about_to_go",
        """before i go, before we go, before heading, before i head, before the session, before my session,
        before this session, before i start, before we start, before i roll, before i leave, before i set
        off, about to, heading out, head out, im going, go out now, going back out, off out, rolling,
        setting off, set off, strapped, strapping in, belts, belted, buckled, harness, helmet on, helmets
        on, lid on, lids on, lid is on, gloves on, engine running, engines running, engines on, motor
        running, pit exit, dummy grid, lining up, lined up, queue, queueing, queuing, green flag, green
        light, lights go green, till green, goes green, until green, prep me, prepare me, prime me, last
        words, last check, last minute, final word, remind me of, remind me what, refresh my, key points,
        key things, essentials, need to know, should know, to remember, do i remember, keep in mind, bear in
        mind, watch for, watch out for, looking out, look out for, what matters, pep, send me, starts in, in
        five, in 5, in two, in ten, in 10, in a minute, in a sec, minutes till, mins till, brief, briefing,
        breif, brif, bref, headsup, heads up, what are we doing, what was i going, the focus, focusing on
        this, focus on this, focus this, concentrate on this, lets go, jumping in, getting in, hop in,
        anything before, on track in, they are calling, calling us, quick reminder, this time out, this
        session again, ready to go, im ready, get me ready, going out now, about to go, going out in, going
        out for, out in five, out in two, roll out, on the grid, grid in, in the pit lane, visor down,
        visors down, pits are, waving us, board, three minute, one minute, last instructions, instructions,
        fill me in, low down, lowdown, up to speed before, refresh me, refresher, for this run, for this
        session, this session, off i go, before the off, prep me for, my job, the job, mission, what counts,
        to concentrate on, do i concentrate, meant to be doing, supposed to be doing, should be doing out,
        what am i doing, did we say, walking to, quick pep, what to do out, on this run, on this time, need
        for this, leave in, im off, i go out, go out what, carry into, bring into, what do i need, the
        essentials, just before, in before i, quickly before""",
    ),
    (
        "looking_back",
        """debrief-, debreif, recap-, sum, sum up, sums, summar-, wrap, wrap up, review, verdict, report,
        feedback, marks out, marks out of, assess-, how did i, howd i, how did that, how was, hows that,
        howd that, hows it, how did it, it go, i do out, went well, go well, do well, did well, well that,
        went wrong and, highlight-, best bits, good bits, bad bits, takeaway-, take away, taken from, main
        things, overall, in short, nutshell, tldr, done for the day, end of the day, end of day, came in,
        back in, just parked, parked up, that session, that run, out of that, from that, that was, was that,
        any good, straight up, think of that, what do you think, impress-, proud, biggest mistakes, my
        mistakes, best moments, good and bad, the good the bad, run me through, talk me through my, post
        mortem, postmortem, how we did, my performance, off track now, engine off, helmet off, lid off,
        cooling down, summary, im done, were done, all done, rate my, rate that, rate me, grade, score for
        that, score, did we learn, did i learn, what did we, lessons from, story of, honest opinion, be
        honest, what do you reckon, you reckon, mark that, marks, get right, got right, good and what, good
        the bad, look back, back at that, back at it, looking back, how i did, how i got on, how did i get
        on, get on, got on, alright, do alright, do ok, do okay, went through well, my driving, find my
        driving, im back, were back, back in the pits, back in the paddock, in the pits, main takeaways, any
        good $, stood out, stuck out, wrap the, key takeaways, how it went, it went, that went, went today,
        kettle, what have you got, did you see, thoughts, notes, post session, session notes, summari-,
        short version, overall how""",
    ),
    (
        "quantity",
        """max, maximum, min, minimum, peak, average, mean, top speed, highest, lowest, biggest, percent-, what
        percentage, count, number of, fastest, quickest, best lap, best sector, best time, slowest, how many
        times, how many km, how many miles, how many hours, how many gears, how much brake, how much
        throttle, hardest, biggest g""",
    ),
    (
        "channel",
        """rpm, revs, kph, mph, kmh, lap time, laptime, laptimes, brake pressure, braking force, water temp,
        coolant, egt, voltage, battery, lambda, afr, lean angle, steering angle, yaw, lateral, longitudinal,
        lateral g, # g, what g, many g, gs, g force, full throttle, fuel level, speed trace, clutch,
        elevation, throttle trace, throttle position, brake trace, the trace, oil temp, oil pressure, water
        temperature, fuel_level, fuel_gauge, fuel_pressure, sector times, splits, split, engine, rev, shift
        point, lean, volts, gearbox, mpg, how fast was i, how quick was i, how quick over, quick down, how
        fast did, flat on the straight, was i flat, full on""",
    ),
    (
        "show",
        """show, list, graph, plot, chart, display, pull up, give me the data, print, table, see my, map""",
    ),
    (
        "logger",
        """gps, imu, sensor-, logger, logging, canbus, can bus, obd, channel-, signal, connected, connection,
        recording, recorded, file, files, database, export, import, stored, delete, upload, download, csv,
        app, phone, satellites, sample rate, hz, firmware, timestamp, data""",
    ),
    (
        "small_talk",
        """hello, hi, hey, thanks, thank you, cheers, ta, bye, goodbye, good morning, good evening, joke, who
        are you, what are you, what can you, your name, how are you, okay, nice one, who won, capital of""",
    ),
    (
        "define",
        """what is a, whats a, what does, explain what, mean, means, meaning, define, definition, how does it
        work, what is the difference""",
    ),
    (
        "corner_craft",
        """<corner>, hairpin-, chicane-, kink, sweeper-, apexes, apices, turnin, brake point, braking point,
        braking marker, late apex, early apex, double apex, way out, off camber, tight right, tight left,
        fast left, fast right, left hander, right hander, hander, lefthander, righthander, long right, long
        left, taken flat, flat through, wide entry, racing line, race_line, where do i brake, where should i
        brake, when do i turn, how do i take, take it flat, anbremsen, freno, freiner, bremsen, what gear,
        which gear, carry speed, carry more, more speed through, overslow-, downshift, downshifts, blip,
        trail brake, trail braking, the line through, line into, kurve, curva, virage, compromise,
        sacrifice, bend, corner, apex, turn in, kerb, kerbs, curb, curbs, on entry, the entry, my entry, my
        exit, the exit, better exit, crest, uphill, downhill, blind, technique for, technique through, slow
        corners, fast corners, quick corners, corners, running out of road, run out of road, get on the gas,
        back on the gas, way round, way through, way into, best line, what line, which line, line round,
        line for, turning in, turn too early, turn too late, brake for the, brake for, braking for, how late
        can, brake straight, double right, double left, the left, the right, off the brake, hands in, link
        the, curve, freinage, frein, bremspunkt, frenare, punto di frenata, corde, scheitelpunkt, staccata""",
    ),
    (
        "time_loss",
        """losing time, lose time, lose the most, lose most, time loss, losing most, biggest loss, find time,
        most time to find, time to find, losing out, giving away time, giving time away, slowest part, how
        much time am i""",
    ),
)
