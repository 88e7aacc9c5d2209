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
        "gear": "Gear", "gear_time": "Time engaged", "gear most": "Highest gear", "gear least": "Lowest "
            "gear", "shifts": "Gear changes",
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
}  # fmt: skip

SENTENCES: dict[str, str] = {
    "asked in gear": " in gear {gear}",
    "asked at corner": " at {corner}",
    "asked in piece": " in {piece} of {count}",
    "asked no piece": "the lap has {count} mini sectors here",
    "asked car": "The car of this session is called {car}.",
    "asked car unnamed": "Which car it was is not known: this session names none.",
    "asked track name": "It was driven on {track}.",
    "asked in sector": " in sector {sector}",
    "asked span": " from the entry of {first} to the exit of {last}",
    "asked span to line": " from the exit of {corner} to the start line",
    "asked span from line": " from the start line to the entry of {corner}",
    "asked straight before": " on the straight before {corner}",
    "asked straight after": " on the straight after {corner}",
    "asked yes over": "Yes. {label}{place}: {value}, in lap {lap}. Over {limit} in {laps:laps}.",
    "asked yes under": "Yes. {label}{place}: {value}, in lap {lap}. Under {limit} in {laps:laps}.",
    "asked counted over": "{label}{place} over {limit}: {count:once|# times}, {time:.1f} s in all{laps}.",
    "asked counted under": "{label}{place} under {limit}: {count:once|# times}, {time:.1f} s in all{laps}.",
    "asked corners over": "{label} over {limit} in most laps: {corners:and} ({count} of {total}).",
    "asked corners under": "{label} under {limit} in most laps: {corners:and} ({count} of {total}).",
    "asked no limit": "No. {label}{place}: {value}, in lap {lap}.",
    "asked no stop": "You did not stop between the first lap and the last, so there is one stint.",
    "asked stop": "{time:.0f} s in lap {lap}",
    "asked stops": "You stopped {count:once|# times}: {values:and}.",
    "asked stint": "Stint {stint}, {laps:laps}: best {best:lap} (lap {lap}), on average {mean:lap}.",
    "asked at start": " at the start of the session",
    "asked at end": " at the end of the session",
    "asked at lap start": " at the start",
    "asked at lap end": " at the end",
    "asked on line": " at the start line",
    "asked at place": " {place:m.0f} after the start line",
    "asked in laps": " in {laps:laps}",
    "asked point": "{label} {point}",
    "asked one": "{label}{place} in lap {lap}: {value}.",
    "asked list": "{label}{place}: {values:and}.",
    "asked two usual": "{label}, usual value: {value}{place}, {other}{other_place}, {by} between them.",
    "asked extreme": "{label}{place}: {value}, in lap {lap}{among}.",
    "asked mean": "{label}{place}, average of {count:1 flying lap|# flying laps}: {value}.",
    "asked median": "{label}{place}, median of {count:1 flying lap|# flying laps}: {value}.",
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
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: lap {lap} was {by} faster."
    ),
    "asked two slower": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: lap {lap} was {by} slower."
    ),
    "asked two more": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} more in lap {lap}."
    ),
    "asked two less": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} less in lap {lap}."
    ),
    "asked two earlier": (
        "{label}{place}: {value} in lap {lap}, {other_value} in lap {other}: {by} earlier in lap {lap}."
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
    "asked sector of lap": "sector {sector} {time} (lap {lap})",
    "asked target driven": "Yes: {target:lap} is done, your best was {best:lap} (lap {lap}).",
    "asked target lacks": "For {target:lap} your best lap lacks {by:.3f} s ({best:lap}, lap {lap}).",
    "asked target unknown": "No sectors were timed, so the data can't tell whether your laps hold it.",
    "asked target in sectors": (
        "It is in your driving: your best sectors add up to {total:lap}, {by:.3f} s under it."
    ),
    "asked target beyond": (
        "Your best sectors add up to {total:lap}, {by:.3f} s over it: you would have to find something new."
    ),
    "asked lap when": (
        "Lap {lap} ({time:lap}) began {minutes} min {seconds} s into the recording: flying lap {at} of "
        "{count}."
    ),
    "asked nth": "{label}{place}, number {rank} of {count}: {value} in lap {lap}.",
    "asked mean over": (
        "{label}{place}: {value} in lap {lap}, {by} over the average of "
        "{count:your flying lap|your # flying laps} ({mean})."
    ),
    "asked mean under": (
        "{label}{place}: {value} in lap {lap}, {by} under the average of "
        "{count:your flying lap|your # flying laps} ({mean})."
    ),
    "asked lap began": "Lap {lap} began {minutes} min {seconds} s into the recording.",
    "asked where": "{label}: {value} in lap {lap}, {place}.",
    "asked in corner": "in {corner}, {place:m.0f} after the start line",
    "asked between": "between {first} and {last}, {place:m.0f} after the start line",
    "asked best sector": "Your best sector {sector} was {time}, in lap {lap}.",
    "asked worst sector": "Your slowest sector {sector} was {time}, in lap {lap}.",
    "asked piece straight": "mini sector {number}",
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
    "asked ideal of lap": (
        "Your best sectors add up to {time:lap}: lap {lap} ({own:lap}) was {by:.3f} s slower than that."
    ),
    "asked ideal driven": (
        "Your best lap, lap {lap} ({best:lap}), holds your best sectors already: {values:and}."
    ),
    "asked most of laps": "Of {laps:laps} the fastest was lap {lap}: {time:lap}.",
    "asked least of laps": "Of {laps:laps} the slowest was lap {lap}: {time:lap}.",
    "asked laps under": "{count:1 flying lap|# flying laps} of {all} under {limit:lap}{which}.",
    "asked laps over": "{count:1 flying lap|# flying laps} of {all} over {limit:lap}{which}.",
    "asked laps within": (
        "{count:1 other flying lap|"
            "# other flying laps} within {by:.2f} s of your best ({best:lap}, lap {lap}){which}."
    ),
    "asked half 1": " in the first half of the lap",
    "asked half 2": " in the second half of the lap",
    "asked part spread": "{label}{place}, standard deviation: {sd} in {laps:laps}, {other} in {others:laps}.",
    "asked part figure": "{label}{place}: on average {value} in {laps:laps}, {other} in {others:laps}.",
    "asked total": "{label}{place}, in all over {count:1 flying lap|# flying laps}: {value}.",
    "asked part faster": (
        "Faster: {mean:lap} on average in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s less."
    ),
    "asked part slower": (
        "Slower: {mean:lap} on average in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s more."
    ),
    "asked these": ": {laps:laps}",
    "asked lap count": "{count:1 flying lap|# flying laps}{others}.",
    "asked others": "; beside them {others:and}",
    "asked other lap": "lap {lap} ({kind})",
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
    "asked when": (
        "It was driven at {when} (UTC where a day is given), and the recording ends {minutes} min "
        "{seconds} s later; the session is {session}."
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
    "asked open": "{track} is driven from its start to its finish.",
    "asked only session": (
        "No other session on {track} is stored; this one was driven {when}, so there is nothing to "
        "compare it with."
    ),
    "asked sector name": "sector {sector}",
    "asked straight name": "before {corner}",
    "asked left-hander": "{corner} is a left-hander.",
    "asked right-hander": "{corner} is a right-hander.",
    "asked nothing said": (
        "No callout of the coach is stored for this session: it was not driven with the coach."
    ),
    "asked nothing said there": (
        "No advice{kind} was spoken{place}{laps} in this session; {count:1 piece was|# pieces were} in all."
    ),
    "asked callouts": "What was said{place}: {values}{more}.",
    "asked none followed": "There is no advice{place} that the next pass shows as heeded.",
    "asked advice count": (
        "{count:1 piece of advice{kind} was|# pieces of advice{kind} were} spoken{place}{laps}."
    ),
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
    "asked nothing read": (
        "I can't tell that from the data without a model. Ask about lap and sector times, speeds, braking, "
        "throttle, gears or temperatures, of a lap, a corner or the whole session."
    ),
}  # fmt: skip
