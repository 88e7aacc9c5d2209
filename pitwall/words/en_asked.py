"""English: the answers to a driver's questions about laps, sectors, corners, signals and sessions."""

from __future__ import annotations

TERMS: dict[str, dict[str, str]] = {
    # A figure, and its highest, lowest or mean value.
    "asked": {
        "time": "Time", "time lap": "Lap time", "sector": "Sector time",
        "speed": "Speed", "speed most": "Top speed", "speed least": "Lowest speed",
        "speed mean": "Average speed",
        "entry_speed": "Entry speed", "min_speed": "Minimum speed", "exit_speed": "Exit speed",
        "brake_m": "Brake point before the apex", "lift_m": "Off the throttle before the apex",
        "throttle_m": "Half throttle again, after the apex",
        "brake_bar": "Brake pressure", "brake_bar most": "Highest brake pressure",
        "brake_bar mean": "Average brake pressure", "brake_bar least": "Lowest brake pressure",
        "brake_time": "Time on the brakes", "brake_time most": "Longest braking",
        "brake_far_m": "Distance on the brakes", "brake_far_m most": "Longest distance on the brakes",
        "brake_count": "Times on the brakes",
        "full_throttle": "Full throttle", "full_throttle most": "Longest full throttle",
        "overlap": "Both pedals pressed", "overlap most": "Longest with both pedals pressed",
        "coast": "Coasting, off both pedals", "coast most": "Longest coasting",
        "trail": "Braking while turning, over 0.3 g",
        "trail most": "Longest braking while turning, over 0.3 g",
        "lost": "Time lost on your best pass",
        "brake_lost": "Lost on the brakes against your best lap",
        "mid_lost": "Lost in the middle against your best lap",
        "exit_lost": "Lost on the exit against your best lap",
        "lifts": "Times the throttle was let go under half its travel",
        "throttle": "Throttle", "throttle mean": "Average throttle", "throttle most": "Most throttle",
        "throttle least": "Least throttle",
        "throttle_turns": "Times the throttle was turned back",
        "steering_turns": "Times the steering was turned back",
        "gear": "Gear", "gear_time": "Time engaged", "gear most": "Highest gear", "gear least": "Lowest gear", "shifts": "Gear changes",
        "upshifts": "Upshifts", "downshifts": "Downshifts",
        "shift_rpm": "Engine speed at your upshifts",
        "rev_drop": "Drop of the engine speed at your upshifts",
        "rpm": "Engine speed", "rpm most": "Highest engine speed", "rpm least": "Lowest engine speed",
        "rpm mean": "Average engine speed",
        "g_lat": "Lateral g", "g_lat most": "Highest lateral g", "g_lat mean": "Average lateral g",
        "g_brake": "Braking g", "g_brake most": "Highest braking g", "g_brake mean": "Average braking g",
        "g_accel": "Acceleration", "g_accel most": "Highest acceleration",
        "coolant_c": "Coolant temperature", "coolant_c most": "Highest coolant temperature",
        "coolant_c least": "Lowest coolant temperature", "coolant_c mean": "Average coolant temperature",
        "oil_temp_c": "Oil temperature", "oil_temp_c most": "Highest oil temperature",
        "oil_temp_c least": "Lowest oil temperature", "oil_temp_c mean": "Average oil temperature",
        "oil_bar": "Oil pressure", "oil_bar most": "Highest oil pressure",
        "oil_bar least": "Lowest oil pressure",
        "oil_bar mean": "Average oil pressure",
        "steering_deg": "Steering angle", "steering_deg most": "Largest steering angle",
        "steering_deg mean": "Average steering angle",
        "yaw": "Yaw rate", "yaw most": "Highest yaw rate", "yaw mean": "Average yaw rate",
        "climb_m": "Altitude difference", "altitude_m": "Altitude", "altitude_m most": "Highest altitude",
        "altitude_m least": "Lowest altitude",
        "altitude_m mean": "Average altitude", "satellites": "Satellite count",
    },
    "point": {
        "entry": "at the entry", "apex": "at the slowest point", "exit": "at the exit",
        "brake": "at the brake point", "lift": "where you lift",
    },
    # What of a question an answer does not tell.
    "sought": {
        "corner": "the corner",
        "straight": "that straight (say the main or the longest one, or the one before a corner)",
        "straights": "each straight", "spread": "how it varies",
        "trend": "how it changes", "median": "the median", "mean": "the average", "total": "the sum",
        "share": "a share", "count": "how many",
        "not": "when it was not so",
        "two": "one lap beside the other", "place": "where on the lap",
        "when": "when it was", "again": "whether it came again", "before": "how it was before",
        "next": "what comes next", "ends": "at its start or end",
        "only": "only those", "except": "all but some",
        "closest": "what is closest", "nearest": "what is nearest", "moment": "one moment of a lap",
        "earlier": "what was earlier", "target_s": "that lap time",
        "limit_s": "that limit", "within_s": "that limit", "between_s": "those limits",
        "session": "the other session",
        "at_speed": "that speed", "at_s": "that time", "clear": "laps without traffic",
        "sprint": "from one speed to another", "made_of": "a lap of those sectors", "bound": "that limit",
    },
    # What no data tells of, and a driver asks for; then why.
    "untold": {
        "brake release": "where you come off the brakes",
        "missed gears": "missed gears",
        "wheel speeds": "wheels that lock or spin",
        "flags": "flags", "weather": "the weather and the state of the track", "tyres": "the tyres",
        "fuel": "fuel",
        "brake temperature": "the temperature and the wear of the brakes", "other cars": "other cars",
        "result": "positions and results",
        "driving aids": "traction control, ABS and other aids",
        "pit lane": "the length of the pit lane and its speed limit",
        "penalties": "penalties and track limits", "body": "how your body was doing", "clutch": "the clutch",
        "differential": "gearbox and differential", "power": "power and torque",
        "suspension": "suspension and downforce",
        "battery": "the battery", "contact": "contact and damage", "video": "video",
        "good times": "good times for a car or a circuit", "air fuel": "mixture and exhaust",
        "turn in": "where you turn in",
    },
    "untold why": {
        "brake release": (
            "It is not kept with the laps; brake point, time and distance on the brakes are known."
        ),
        "missed gears": (
            "A gear that did not go in leaves no sign of its own; gear and revs are known where they were "
            "recorded."
        ),
        "wheel speeds": "No source gave the speed of each wheel.",
        "flags": "No source records them. A lap that you mark as yellow is left out of what is judged.",
        "weather": (
            "No source records it; only the engine's temperatures and the grip that you used are known."
        ),
        "tyres": "No source gave their temperature, pressure or wear.",
        "fuel": "No source gave a fuel level or a flow.",
        "brake temperature": "No source gave it; pressure, place and time of braking are known.",
        "other cars": (
            "Only your own car is recorded. A lap that you mark as traffic is left out of what is judged."
        ),
        "result": "Only your own laps are recorded, not those of others.",
        "pit lane": "A track file holds the lap alone; the time that you stood in the pits is known.",
        "penalties": "No source tells of race control.", "body": "No source measures it.",
        "driving aids": "No source tells when they stepped in.",
        "clutch": "No source gave a clutch signal.", "differential": "No source gave them.",
        "power": "No source measures them.", "suspension": "No source measures them.",
        "battery": "No source gave it.",
        "contact": "No source tells of it; hard knocks show in the acceleration, ask for incidents.",
        "good times": "Only the laps that are stored here are known.", "video": "Pitwall keeps none.",
        "air fuel": "No source gave them.",
        "turn in": "It is not kept with the laps; brake point, entry speed and slowest point are.",
    },
    "session mark": {
        "previous": "before this one", "yesterday": "of the day before", "morning": "of that morning",
        "afternoon": "of that afternoon", "week": "of the week before", "month": "of the month before",
        "year": "of the year before", "day": "of that day", "drivers": "drivers", "cars": "cars",
    },
}  # fmt: skip

SENTENCES: dict[str, str] = {
    "asked in gear": " in gear {gear}",
    "asked gear used": "Gear {gear}{place}: engaged {count:once|# times}, {time:.1f} s in all{laps}.",
    "asked gear unused": "Gear {gear} was not engaged there.",
    "asked gears": " from gear {first} to gear {last}",
    "asked to gear": " into gear {last}",
    "asked at corner": " at {corner}",
    "asked in piece": " in {piece} of {count}",
    "asked no piece": "the lap has {count} mini sectors here",
    "asked ideal pieces": (
        "Your best times in each of {count} equal mini sectors add up to {time:lap}, {gain:.3f} s under "
        "your best "
        "lap ({best:lap}, lap {lap}). So many pieces hold some luck: no lap need hold them all."
    ),
    "asked at speed": "{label} at {limit}, while the car gains speed: {values:and}.",
    "asked at speed gear": "gear {gear} {count:once|# times}",
    "asked at speed usual": (
        "{label} at {limit}, while the car gains speed: usually {value}, from {low} to {high} ({count:once|"
        "# times})."
    ),
    "asked at speed never": "You never gained {limit} in {laps:laps}: your top speed was {top}.",
    "asked lap at": "{minutes} min {seconds} s into the recording you were in lap {lap}{kind}, {by:.0f} s "
                    "after its begin.",
    "asked no lap at": "{minutes} min {seconds} s into the recording you were in no lap.",
    "asked car": "The car of this session is called {car}.",
    "asked car unnamed": "Which car it was is not known: this session names none.",
    "asked track name": "It was driven on {track}.",
    "asked clear": "Without {laps:laps}, marked as traffic; no source tells of other cars.",
    "asked clear none": "No lap is marked as traffic, and no source tells of other cars: all flying laps "
                        "count.",
    "asked in sector": " in sector {sector}",
    "asked span": " from the entry of {first} to the exit of {last}",
    "asked span gap": " from the exit of {first} to the entry of {last}",
    "asked span to line": " from the exit of {corner} to the start line",
    "asked span from line": " from the start line to the entry of {corner}",
    "asked before": " {place:m.0f} before the entry of {corner}",
    "asked straight before": " on the straight before {corner}",
    "asked straight after": " on the straight after {corner}",
    "asked yes over": "Yes. {label}{place}: {value}, in lap {lap}. Over {limit} in {laps:laps}.",
    "asked yes under": "Yes. {label}{place}: {value}, in lap {lap}. Under {limit} in {laps:laps}.",
    "asked counted over": "{label}{place} over {limit}: {count:once|# times}, {time:.1f} s in all{laps}.",
    "asked counted under": "{label}{place} under {limit}: {count:once|# times}, {time:.1f} s in all{laps}.",
    "asked counted longest over": (
        "{label}{place} over {limit}: {time:.1f} s in one go at the longest, in lap {lap}; it begins {begin}."
    ),
    "asked counted longest under": (
        "{label}{place} under {limit}: {time:.1f} s in one go at the longest, in lap {lap}; it begins "
        "{begin}."
    ),
    "asked corners over": "{label} over {limit} in most laps: {corners:and} ({count} of {total}).",
    "asked corners under": "{label} under {limit} in most laps: {corners:and} ({count} of {total}).",
    "asked places": "Where in lap {lap}: {places}.",
    "asked no limit": "No. {label}{place}: {value}, in lap {lap}.",
    "asked is recorded": "{signal}: recorded in this session.",
    "asked unbraked": "Without the brakes{laps}: {corners:and}.",
    "asked braked": "With the brakes{laps}: {corners:and}.",
    "asked all braked": "There is none that you drove without the brakes{laps}.",
    "asked no stop": "You did not stop between the first lap and the last, so there is one stint.",
    "asked stop": "{time:.0f} s in lap {lap}",
    "asked stops": "You stopped {count:once|# times}: {values:and}.",
    "asked stint": "Stint {stint}, {laps:laps}: best {best:lap} (lap {lap}), on average {mean:lap}.",
    "asked on line": " at the start line",
    "asked at place": " {place:m.0f} after the start line",
    "asked in laps": " in {laps:laps}",
    "asked point": "{label} {point}",
    "asked one": "{label}{place} in lap {lap}: {value}.",
    "asked list": "{label}{place}: {values:and}.",
    "asked best list": "{label}{place}, best of each: {values:and}.",
    "asked mean list": "{label}{place}, average of each: {values:and}.",
    "asked two corners": "{label} in lap {lap}: {value}{place}, {other}{other_place}, {by} between them.",
    "asked two peaks": "{label}: {value}{place}, {other}{other_place}, {by} between them.",
    "asked two usual": "{label}, usual value: {value}{place}, {other}{other_place}, {by} between them.",
    "asked extreme": "{label}{place}: {value}, in lap {lap}{among}.",
    "asked of flying": " (of the flying laps)",
    "asked session": "{label}{place}: {value} over {count:the flying lap|# flying laps}.",
    "asked mean": "{label}{place}, average of {count:1 flying lap|# flying laps}: {value}.",
    "asked median": "{label}{place}, median of {count:1 flying lap|# flying laps}: {value}.",
    "asked usual of": "Usually {value}, over {count} of them.",
    "asked always": "{label}{place}: {value} in {count:the flying lap|each of # flying laps}.",
    "asked usual": "{label}{place}: usually {value}, from {low} to {high}.",
    "asked in best": "In your best lap: {value} (lap {lap}).",
    "asked share": " ({share:.0%})",
    "asked spread": (
        "{label}{place}: {by} between {low} and {high}; standard deviation {sd} over {count} flying laps."
    ),
    "asked trend": "{label}{place}: {first} at first, {last} at last; lowest {least}, highest {most}.",
    "asked trend rises": "It rises: {slope} a lap.",
    "asked trend falls": "It falls: {slope} a lap.",
    "asked trend earlier": "It gets earlier: {slope} a lap.",
    "asked trend later": "It gets later: {slope} a lap.",
    "asked trend slower": "You get slower: {slope} a lap.",
    "asked trend quicker": "You get quicker: {slope} a lap.",
    "asked trend neither": "It goes up and down, there is no sure trend ({slope} a lap).",
    "asked trend unknown": "That is too few laps for a trend.",
    "asked two faster": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: lap {lap} was {by} "
        "faster."
    ),
    "asked two slower": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: lap {lap} was {by} "
        "slower."
    ),
    "asked two more": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} more in lap {lap}."
    ),
    "asked two less": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} less in lap {lap}."
    ),
    "asked two earlier": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} earlier in lap "
        "{lap}."
    ),
    "asked two later": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} later in lap {lap}."
    ),
    "asked two same": "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: the same.",
    "asked unknown": "{label}{place}: the data of this session does not tell it.",
    "asked little known": (
        "{label}: recorded for no more than {share:.0%} of {laps:laps}, so it can't be told."
    ),
    "asked unknown in laps": "{label}{place}: the data does not tell it for {laps:laps}.",
    "asked not in": "Not known for {laps:laps}.",
    "asked none in": "None in {laps:laps}.",
    "asked none of them": "{label}{place}: none in {laps:laps}.",
    "asked not recorded": "{signal}: not recorded in this session, so it can't be told.",
    "asked one lap only": "That takes several flying laps, and here is only one flying lap to tell it of.",
    "asked too few laps": "there are only {count:1 flying lap|# flying laps} in this session",
    "asked no corner": "{corner} is no corner of {track} that is known here",
    "asked no corner counted": (
        "the corners of {track} were found by Pitwall and are counted from the start line, so which of the "
        "{count} is {corner} is not known"
    ),
    "ask by number": (
        "ask about a corner by its number, {first} to {last}, or for the minimum speed of every corner, "
        "which shows which is which"
    ),
    "asked corners": "ask about {corners:and}",
    "asked no corners known": "No corners are known on this track, so this can't be told corner by corner.",
    "asked no sectors": "no sector was timed in this session",
    "asked no sector": "there is no sector {sector}, the lap has {count} sectors",
    "asked only at corners": "{label} is known for a corner only: name one.",
    "asked corner value": "{corner} {value}",
    "asked sector value": "sector {sector} {value}",
    "asked sector of lap": "sector {sector} {time} (lap {lap})",
    "asked ranked": "{label}{laps}: {values:and}.",
    "asked ranked spread": "{label}, range over the flying laps{laps}: most {values:and}.",
    "asked ranked spread least": "{label}, range over the flying laps{laps}: least {values:and}.",
    "asked sectors spread": "{label}, range over the flying laps: {values:and}.",
    "asked target driven": "Yes: {target:lap} is done, your best was {best:lap} (lap {lap}).",
    "asked target lacks": "For {target:lap} your best lap lacks {by:.3f} s ({best:lap}, lap {lap}).",
    "asked target unknown": "No sectors were timed, so the data can't tell whether your laps hold it.",
    "asked target in sectors": (
        "It is in your driving: your best sectors add up to {total:lap}, {by:.3f} s under it."
    ),
    "asked target beyond": (
        "Your best sectors add up to {total:lap}, {by:.3f} s over it: you would have to find something new."
    ),
    "asked alone": (
        "Lap {lap} ({time:lap}) stands alone: the nearest flying lap is lap {near}, {by:.3f} s away. "
        "The data can't tell luck from skill."
    ),
    "asked not alone": (
        "No: lap {lap} ({time:lap}) is not alone, {laps:laps} came as near as {by:.3f} s."
    ),
    "asked the others": (
        "{count:The other flying lap took|The other # flying laps took on average} {mean:lap}, standard "
        "deviation {sd:.3f} s."
    ),
    "asked sectors again": "Another lap was as quick in sector {sectors:and}.",
    "asked sectors once": "No other lap was as quick in any of its sectors.",
    "asked lap when": (
        "Lap {lap} ({time:lap}) began {minutes} min {seconds} s into the recording: flying lap {at} of "
        "{count}."
    ),
    "asked moment": "That was {minutes} min {seconds} s into the recording.",
    "asked nth": "{label}{place}, number {rank} of {count}: {value} in lap {lap}.",
    "asked nth last": "{label}{place}, number {rank} of {count} from the last: {value} in lap {lap}.",
    "asked consecutive": "Your best {count} flying laps in a row: {laps:laps}, on average {mean:lap}.",
    "asked steadiest": (
        "Your {count} flying laps that are closest together: {laps:laps}, {by:.3f} s from the fastest to the "
        "slowest, on average {mean:lap}."
    ),
    "asked steadiest row": (
        "Your {count} flying laps in a row that are closest together: {laps:laps}, {by:.3f} s from the "
        "fastest to the slowest, on average {mean:lap}."
    ),
    "asked bests": (
        "Faster than all flying laps before: {values:and}. After lap {lap} {count:came 1 flying lap|came # "
        "flying laps}, none of them faster."
    ),
    "asked limiter": (
        "No source tells where the limiter sits. Within 1 % of that for 0.3 s or longer: {count:once|# times}"
        "{laps}."
    ),
    "asked limiter never": (
        "No source tells where the limiter sits. The revs never stayed within 1 % of that for 0.3 s."
    ),
    "asked corners within": (
        "At most {by:.2f} s a lap lost on average against your best pass: {values:and}."
    ),
    "asked corners not within": (
        "In no corner you lose on average as little as {by:.2f} s against your best pass."
    ),
    "asked improved": "From lap {lap}, your first flying lap, to your best time there: {values:and}.",
    "asked alike most": "Most alike are lap {lap} and lap {other}.",
    "asked alike least": "Least alike are lap {lap} and lap {other}.",
    "asked alike pair": "Lap {lap} beside lap {other}.",
    "asked alike by": (
        "Their corner times differ by {by:.2f} s on average, most in {corner} ({most:.2f} s); their lap "
        "times are {time:lap} and {other_time:lap}."
    ),
    "asked clean": "Cleanest, by the most lost at one corner against your best pass there: {values:and}.",
    "asked messy": "Messiest, by the most lost at one corner against your best pass there: {values:and}.",
    "asked clean one": (
        "Lap {lap} lost at most {by:.2f} s at one corner against your best pass there ({corner}); by that it "
        "is number {rank} of your {count} flying laps."
    ),
    "asked clean trouble": "The data shows in it: {kinds:and}.",
    "asked clean no trouble": "The data shows no incident in it.",
    "asked each worst": "Most lost at one corner against your best pass there: {values:and}.",
    "asked gaps": "Behind your best lap ({time:lap}, lap {lap}): {values:and}.",
    "asked clean lap": "lap {lap} {by:.2f} s ({corner})",
    "asked mean over": (
        "{label}{place}: {value} in lap {lap}, {by} over the average of "
        "{count:your flying lap|your # flying laps} ({mean})."
    ),
    "asked mean under": (
        "{label}{place}: {value} in lap {lap}, {by} under the average of "
        "{count:your flying lap|your # flying laps} ({mean})."
    ),
    "asked lap began": "Lap {lap} began {minutes} min {seconds} s into the recording.",
    "asked beside reference": (
        "{corner}: {by:.2f} s behind that lap of another session; your speed beside it {entry} at the entry, "
        "{apex} at the apex and {exit} at the exit."
    ),
    "asked gain": (
        "{amount:.1f} s against your own best passes: {corners:and}, {total:.2f} s a lap together."
    ),
    "asked gain short": (
        "What you lose lap after lap adds up to less than {amount:.1f} s: {corners:and}."
    ),
    "asked short": (
        "{count:1 flying lap|# flying laps}, best {best:lap} in lap {lap}, {apart:.2f} s between the fastest "
        "and the slowest; {rest}."
    ),
    "asked short loss": "most to gain: {corner}, {loss:.2f} s a lap in {laps:laps}, where {cause}",
    "asked short nothing": "nothing is lost again and again",
    "asked rests": "It is computed from what this session recorded: {count:1 flying lap|# flying laps}.",
    "asked phases": (
        "{corner}, against your best lap on average over {count:1 pass|# passes}: {values:and}."
    ),
    "asked phase brake": "on the brakes {by:+.2f} s",
    "asked phase mid": "in the middle {by:+.2f} s",
    "asked phase exit": "on the exit {by:+.2f} s",
    "asked best corners": (
        "With your best pass in every corner lap {lap} ({time:lap}) would have been {by:.2f} s faster; most "
        "at {corners:and}."
    ),
    "asked sprint": "From {begin} to {end}: {time:.1f} s at best, in lap {lap} ({count:once|# times}).",
    "asked no sprint": "You never went from {begin} to {end} in one go.",
    "asked corners list": "{label} by corner, usual value{laps}: {values:and}.",
    "asked corners best": "Lap {lap} was your fastest through {corners:and}.",
    "asked corners best none": "Lap {lap} was your fastest through no corner.",
    "asked corners lap": "{label} in lap {lap}: {values:and}.",
    "asked sectors list": "{label} by sector, usual value: {values:and}.",
    "asked where": "{label}: {value} in lap {lap}, {place}.",
    "asked in corner": "in {corner}, {place:m.0f} after the start line",
    "asked between": "between {first} and {last}, {place:m.0f} after the start line",
    "asked beside next best": "Lap {lap} is your best one. Beside lap {other}, the next best:",
    "asked lap time": "lap {lap} {time:lap}{kind}",
    "asked times": "{values:and}. Your best was lap {best}.",
    "asked sectors of lap": "Lap {lap}: {values:and}.",
    "asked best sector": "Your best sector {sector} was {time}, in lap {lap}.",
    "asked worst sector": "Your slowest sector {sector} was {time}, in lap {lap}.",
    "asked sector": "Sector {sector}: best {time} in lap {lap}, usually {usual}.",
    "asked sector lost": (
        "Sector {sector}: {time} in lap {lap}, {other_time} in lap {other}: {by:.3f} s lost."
    ),
    "asked sector won": (
        "Sector {sector}: {time} in lap {lap}, {other_time} in lap {other}: {by:.3f} s won."
    ),
    "asked piece name": "mini sector {number} ({corners:and})",
    "asked piece straight": "mini sector {number}",
    "asked pieces list": "{label} in ten equal mini sectors, usual value{laps}: {values:and}.",
    "asked pieces lap": "{label} in ten equal mini sectors of lap {lap}: {values:and}.",
    "asked best pieces": "Against your best time in each of ten equal mini sectors",
    "asked ideal": (
        "Your best sectors add up to {time:lap}, {gain:.3f} s under your best lap ({best:lap}, lap "
        "{lap}): {values:and}."
    ),
    "asked faster than mean": (
        "Lap {lap} was {by:.3f} s faster than the average of {count:your flying lap|your # flying laps} "
        "({time:lap} against {mean:lap})."
    ),
    "asked slower than mean": (
        "Lap {lap} was {by:.3f} s slower than the average of {count:your flying lap|your # flying laps} "
        "({time:lap} against {mean:lap})."
    ),
    "asked is best": (
        "Lap {lap} is your best lap ({time:lap}): there is no better one in this session to compare "
        "it with."
    ),
    "asked ideal of lap": (
        "Your best sectors add up to {time:lap}: lap {lap} ({own:lap}) was {by:.3f} s slower than that."
    ),
    "asked ideal driven": (
        "Your best lap, lap {lap} ({best:lap}), holds your best sectors already: {values:and}."
    ),
    "asked most of laps": "Of {laps:laps} the fastest was lap {lap}: {time:lap}.",
    "asked least of laps": "Of {laps:laps} the slowest was lap {lap}: {time:lap}.",
    "asked corners more": "{label}, more in lap {lap} than in lap {other}: {values:and}.",
    "asked corners later": "{label}, later in lap {lap} than in lap {other}: {values:and}.",
    "asked corners none": "{label}: in no corner more, or later, in lap {lap} than in lap {other}.",
    "asked against": "{value} against {other}",
    "asked in that gear": "In gear {gear} at the slowest point: {corners:and}.",
    "asked no corner in gear": "In no corner is gear {gear} engaged at the slowest point.",
    "asked laps under": "{count:1 flying lap|# flying laps} of {all} under {limit:lap}{which}.",
    "asked laps over": "{count:1 flying lap|# flying laps} of {all} over {limit:lap}{which}.",
    "asked laps within": (
        "{count:1 other flying lap|"
            "# other flying laps} within {by:.2f} s of your best ({best:lap}, lap {lap}){which}."
    ),
    "asked laps together": (
        "At most {count:1 flying lap|# flying laps} of {all} lie within {by:.2f} s of each other{which}."
    ),
    "asked half 1": " in the first half of the lap",
    "asked half 2": " in the second half of the lap",
    "asked up to speed": (
        "Lap {lap} ({time:lap}) was the first flying lap within {share:.0%} of your best; it began {minutes} "
        "min {seconds} s into the recording."
    ),
    "asked corners faster": (
        "Lap {lap} was faster than lap {other} in {count} of {all} corners{among}: {corners:and}."
    ),
    "asked part spread": "{label}{place}, standard deviation: {sd} in {laps:laps}, {other} in {others:laps}.",
    "asked part figure": "{label}{place}: on average {value} in {laps:laps}, {other} in {others:laps}.",
    "asked part figures": "{label}, on average in {laps:laps} against {others:laps}: {values:and}.",
    "asked part value": "{corner} {by} ({value} against {other})",
    "asked part none": "{label}: in no corner so, on average in {laps:laps} against {others:laps}.",
    "asked by more": "{by} more",
    "asked by less": "{by} less",
    "asked by later": "{by} later",
    "asked by earlier": "{by} earlier",
    "asked driven so": "{corner}: {values:and}.",
    "asked part corners one": "In {laps:laps} beside {others:laps}, most of it: {corners:and}.",
    "asked part corners": "On average in {laps:laps} beside {others:laps}, most of it: {corners:and}.",
    "asked total": "{label}{place}, in all over {count:1 flying lap|# flying laps}: {value}.",
    "asked part faster": (
        "Faster: {mean:lap} on average in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s less."
    ),
    "asked part slower": (
        "Slower: {mean:lap} on average in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s more."
    ),
    "asked step": (
        "The largest gain from one flying lap to the next: {by:.3f} s, from lap {lap} ({time:lap}) to lap "
        "{other} ({other_time:lap})."
    ),
    "asked step apart": (
        "The most between two flying laps in a row: {by:.3f} s, lap {lap} ({time:lap}) and lap {other} "
        "({other_time:lap})."
    ),
    "asked held times": (
        "{label}{place}, for {limit:.1f} s or longer: usually {value:once|# times} a lap, from {low} "
        "to {high}."
    ),
    "asked no step": "No flying lap was faster than the one before.",
    "asked laps between": (
        "{count:1 flying lap|# flying laps} of {all} between {low:lap} and {high:lap}{which}."
    ),
    "asked these": ": {laps:laps}",
    "asked lap count": "{count:1 flying lap|# flying laps}{others}.",
    "asked others": "; beside them {others:and}",
    "asked other lap": "lap {lap} ({kind})",
    "asked usual loss": (
        "{corner}, from entry to exit: {mean:.2f} s a lap lost on average against your best pass there "
        "({time:.2f} s in lap {best}), {total:.2f} s over {count} flying laps; most in lap {worst}: "
        "{most:.2f} s."
    ),
    "asked loss rank": "By that it is number {rank} of {count} corners, the one with the least first.",
    "asked usual loss in sector": (
        "Sector {sector}: {mean:.2f} s a lap lost on average against your best time there ({time:.2f} s in "
        "lap {best}), {total:.2f} s over {count} flying laps; most in lap {worst}: {most:.2f} s."
    ),
    "asked corner lost": "{corner}: lap {lap} lost {by:.2f} s there against lap {other}.",
    "asked corner won": "{corner}: lap {lap} won {by:.2f} s there against lap {other}.",
    "asked lap rank": "It is number {rank} of your {count} flying laps.",
    "asked slowest lap": "It is the slowest of your {count} flying laps.",
    "asked best lap": "It is your best lap.",
    "asked its sectors": "Its sectors: {values:and}.",
    "asked marked laps": "You marked {laps:laps} as {kind}. Apart from such marks no source tells of it.",
    "asked untold": "The data can't tell anything of {what}.",
    "asked channel": "The logger recorded {values}.",
    "asked channel value": "{name} {first} at first, {last} at last, from {least} to {most}",
    "asked duration": (
        "The recording lasts {minutes} min {seconds} s; the {count:flying lap takes|"
            "# flying laps take} {flying:.1f} min of it."
    ),
    "asked driven": "You drove {far:km.1f} in this session.",
    "asked track": "One lap of {track} is {length:km.3f}.",
    "asked corner length": "{corner} is {length:m.0f} long, from its entry to its exit.",
    "asked apart": "From the exit of {first} to the entry of {last}: {length:m.0f} along the track.",
    "asked straight length": "The straight before {corner} is {length:m.0f} long.",
    "asked longest straight": "The longest straight is the one before {corner}: {length:m.0f}.",
    "asked corner count": "{track} has {count:1 corner|# corners} that are known here.",
    "asked driver": "{driver} drove it.",
    "asked driver unnamed": "Who drove is not known: this session names no driver.",
    "asked made": "Together {values:and} make {time}.",
    "asked made faster": "That is {by:.3f} s under your best lap ({best:lap}, lap {lap}).",
    "asked made slower": "That is {by:.3f} s over your best lap ({best:lap}, lap {lap}).",
    "asked when": (
        "It was driven at {when} (UTC where a day is given), and the recording ends {minutes} min "
        "{seconds} s later; "
        "the session is {session}."
    ),
    "asked holes": "{count:Once|# times} no fix came for over {limit:.1f} s, at most for {longest:.1f} s.",
    "asked no hole": "No gap between two fixes was over {limit:.1f} s.",
    "asked rate": "The fixes come {rate:.0f} times a second.",
    "asked satellites": "Usually {usual:.0f} satellites, at least {least:.0f}.",
    "asked channels": "Recorded in this session: {names:and}.",
    "asked no channels": "Not recorded: {names:and}.",
    "asked sector count": "The lap has {count} timed sectors here.",
    "asked no sectors here": "No sector was timed in this session.",
    "asked source": (
        "It was read from the file {file} (format {format}). Which device wrote that file is not kept."
    ),
    "asked source live": "Pitwall recorded it itself, while you drove.",
    "asked clockwise": "{track} is driven clockwise.",
    "asked anticlockwise": "{track} is driven anticlockwise.",
    "asked only session": (
        "No other session on {track} is stored; this one was driven {when}, so there is nothing to "
        "compare it with."
    ),
    "asked day unknown": (
        "The day of this session is not known ({when}), so it can't be told which sessions are meant: "
        "pitwall sessions date sets it."
    ),
    "asked no such session": "No session {mark} on {track} is stored. There are: {have:and}.",
    "asked session best": "{when} {best:lap}",
    "asked sessions": "Best laps on {track}, {count:1 session|# sessions}: {values:and}.",
    "asked best of sessions": (
        "The best lap that is stored on {track} is {time:lap}, lap {lap} of the session of {when}."
    ),
    "asked best of day": (
        "Your best lap of that day on {track} was {time:lap}, lap {lap} of the session of {when}."
    ),
    "asked named": "Best laps of the {kind} on {track}: {values:and}.",
    "asked best of time": "{label}{place}, the best of {count} sessions: {value}, in that of {when}.",
    "asked best of figure": "{label}{place}, the highest of {count} sessions: {value}, in that of {when}.",
    "asked named value": "{name} {value} ({when})",
    "asked session count": "{count:1 session|# sessions} with a timed lap on {track}: {values:and}.",
    "asked laps of all": "{count:1 flying lap|# flying laps} on {track}: {values:and}.",
    "asked session laps": "{count} ({when})",
    "asked of session": "Session of {when}: {rest}",
    "asked session value": "{value} ({when})",
    "asked named best": "{name} {best:lap} ({when})",
    "asked no driver": "No stored session on {track} names a driver {driver}, so that can't be told.",
    "asked none named": (
        "The stored sessions on {track} do not name two different {kind}, so they can't be compared."
    ),
    "asked pair faster": (
        "Your best lap is {by:.3f} s faster than in the session of {when}: {best:lap} (lap {lap}) against "
        "{other_best:lap} (lap {other})."
    ),
    "asked pair slower": (
        "Your best lap is {by:.3f} s slower than in the session of {when}: {best:lap} (lap {lap}) against "
        "{other_best:lap} (lap {other})."
    ),
    "asked pair places": "Beside the session of {when}: {rest}",
    "asked pair usual": (
        "Usual lap: {usual:lap} ({count:1 flying lap|# flying laps}) against {other_usual:lap} ({other})."
    ),
    "asked corners lost": "Best passes, slower now: {corners:and}.",
    "asked no corner lost": "In no corner is your best pass slower now.",
    "asked ranked near": "Closest to your best pass there, on average lost a lap{laps}: {values:and}.",
    "asked ranked near lap": "Closest to your best pass there, lost{laps}: {values:and}.",
    "asked ranked lost": (
        "{how} you lose a lap on average over {count:1 flying lap|# f"
        "lying laps}{laps}: {values:and}."
    ),
    "asked ranked lost lap": "{how} lap {lap} loses{laps}: {values:and}.",
    "asked ranked way": "{label}{laps}: most on the way to and through {values:and}.",
    "asked ranked way least": "{label}{laps}: least on the way to and through {values:and}.",
    "asked best sectors": "Against your best time in each sector",
    "asked best corners there": "Against your best time in each corner from entry to exit",
    "asked best straights": "Against your best time on each straight",
    "asked sector name": "sector {sector}",
    "asked straight name": "before {corner}",
    "asked among slow": " in the slower half of the corners (up to {value} at the slowest point)",
    "asked among fast": " in the faster half of the corners (over {value} at the slowest point)",
    "asked among left": " in the left-handers",
    "asked among right": " in the right-handers",
    "asked among sector": " in sector {value}",
    "asked among half": " in half {value} of the lap",
    "asked among not": " without {names:and}",
    "asked group": (
        "On average a corner{kind}, {count:of which there is one|of which there are #}: "
        "{values:and}."
    ),
    "asked laps nearest": "{label}{place}: nearest to {limit} is {value}, {by} away.",
    "asked laps beyond": "{label}{place}: over {limit} in {count} of {all} flying laps: {values:and}.",
    "asked laps below": "{label}{place}: under {limit} in {count} of {all} flying laps: {values:and}.",
    "asked laps none": "{label}{place}: no flying lap of {all} lies on that side of {limit}.",
    "asked left-hander": "{corner} is a left-hander.",
    "asked right-hander": "{corner} is a right-hander.",
    "asked corners won": "Best passes, faster now: {corners:and}.",
    "asked mean pair": "{label}{place}, average of the flying laps: {value} in this session, {other} in "
                       "that of {when}.",
    "asked spread pair": (
        "{label}{place}, standard deviation over the flying laps: {value} in this session, {other} in that "
        "of {when}."
    ),
    "asked figure pair": "{label}{place}: {value} in this session, {other} in that of {when}.",
    "asked nothing said": (
        "No callout of the coach is stored for this session: it was not driven with the coach."
    ),
    "asked nothing said there": (
        "No advice{kind} was spoken{place}{laps} in this session; {count:1 piece was|# pieces were} in all."
    ),
    "asked callouts": "What was said{place}: {values}{more}.",
    "asked latest": "The last advice{place}: {values}{more}.",
    "asked foremost": "The first advice{place}: {values}{more}.",
    "asked ignored": "Not heeded{place}: {values}{more}.",
    "asked followed": "Heeded{place}: {values}{more}.",
    "asked none followed": "There is no advice{place} that the next pass shows as heeded.",
    "asked none ignored": "There is no advice{place} that the next pass shows as not heeded.",
    "asked of that kind": " of that kind",
    "asked advice count": (
        "{count:1 piece of advice{kind} was|# pieces of advice{kind} were} spoken{place}{laps}."
    ),
    "asked callouts in lap": "{count} in lap {lap}",
    "asked callouts by lap": "Callouts that were spoken{place}: {values:and}.",
    "asked callouts most": "Most often it was about {values:and}.",
    "asked ignored most": "Most often not heeded: {values:and}.",
    "asked followed most": "Most often heeded: {values:and}.",
    "asked said most": "Most was said in {laps:laps}: {count:1 piece|# pieces} of advice.",
    "asked told often": "{corner} ({count:once|# times}, at last “{text}”)",
    "asked callout count": "{count:1 callout was|# callouts were} spoken{place}{laps} in this session.",
    "asked callout": "lap {lap}, “{text}”{followed}",
    "asked more callouts": "; and {count} more",
    "asked marks": "You marked {values:and}{more}.",
    "asked mark": "lap {lap} at {time:lap}{kind}{place}",
    "asked mark in": " in {corner}",
    "asked mark after": " {by:.1f} s after {corner}",
    "asked no mark": "You marked nothing{laps} in this session. While you drive, the button Mark does it.",
    "asked heeded": (
        "You heeded {count} of the {all:one piece|# pieces} of advice that the next pass tells of."
    ),
    "asked drawing": "An answer is text: pitwall report draws laps, pitwall export writes files.",
    "asked strange": (
        "I do not know what you mean by {words:and}, so I can't tell that from the data. Ask about times, "
        "speeds, braking, throttle, gears or temperatures, of a lap, a sector, a corner or the whole session."
    ),
    "asked rest": "The rest of your question I can't tell from the data.",
    "asked rest strange": (
        "As to {words:and}: I do not know what you mean by that, so I can't tell the rest from the data."
    ),
    "asked not told": (
        "You ask for: {what:and}. I have no answer that tells it in that way. Ask for one figure at a "
        "time, of a lap, a sector, a corner or the whole session."
    ),
    "asked straights list": "{label} by straight, usual value{laps}: {values:and}.",
    "asked straights lap": "{label} by straight in lap {lap}: {values:and}.",
    "asked no straight": "No way between two corners is known here that is long enough for a straight.",
    "asked straight value": "before {corner} {value}",
    "asked nothing read": (
        "I can't tell that from the data without a model. Ask about lap and sector times, speeds, "
        "braking, throttle, "
        "gears or temperatures, of a lap, a corner or the whole session."
    ),
    "asked no cause": "{label}: in no corner does it cost you time lap after lap. What does: {rest}",
    "asked which corner": "You named no corner; this is the one with the most to gain. {rest}",
}  # fmt: skip
