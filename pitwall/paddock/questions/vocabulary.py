"""The words by which drivers ask: for which figure, which of its values, when, and what no data tells.

Each table is read from the top; patterns are regular expressions over plain words with one space between.
What a row takes is gone for those under it, so longer ways of saying it stand higher.
"""

from __future__ import annotations

from typing import NamedTuple

from pitwall.paddock.questions.question_words import word_list
from pitwall.words.units import Units

# A lap, a corner, a sector or a session that was read already stands as one of these words.
LAP, CORNER, SECTOR, SESSION = "xlap", "xcorner", "xsector", "xsession"
_BRAKING = r"brak(?:e|es|ed|ing)"
# "Where was my braking g highest" is no brake point.
_AT_ITS_END = r"(?:(?:was|is|were) )?(?:my|the) (?:[a-z]+ )+?(?:high|low|long|short|great)est\b"


class Term(NamedTuple):
    """What is meant, and how it is said."""

    meaning: str
    pattern: str


# Figures of a lap, a sector, a corner or a place.
MEASURES: tuple[Term, ...] = (
    Term("improved", r"how much (?:\w+ )?(?:time )?"
                    r"(?:did|have) i (?:find|found|gained?|improved?|pick(?:ed)? up)|"
                    r"did (?:i|we|x\w+|(?:my|the) \w+) (?:improve|gain)(?: (?:the )?most)?|have i improved"),
    Term("driver", r"who (?:was |is |were )?(?:driving|drove|at the wheel|behind the wheel|in the car)|"
                  r"who (?:set|did|drove) (?=(?:it|that|this|the|my)\b)"),
    Term("fluke", r"flukes?|lucky|luck|one off|outlier|repeat (?:it|that)|do (?:it|that) again"),
    Term("alike", r"2 laps(?= .*\b(?:alike|identical|similar))|"
                 r"(?:most |closest |very |how )?(?:alike|identical|similar|comparable)|"
                 r"(?:most|closest|least) like(?= )"),
    Term("clean", r"cleanest|tidiest|neatest|how clean"),
    Term("messy", r"messiest|scrappiest|sloppiest|untidiest|most ragged"),
    Term("consecutive", r"(?:best|fastest|quickest) \d (?:consecutive|successive|back to back)(?: laps)?|"
                       r"(?:best|fastest|quickest)? ?\d (?:best )?laps in a row"),
    Term("smooth", r"(?:un)?smooth(?:er|est|ly|ness)?|jerky|choppy|stabb(?:y|ing)|busy hands|"
                  r"corrections?|correct(?:ed)?(?= (?:the |my )?(?:steering|wheel))"),
    Term("brake_bar", r"how hard(?: (?:is|was) (?:it|that))?(?= *$)|"
                    r"how hard (?:\w+ ){0,8}?on (?:the |my )?brakes?|"
                    r"how much brakes?(?= (?:do|did|am|was|is|in|at|for)\b)|"
                    rf"{_BRAKING} (?:\w+ )?pressures?|hard (?:\w+ ){{0,3}}?(?:the |my )?brake pedal|"
                    r"pressure (?:(?!oil)\w+ ){0,6}?(?:brakes?|brake pedal)|"
                    r"(?:hard|harder|hardest|heaviest) on the brakes?"),
    Term("apart_m", r"(?:how (?:far|many (?:m|metres|meters|feet|yards))|(?:what is the )?distance)"
                   r"(?: (?:is|was) it)?"
                   r"(?= (?:from|between) (?:\w+ ){0,4}?xcorner (?:to|and) (?:\w+ ){0,4}?xcorner)"),
    # What lies between the pedals.
    Term("lift_m", r"lift ?(?:off)? (?:points?|marks?|places?)"),
    Term("lift", r"(?:where|when|how (?:far|early|late|soon|many)) (?:\w+ ){0,8}?(?:off (?:of )?(?:the |my )?"
                r"(?:throttle|gas|power|accelerator)|lift\w*(?: off)?)"),
    Term("coast", rf"between (?:the )?(?:{_BRAKING}|brakes?|off the brakes?) and (?:\w+ ){{0,3}}?"
                 r"(?:throttle|gas|power)|brakes? to (?:the )?(?:throttle|gas|power)|"
                 r"(?:time|am i|long|i) off (?:the )?(?:throttle|gas)(?! [a-z]*(?:earl|late|soon))|"
                 r"how (?:long|much) (?:\w+ ){0,4}?"
                 r"(?:lift\w*(?: off)?(?: for)?|off (?:the )?(?:throttle|gas))"),
    Term("step", r"between which (?:2 |\w+ )?laps.*|(?<! i )(?:biggest|largest|best|greatest|most) "
                r"(?:improvement|jump|gain|step|drop|progress)(?: (?:from |between )?"
                r"(?:one lap to the next|2 laps|laps|lap to lap))?"),
    Term("slowed", r"how (?:much|far) (?:do|did|am|was) i (?:\w+ )?slow(?:ed|ing)? (?:\w+ )??down"),
    Term("up_to_speed", r"up to speed|warmed up|into (?:it|the groove|my stride|the swing)|going properly"),
    Term("incident", r"off (?:the )?(?:track|circuit|road)\b|excursions?|(?:go|went|come|came|been|run|ran) "
                    r"off(?= *$| (?:in|at|on|anywhere)\b)|"
                    r"(?:in|into|on|through) the (?:grass|gravel|dirt)|"
                    r"(?:nearly |almost )?(?:lost it|spun|spin|crash\w*|lost control)|"
                    r"(?:mess|screw)(?:ed|ing)? (?:it )?up|mistakes?|errors?|incidents?|"
                    r"slid(?:es?|ing)"),
    Term("cluster", r"(?:of |to )?(?:each other|one another)"),
    Term("trail", rf"trail ?{_BRAKING}|trailing|{_BRAKING} (?:\w+ ){{0,3}}?(?:into|in|through|while|during) "
                 r"(?:the |my )?(?:turn ?in|turning|corners|apex)"),
    Term("unbraked", rf"(?:not|never|dont|didnt|doesnt|cant|no|without)(?: \w+){{0,3}}? "
                    rf"(?:{_BRAKING}|brakes?)(?! point| press| data)(?: for| at| in)?|unbraked"),
    # "Did I brake in turn 1", not how hard or when.
    Term("braked", r"(?:(?<!\w )|(?<=laps )|(?<=turns )|(?<=corners ))(?:did|do|have|had|was|am) (?:i|we) "
                  rf"(?:(?!consist|under)\w+ +){{0,3}}?{_BRAKING}"
                  r"(?= +(?:(?:in|at|for|into|on|during|before) +)?(?:x\w+|$))"
                  r"(?!.*\b(?:late|earl|soon|hard|more|less|long|deep|enough|too))"
                  r"(?<!full brakes)(?<!all brakes)"),
    Term("corner_count", r"how many (?:corners?|turns?|bends?)|number of (?:corners|turns|bends)"),
    Term("lift", r"lift(?:s|ed|ing)?(?: off)?"),
    Term("stints", r"longest (?:run|stint)(?: (?:without|between) (?:a )?(?:pit )?stop\w*)?|"
                  r"how many stints|number of stints|(?:laps )?between (?:the |my |two )?(?:pit )?stops|"
                  r"(?:after|before|since) (?:the |my |each |every )?(?:\w+ )?(?:pit )?"
                  r"(?:stops?|breaks?|pauses?)|"
                  r"(?:each|every|per|by|between|all|which|what|fastest|best|quickest|slowest|worst) "
                 r"(?:the |my )?stints?|"
                  r"(?:first|second|third|last|final|previous|1st|2nd|3rd) stint|"
                  r"stint (?:by|vs|versus|to) stint"),
    Term("stops", r"(?:how (?:often|many(?: times)?)|when|where|did i) (?:\w+ ){0,4}?"
                 r"(?:stops?|stopped|pitted|"
                 r"(?:(?:come|came|go|went) )?(?:in(?:to)? the )?pits?(?: ?stops?)?)\b|"
                 r"(?:first|second|third|last|longest|shortest|nth\d) (?:pit )?stop|"
                 r"how long (?:\w+ ){0,4}?stop\b"
                 r"(?: stops?)?|how (?:long|many) (?:\w+ ){0,3}?(?:pauses?|breaks?)|"
                 r"pit ?stops?|stopped|(?:stand|stood|standing) still|in the (?:pits?|"
                 r"pit ?lane|garage|paddock)|pit ?lane|pits|stationary"),
    Term("gps", r"(?:data|recording|signal|log) (?:any good|good|ok|okay|fine|clean|usable|reliable|quality|"
        r"bad)|(?:quality of|trust|rely on) (?:the |this |my )?(?:data|recording|log|gps)|"
        r"good (?:is|was) (?:the |this |my )?(?:data|recording|signal|log)"),
    Term("recorded", r"(?:is|are|was|were|have we|do we have|do you have|did you)"
                    r"(?: there| you| it)?(?: any| got)?"
                    r"(?= \w+(?: \w+){0,2} (?:data|signals?|sensors?|channels?|"
                    r"recorded|available))|recorded|available"),
    Term("upshifts", r"(?:how (?:many|often)|number of) (?:\w+ ){0,3}?(?:up ?shift(?:s|ed)?|"
                    r"(?:shift|change)(?:s|ed|d)? up)|up ?shifts"),
    Term("downshifts", r"(?:how (?:many|often)|number of) (?:\w+ ){0,3}?(?:shift|change)(?:s|ed|d)? down|"
                      r"(?:(?:how (?:many|often)|number of) (?:\w+ ){0,3}?)?down ?shift(?:s|ing|ed)?"),
    Term("shift_rpm", r"shift(?:ing)? points?|(?:revs?|rpms?) .*?\b(?:shift|upshift|change up)\w*|"
        r"(?:when|where|what) (?:\w+ )??(?:do|did|should|can|must|shall) i (?:up)?(?:shift|change up|"
        r"change gear|change(?= *$))\w*|"
        r"(?:shift|upshift|change up)\w* (?:at )?(?:what |which )?(?:revs?|rpms?)|"
        r"(?:am|was) i short shifting|short shift\w*|up ?shift(?:s|ing|ed)?|"
        r"(?:shifts?|gear changes?|shifting|changing (?:up|gear)) (?:\w+ ){0,3}?"
        r"too (?:early|late|soon|low|high)|"
        r"(?:early|late)(?:st)? (?:shifts?|gear changes?)"),
    Term("shifts", r"gear ?(?:shifts?|changes?)|how (?:many|often) .*?\b(?:shifts?|shifted|changed? gears?)|"
                  r"shift count|shifts"),
    Term("gear_time", r"gear usage|usage of (?:the |my )?gears|"
                     r"(?:time|long|seconds) .*?\b(?:each|every|per|which|what|by|all|the) gears?|"
                     r"gears? .*?\b(?:used?|using|spen[dt]|drove|driven) .*?\bmost"),
    Term("gear", r"gears?"),
    Term("overlap", rf"(?:(?<!off )both pedals|pedal overlap|(?:throttle|gas) brakes? overlap|"
        rf"(?:{_BRAKING}|brakes?) (?:and|with|on) (?:the |my )?(?:throttle|gas|power)|"
        rf"(?:throttle|gas|power) (?:and|with|on) (?:the |my )?(?:{_BRAKING}|brakes?)|overlap\w*)"
        r"(?: (?:\w+ )?at the same time| together| at once)?|left foot (?:brak\w+)?"),
    Term("full_throttle", r"pedal to the metal|"
        r"(?:how (?:long|much of|much time)|percent\w*) (?:\w+ ){0,5}?on (?:the )?(?:gas|"
        r"throttle|power)|full (?:throttle|gas|power|bore)(?: share)?|wide open(?: throttle)?|wot|flat ?out|"
        r"(?:use|using|used) (?:all|full)(?: of)? (?:the |my )?(?:throttle|gas|pedal)|"
        r"(?:go |be |is |am i )?flat|(?:pedal|foot) (?:to the floor|down|flat)|floored|pinned"),
    Term("throttle_m", r"(?:how (?:early|late|soon|far)|when|where) (?:\w+ ){0,5}?(?:on|onto|"
        r"to) the (?:throttle|gas|power)|"
        r"(?:back |get |got |getting |go |going |pick(?:ing)? |am |open(?:ing)? )*(?:up |on |onto |"
        r"to )*(?:the )?(?:throttle|gas|power) (?:again|point|pick ?up|application|"
        r"on(?! x\w+| the | my | this )|down|later|earlier|sooner|early|late)|"
        r"(?:back |get |got |getting |go |pick |picking |open |opening )+(?:up |on |onto |to |in )*(?:the |"
        r"my )?(?:throttle|gas|power)"),
    Term("throttle", r"throttle(?: position| pedal){0,2}|accelerator(?: pedal)?|gas(?: pedal)?"),
    Term("brake_bar", rf"(?:biggest|hardest|heaviest) stop|how much brakes?(?= )(?! pressure)|"
        rf"{_BRAKING} (?:\w+ ){{0,2}}?(?:hardest|heaviest|most|harder|heavier)\b(?! point)|"
        r"(?:more|less|most|least) (?:brakes?|braking)(?: pressure)?(?= )(?! points?| marks?| zones?| time|"
        r" data)"),
    Term("brake_bar", rf"(?:heaviest|hardest|biggest|strongest|most) {_BRAKING}(?= zones?| corners?)"),
    Term("brake_far_m", rf"{_BRAKING} (?:distances?|zone lengths?|lengths?)|"
        rf"(?:length|distance) of (?:the |my )?{_BRAKING}(?: zones?)?|how (?:long|far) (?:is|was|are|were) "
        rf"(?:the |my )?{_BRAKING} zones?|distance (?:\w+ )??(?:on the brakes|under {_BRAKING})"),
    Term("brake_far_m", rf"how many (?:metres|meters|feet|yards) (?:do|did|am) i "
                       rf"{_BRAKING}(?! (?:before|from(?! xlap)))"),
    Term("brake_time", rf"{_BRAKING}(?= (?:for )?(?:the )?(?:longest|shortest))"),
    Term("brake_m", rf"{_BRAKING}(?= (?:\w+ ){{0,3}}?same (?:spot|place|point))|"
        rf"how many (?:metres|meters|feet|yards) .*?\b{_BRAKING}|"
        rf"{_BRAKING} (?:points?|marks?|markers?|spots?|zones?)|brakepoints?|"
        rf"where (?!{_AT_ITS_END}).*?\b(?:{_BRAKING}|on the brakes?|hit the brakes?)|"
        rf"how (?:far|early|late|deep|soon) .*?\b(?:{_BRAKING}|on the brakes)|"
        rf"when (?!{_AT_ITS_END}).*?\b{_BRAKING}|"
        rf"{_BRAKING} (?:\w+ ){{0,4}}?(?:later|earlier|latest|earliest|late|early|sooner|"
        r"soonest|deeper|deepest)|"
        rf"(?:later|earlier|sooner) (?:\w+ ){{0,4}}?(?:{_BRAKING}|brakes)(?: mark\w*)?|"
        rf"(?:latest|earliest|deepest) (?!{_BRAKING} (?:points?|marks?|markers?|spots?|zones?))"
        rf"(?:\w+ ){{0,4}}?(?:{_BRAKING}|brakes)(?: mark\w*)?"),
    Term("g_brake", rf"gs?(?: forces?)? (?:(?:did|do) i \w+ )?(?:on|under|with|in) (?:the )?"
                   rf"(?:{_BRAKING}|brakes)|"
                   rf"(?:g|gs|{_BRAKING} g) forces? (?:on|under|with) (?:the )?(?:{_BRAKING}|brakes)|"
                   rf"{_BRAKING} decel\w*|gs? did i {_BRAKING} with"),
    Term("brake_count", rf"how (?:many(?! (?:seconds|metres|meters|bars?|gs?|percent)\b)|often) .*?\b"
                       rf"{_BRAKING}(?! (?:gs?|time|force|decel\w*)\b)|"
                       rf"(?:number of )?brake applications|how many "
                       rf"braking zones"),
    Term("brake_time", rf"(?<=longest ){_BRAKING}|(?:percent\w*|share|proportion|fraction) .*?\b{_BRAKING}|"
        r"(?:time |long |seconds )?(?:on|using|with|spent on) the brakes?|time (?:spent |under )?"
        rf"{_BRAKING}|{_BRAKING} time|how (?:long|much of|much time|many (?:seconds|percent)) .*?"
        rf"\b{_BRAKING}|spen[dt] {_BRAKING}"),
    Term("g_brake", rf"{_BRAKING} gs?|{_BRAKING} (?:force|decel\w*)|decel\w*|gs? .*?\b{_BRAKING}|"
                   rf"(?:longitudinal|long) gs?(?: forces?)?"),
    Term("brake_bar", rf"brak(?:e|ing) pressures?|brakepressures?|"
        rf"(?:how )?hard(?:er|est)? .*?\b(?:{_BRAKING}|on the brakes?|brake pedal)|"
        rf"{_BRAKING} (?:\w+ )??(?:hard|harder|hardest|most|pressure|peak)|peak {_BRAKING}(?: pressure)?|"
        rf"most {_BRAKING}(?: pressure)?|brakes? (?:pedal )?"
        r"(?:data|signals?|sensors?|channels?|recorded)|"
        rf"(?:heaviest|hardest|biggest) {_BRAKING}(?: zone)?"),
    Term("coast", r"coast(?:s|ed|ing)?(?: time)?|off both pedals|(?:on )?(?:neither|no) pedals?|rolling"),
    Term("rpm", r"how high (?:\w+ ){0,4}?rev(?:s|ved|ving)?(?: the engine)?(?: to)?|"
        r"(?:engine )?(?:rpms?|revs?|revolutions)|revved|revving|engine speed|redline|limiter"),
    Term("oil_bar", r"(?:engine )?oil ?pressures?"),
    Term("oil_temp_c", r"(?:engine )?oil(?: temps?| temperatures?)?"),
    Term(
        "coolant_c",
        r"(?:cooling )?(?:coolant|water)(?: temps?| temperatures?)?|engine (?:temp|temperature)|"
        r"hot(?:test)?(?! engine temp) .*?\bengine|"
        r"engine .*?\bhot",
    ),
    Term("temps", r"engine (?:temps|temperatures)|engine (?:\w+ )?overheat\w*|overheat\w* (?:\w+ "
                  r"){0,2}?engine"),
    Term("engine", r"(?:how (?:is|was|did)|hows|(?:anything )?(?:wrong|up) with|(?:problems?|issues?) with) "
        r"(?:the |my )?(?:engine|motor)(?: (?:doing|holding up|ok|okay|feel\w*))?|"
        r"engine (?:ok|okay|fine|vitals)|vitals"),
    Term("temps", r"how (?:hot|warm) (?:did|does|do) (?:it|everything|things|all|we|the car|she)(?: all)?"
        r"(?: (?:get|run|go))?|temps?|temperatures?|overheat\w*|(?:running|too) hot"),
    Term("steering_deg", r"(?:turn|turned|turning|move|moved|on|with) the (?:steering )?wheel|"
        r"steering(?: wheel)?(?: angle| input| lock)?|wheel angle|lock(?! ?up)|steer(?:ed)?"),
    Term("yaw", r"yaw(?: rate| speed)?|rotation (?:rate|speed)|how fast (?:\w+ ){0,3}?rotated?"),
    Term("climb_m", r"(?:(?:altitude|elevation|height) (?:difference|changes?|gain|range|delta)|"
        r"(?:difference|change) (?:in|of) (?:altitude|elevation|height)|how hilly|"
         r"how (?:much|far) (?:\w+ ){0,3}?(?:climb|climbs|go up|rise|rises)|"
         r"(?:up|down)hill|gradient|slope|steep)"),
    Term("altitude_m", r"how much (?:higher|lower) (?:is|are|was)|altitude|elevation(?: change)?|height|"
         r"(?:how high (?:is|was|are|am|did|do) (?:the |this )?(?:track|circuit|course|it|i|we)(?: above "
         r"sea level)?)|"
         r"above sea level"),
    Term("g_accel", r"(?:longitudinal )?(?<!lateral )(?<!side )(?<!sideways )(?<!cornering )"
                    r"(?:acceleration gs?|accel(?:erating)? gs?|accelerat\w+)"),
    Term("g_lat", r"how (?:hard|much) (?:\w+ ){0,2}?(?:corner|cornering)|"
         r"(?:most|least|more|less|how much) grip|(?<=how )(?:was|is|good was) (?:the |my )?grip|"
         r"(?:lateral|cornering|side|sideways) (?:gs?(?: forces?)?|forces?|grip|acceleration)|lat gs?|g "
                 r"?(?:forces?|s)?(?! meter)(?: in (?:the |my )?(?:corners|turns|bends))?|"
        r"lateral(?:ly)?|sideways"),
    Term("entry_speed", r"(?:entry|entrance|turn ?in) speeds?|speeds? (?:on|at|in|into) (?:the )?(?:entry|"
                       r"entrance|turn ?in)"),
    Term("exit_speed", r"exit speeds?|speeds? (?:on|at|out|leaving|exiting) (?:of )?(?:the )?exit"),
    Term("min_speed", r"(?:min|minimum) corner\w* speeds?|"
        r"(?:min|minimum|apex|mid ?corner|corner(?:ing)?|slowest|lowest|rolling) speeds?|v ?min|"
        r"slowest point(?! (?:of|on) (?:the )?(?:whole |entire )?(?:track|circuit|lap))|"
        r"speeds? (?:at|in) (?:the )?(?:apex|middle)"),
    Term("rolling", r"(?:best )?rolling lap"),
    Term("ideal_corners", r"(?:nail|perfect|hook|get|got)\w* (?:\w+ )?(?:every|each|all) (?:of )?"
                         r"(?:the |my )?(?:(?:single )?corners?|turns?|apex\w*)(?: right| up)?|"
                         r"(?:every|each|all) (?:of (?:my |the )?)?(?:corners?|turns?) "
                         r"(?:was|were|is|are|had been) (?:\w+ ){0,2}?(?:best|perfect|xlap)|"
                         r"(?:best|perfect) (?:\w+ ){0,3}?(?:every|each|all) (?:corners?|turns?)|"
                         r"all (?:of )?(?:my |the )?(?:best|fastest|quickest) (?:corners|turns|passes)"),
    Term("ideal", r"(?:xlap|laps?|time|best|fastest) (?:time )?(?:that )?(?:i|we) (?:could|can) (?:have )?"
                 r"(?:do|done|go|gone|drive|driven|manage|achieve)(?:d)?(?= *$)|(?:do|would|will) (?:they|"
                 r"those|these) add up .*|"
                 r"time (?:(?:could|can) i|i (?:could|can)) (?:find|gain|save)|"
                 r"(?:every|each|all) (?:the |my )?(?:sectors?|xsector) (?:\w+ ){0,3}(?:best|xlap)|"
                 r"(?:with|from|of|using) (?:all )?(?:my |the )?best (?:\d )?(?:sectors|xsector)|"
                 r"(?:leave|left|leaving) (?:\w+ ){0,2}?on the table|"
                 r"(?:more|faster|quicker) (?:time |lap |one )?in (?:it|me|the car)|"
        r"(?:could|can) i (?:have )?(?:gone|go|been|be) (?:any )?(?:quicker|faster)|"
        r"(?:ideal|theoretical|optimal|optimum|perfect|virtual|potential|"
        r"possible)(?! lines?\b)(?: best)?(?: lap)?(?: ?times?)?|"
        r"(?:sum|add|adding|put|putting|string|combine)\w* .*?(?:best )?sectors?(?: \w+)? ?together|"
        r"(?:sum of|add up|adding up|if i (?:add|put|string|combine)\w*|combin\w+) .*?sectors?(?: together|"
        r" up)?"),
    Term("lap_count", r"laps (?:\w+ )?(?:do not|dont|didnt|did not|wont|wouldnt) count|laps (?:\w+ "
                      r")?count(?:ed)?(?= *$)|"
                     r"laps (?:were|are) (?:\w+ )?(?:left out|excluded|invalid|not counted|ignored|"
                     r"dropped)|how many (?:\w+ ){0,2}?laps|how many lap(?= (?:did|do|have)\b| *$)|"
                     r"total (?:number of )?laps|number of (?:\w+ )??laps|"
                     r"laps did i (?:do|drive|complete)|lap count"),
    Term("duration", r"how long (?:was|is|did|has) (?:the|this|my|that|our) (?:whole |entire )?(?:session|"
        r"outing|run|stint|recording)(?: lasted| last| go on| take)?|"
        r"how long (?:did|was|were|have) (?:i|we) (?:been )?(?:drive|driving|out|on track|run|running)|"
        r"(?:session|total|driving) (?:length|duration|time)|how long (?:the|this) (?:session|stint)|"
        r"duration|time on track|seat time|how many (?:minutes|hours)"),
    Term("driven_km", r"how (?:far|many (?:km|kms|kilometres|kilometers|miles)) "
        r"(?:(?!past|before|after|from)\w+ )*?(?:drive|drove|driven|do|done|go|cover\w*)|"
        r"(?:total )?(?:distance|mileage)(?: driven| covered)?|"
        r"(?:km|kms|kilometres|kilometers|miles) (?:driven|did i \w+|(?:was|were|is) (?:that|it|this))"),
    Term("direction", r"(?:left or (?:an? )?right|right or (?:an? )?left)(?: hand(?:er|ed)?)?|"
        r"(?:which|what) (?:way|direction) does"),
    Term("car", r"(?:what|which) (?:car|kart|vehicle|bike|motorbike)(?: (?:is|was|were|am|did) (?:this|it|"
                r"that|i|we)"
               r"(?: (?:driv\w+|drove|in|using|on|with))?)?(?= *$)|"
               r"(?:whats|what is|what was) (?:the|my) (?:car|kart|vehicle|bike)(?: called)?(?= *$)"),
    Term("track", r"(?:what|which) (?:track|circuit|course|venue)(?: (?:is|was|were|am|did) (?:this|it|"
                  r"that|i|we)"
                 r"(?: (?:driv\w+|drove|on|at))?)?(?= *$)|where (?:is this|was i driving|"
                 r"did i drive|"
                 r"did we drive|were we(?: driving)?)(?= *$)|"
                 r"(?:name of|whats|what is) (?:the|this) (?:track|circuit)(?: called| name)?(?= *$)"),
    Term("track_km", r"how long (?:is|was) (?:the|this) (?:track|circuit|lap)\b|(?:track|circuit|lap) length|"
        r"length of (?:the|this) (?:track|circuit|lap)"),
    Term("when", r"(?:whats|what is|what was|tell me|and) the (?:date|time of day)|date of (?:this|the|my) "
                 r"(?:session|run|day)|"
                r"when(?: was| is| were)?(?= xsession *$)|when (?:was|is) this(?= *$)|what (?:date|day|"
                r"time of day)(?: (?:was|is) \w+)?|"
        r"(?:when|what day|what time) (?:was|did|were) (?:\w+ ){1,3}?(?:drive|drove|driven|start(?! to)|"
        r"session|go out|begin|recorded|run)|which day|what time did \w+ (?:start|go out)"),
    Term("rate", r"sample rate|sampling(?: rate)?|how many hz|hz|hertz|update rate|gps rate"),
    Term("satellites", r"satellites?|sats"),
    Term("gps", r"gps(?: (?:quality|signal|fix|data|reception))?(?: (?:ok|okay|working|gaps?|drop ?outs?))?"),
    Term("channels", r"(?:what|which) (?:\w+ )?(?:channels?|signals?|sensors?)(?: (?:do|did|are|were) .*)?|"
                    r"(?:what|which) (?:was|is|gets) recorded"),
    Term("loss", r"how much time (?:do|did|am|was) i (?:leave|leaving|give away|giving away|give up)|"
        r"how much (?:time )?(?:would|could|can|will|is|does|do) (?:that|it|this|fixing \w+) "
        r"(?:\w+ )?(?:give|gain|worth|bring|save)(?: (?:me|us))?|"
        r"(?:time )?(?:losing|lose|loses|lost|loss|losses|lossing|gained|gain|gaining|won|win|cost|"
        r"costs|costing|giving away|leaving)(?: (?:the )?(?:most )?time)?|time loss|slow(?:est)? compared|"
        r"(?:my |the |most of (?:my |the )?)time (?:is |am i )?(?:going|go|goes|went|gone|disappear\w*)|"
        r"(?:do|did|am|was) i (?:\w+ )?(?:suck\w*|struggl\w*|useless|hopeless|pants|shit|crap)"
        r"(?: (?:the )?(?:most|worst))?|(?:go|goes|going|went|gone) (?:south|pear shaped|to pot)|"
        r"scrub(?:bed|bing|s)?(?: off)?|bleed(?:ing)?|wast(?:e|ed|ing)|thrown? away|throwing away|"
        r"worst(?= (?:(?:corner|turn|bend)s?|at|in)\b)|weakest(?! sector| split)|weak (?:spots?|points?)|"
        r"weakness(?:es)?|"
        r"(?<=where )(?:can|could|should|do|would) i (?:\w+ ){0,2}?(?:improve|better|faster|quicker)|"
        r"(?:biggest |main |worst |largest )(?:problems?|issues?|(?:single )?things?"
        r"(?= (?:\w+ ){0,4}?(?:work|improve|fix|better|change|hold)))|"
        r"ma(?:de|ke|king) (?:up )?(?:(?:the|my|all|most|of) )*time|"
        r"(?:find|gain|save|pick up|shave|knock|cut)(?: off)? (?:\w+ ){0,3}?(?:time|tenths?|seconds?)\b"),
    Term("delta", r"delta|difference|diff|gap|margin|separates?|"
                  r"how (?:far|much) (?:was|am|were) (?:i|we) (?:down|up)(?: (?:on|at))?|"
                  r"how many (?:tenths?|hundredths|seconds)(?= (?:between|off|behind|away|back|from)\b)|"
                  r"how (?:far|much) (?:off|behind|away|back)|off (?:the |my )?pace"),
    # How fast a lap was is its time.
    Term("time", r"how (?:fast|slow) (?:was|is|were|are)(?= +(?:(?:my|the) +)?(?:xlap|laps)\b(?!.*xcorner))"),
    Term("speed", r"speeds?|velocity|how fast\b|how slow(?= *$)|how(?= slow\b)|"
                 r"kph|kmh|km h|mph|vmax|v max|"
                 r"going(?! (?:up|down)(?! to)\b)|fast|"
                 r"(?:(?<=slowest )|(?<=fastest )|(?<=quickest ))(?:ive|i|we) "
                 r"(?:\w+ )??(?:been|went|go|gone|got|was)"),
    Term("time", r"lap ?times?|laptimes?|(?<!next )(?<!this )(?<!many )(?<!each )(?<!every )times?|"
        r"timed|how (?:quick|long)|clocked|seconds|took|(?<!i )takes?|"
        r"quick(?! (?:overview|summary|recap|look|question|one|word|tip))"),
)  # fmt: skip

# Which of a figure's values.
WHICH: tuple[Term, ...] = (
    Term("median", r"median"),
    Term("mean", r"averages?|averaged|avg|ave|mean|typical(?:ly)?|usual(?:ly)?|normal(?:ly)?|on average"),
    Term("spread", r"(?:not (?:so |very |that |too |really )?)?(?:in)?consisten(?:t|cy|tly)|spread|range of|"
        r"how far apart|far apart|"
        r"var(?:y|ies|ied|iation|iance|iable)|how close|close together|steady|steadiest|repeatab\w+|"
        r"fluctuat\w+|stable|scatter(?:ed)?|"
        r"standard deviation|std(?: ?dev)?|deviation|all over the place|regular|"
        r"same (?:\w+ )??(?:every|each) (?:time|lap)|(?:at |the )*same (?:spot|point|place|way)|"
        r"different(?:ly)? (?:\w+ )??(?:every|each)|all different|"
        r"(?:move|jump|wander)(?:s|d|ed|ing)? (?:around|about)"),
    Term("trend", r"trends?|develop\w*|evol\w+|(?:did|does|has) (?:it|that|this) (?:\w+ )?chang\w+|"
                  r"(?:the|my) +doing(?= *$)|"
        r"(?:now )?than (?:i (?:did|was) )?(?:at |in )?(?:the )?(?:start|beginning)|"
        r"(?:now )?than (?:at first|before|earlier|initially)(?= *$)|(?:getting|become|became) (?:more|less)|"
        r"(?:go|goes|going|went|gone|come|coming|came) (?:up|down)(?! to\b)|"
        r"(?:at|by|towards) the end(?! (?:of|from|in) (?:the )?(?:lap|x|turn|it|that)|"
        r" (?:of )?the (?:lap|x|straight|corner|turn))|climb\w*|"
        r"ris(?:e|es|ing)|rose|drop(?:s|ped|ping)?(?: off)?|"
        r"fad(?:e|es|ed|ing)|keep \w+ing|creep\w*|(?:start|beginning) (?:\w+ ){1,3}?(?:end|finish)|"
        r"(?:getting|get|got|gotten|become|becoming|went|go|going) (?:any )?(?:faster|slower|quicker|hotter|"
        r"worst|better|warmer)|slow(?:ed|ing)? down(?! for| in| at| to| x)|"
        r"(?:getting|get|got) (?:any )?(?:higher|lower|longer|shorter|weaker|softer)|over time|"
        r"over the (?:\w+ )?(?:session|stint|run|day|laps)|"
        r"as (?:the )?\w+ (?:heats?|warms?|wears?|goes|went)(?: \w+)?|"
        r"through(?:out)? the (?:session|stint|run)|fall(?:s|ing)? off"),
    Term("rank", r"from (?:the )?(?:quickest|fastest|best|slowest)(?! to)|(?:fastest|quickest) first|"
                r"(?<=slowest )first|"
                r"rank(?:ed|ing)?|sort(?:ed)?|in order(?: of \w+)?|"
                r"(?:from )?(?:fastest|best|quickest) to (?:slowest|worst)"),
    Term("most", r"largest|top|max(?:imum|imal)?|"
        r"highest|peak|most|biggest|fastest|quickest|hottest|hardest|greatest|"
        r"longest|latest|strongest|best|higher|more|later|deepest|"
        r"(?:how|get|gets|got|getting|too) (?:hot|warm)|warmest|up to|"
        r"(?:peak|max|top)(?:p?ed|p?ing|es|s)(?: out)?(?: at)?(?= |$)"),
    Term("least", r"min(?:imum|imal)?|lowest|least|slowest|smallest|fewest|softest|coldest|coolest|earliest|"
                 r"weakest|shortest|tightest|worst|low|slow|rubbish|terrible|awful|poor|bad"),
    Term("total", r"in total|total|altogether|in all|sum"),
    Term("each", r"each|every|list|all|per|by|show me all|one by one|across|for all|them all|rank(?:ed|"
                r"ing)?|sorted?"),
)  # fmt: skip

_BEST = r"(?:best|fastest|quickest)"
# Laps that are named by what they were.
LAPS: tuple[Term, ...] = (
    Term(
        "best",
        rf"(?:my |the )?(?:(?:personal|session) )?(?:{_BEST}|hot|fast|quick|purple) (?:flying )?"
        r"(?:lap|laps|one|laptimes?|time)(?= )(?! here)|"
        r"(?:the |my )?(?<!first )(?<!last )(?<!second )(?:flyer|hotlap|pb|personal best)|"
        r"(?:my|the) best(?= ?(?: in| on| at|$|\?| $| lap| than| was| so| and| vs))",
    ),
    Term("worst", r"(?:my |the )?(?:worst|slowest|slow|bad) (?:lap|laps|laptimes?|one|time)"),
    Term(
        "last",
        r"(?:my |the )?(?:last|final|latest|most recent) "
        r"(?:(?:flying|proper|full|real|timed|complete|decent|hot) )?(?:lap|one|flyer)",
    ),
    Term(
        "first",
        r"(?:my |the )?(?:first|opening|1st) (?:(?:flying|proper|full|timed|hot) )?(?:lap|one|flyer)",
    ),
    Term(
        "pace",
        r"(?:without|except(?: for)?|excluding|not counting|ignoring|(?:leav|tak)(?:e|ing) out|"
        r"drop(?:ping)?|remov(?:e|ing)|minus) (?:the |my )?(?:really )?"
        r"(?:slow|bad|worst|slowest|traffic|cool ?down)(?: laps| ones)?(?= )|"
        r"(?:at|on) (?:full |race )?pace|proper (?:fast |quick )?laps",
    ),
    Term("out", r"(?:my |the )?(?<!flat )(?:out ?laps?)"),
    Term(
        "in",
        r"(?:my |the )?(?:in|cool ?down) ?lap(?= )(?! times?)|"
        r"(?:my |the )(?:in|cool ?down) ?laps(?= )(?! times?)",
    ),
    Term("both", r"(?:my |the )?(?:both|2) (?:flying |timed )?laps"),
)
_ENDS = r"(?:slowest|fastest|quickest|tightest|best|worst|hardest|weakest|strongest)"
# What is to be found.
SEARCHED: tuple[Term, ...] = (
    Term(
        "lap",
        r"(?:which|what|on which|in which|whichever) (?:of my )?laps?(?= )(?! time)|"
        r"(?:(?:which|what) (?:was|is) )?(?:the )?lap (?:with|that had|(?:where|when)(?= (?:my|the)\b))(?= )|"
        r"(?:highest|best|top|fastest|lowest|slowest)(?= average| mean| avg)",
    ),
    Term(
        "corner",
        rf"(?:which|what) (?:\w+ )?(?:corners?|turns?|bends?)|any (?:corners?|turns?|bends?)|"
        rf"(?:most|least) \w+ (?:corners?|turns?)|{_ENDS} (?:corners?|turns?|bends?)|"
        r"(?:every|each|all|per|by|corner by) (?:the )?(?:corners?|turns?)|corner speeds|"
        r"(?:all|the) (?:corners|turns)|(?:corners?|turns?) (?:with|where|that)(?= )|zones?|"
        r"any (?:of (?:the |my )?)?(?:corners?|turns?|bends?)",
    ),
    Term(
        "sector",
        rf"(?:which|what|most|least) (?:\w+ )?(?:sector|split)|(?:each|every|per|by) (?:sector|split)|"
        rf"{_ENDS} (?:sector|split)s?",
    ),
    Term(
        "place",
        r"where(?:abouts|s)?|(?:what|which) (?:part|point|place|spot|bit|section)|"
        rf"{_ENDS} (?:part|point|place|bit|section|spot)",
    ),
)
# Of a place that is searched these words say which value is meant.
KEPT = rf"\b(?:{_ENDS}|each|every|all|by|per|speeds|most|least|highest|top|lowest|(?:in)?consistent)\b"

# What no source records, and why; a channel of such a name makes it a matter of the data again.
UNTOLD: tuple[Term, ...] = (
    Term("flags", r"(?:yellow |red |blue |black |white |green )?flags?|marshals?|safety car|red flagged"),
    Term("pit lane", r"how (?:long|wide) is the pit ?lane|length of the pit ?lane|pit ?lane (?:length|"
                     r"(?:speed )?limit)"),
    Term("weather", r"weather|(?:temps?|temperatures?|hot|warm|cold) (?:was it )?(?:outside|out there|"
        r"of the (?:air|track|road|surface))|rain(?:ed|ing|y|s)?|wet|dry|damp|wind(?:y)?|humidity|sunny|"
        r"cloud\w*|drizzl\w*|(?:was|is) it (?:too )?(?:hot|cold|warm)|"
        r"(?:air|ambient|outside|track|asphalt|tarmac|surface|road) ?(?:temps?|"
        r"temperatures?)|how (?:hot|cold|warm) was it"),
    Term("tyres", r"(?:tyres?|tires?)(?: (?:temps?|temperatures?|pressures?|wear|deg\w*|sets?))*|rubber"),
    Term("brake temperature", r"(?:hot|warm|cold|cool) .*?\bbrakes(?: get| got)?|"
        r"brakes? (?:\w+ ){0,2}?(?:hot|warm|overheat\w*|cook\w*)|"
        r"brakes? (?:disc |disk |rotor |pad )?(?:temps?|temperatures?|fade)|(?:rotor|disc|pad) temps?|"
        r"brake pads?"),
    Term("wheel speeds", r"lock(?:ed|ing|s)? ?ups?|lockups?|(?:i|we|it|wheels?) lock(?:ed|ing)|"
        r"(?:lock(?:ed|ing|s)?|spin|spun) (?:\w+ ){0,2}?"
                        r"(?:wheels?|fronts?|rears?|brakes)|wheel ?(?:spin\w*|speeds?|slip)|flat ?spot\w*"),
    Term("fuel", r"fuel\w*|petrol|gasoline|litres|gallons"),
    Term("other cars", r"slow(?:er)? cars?|in the (?:whole )?world|formula (?:1|one)|f1|traffic|"
                       r"overt(?:ake|akes|ook|aken|"
                       r"aking)|opponents?|rivals?|racing with|"
        r"other (?:cars?|drivers?|karts?|guys?)|"
        r"(?:cars?|someone|anyone|anybody|guy) (?:ahead|behind|in front)|"
        r"pass(?:ed)? (?:anyone|someone|anybody|cars?)|"
        r"(?:was|were|did) .*?\b(?:held up|blocked|block me|hold me up)|blue car|"
        r"gap to (?:the )?(?:car|leader|guy)|who (?:was|were) (?:i|we) \w+ with|"
        r"who (?:else )?(?:was|were) (?:\w+ )?(?:on (?:the )?track|out there|behind|ahead|in front)|"
        r"(?:how many|any) (?:other )?(?:cars|karts|people|others)\b.*\b"
        r"(?:on (?:the )?track|out there|around me)"),
    Term("result", r"(?:what|which) (?:position|place|grid)\b|position did|finish(?:ing)? position|"
        r"did i (?:win(?! (?:time|back|most|against|over|at|in|on)\b)|finish|qualify)|"
        r"who (?:won|was|is|finished) ?(?:first|second|third|last|the race)?$|(?:won|win|lost) the race|"
        r"podium|championship(?: points)?|qualif\w+|grid|p[1-9]\b(?= |$)"),
    Term("penalties", r"penalt(?:y|ies)|track limits?|black flag"),
    Term("body", r"heart ?(?:rate|beat)|pulse|bpm|hydration|blood|calories|tired"),
    Term("clutch", r"clutch\w*"),
    Term("differential", r"diff(?:erential)? (?:temps?|lock|temperature)|gearbox (?:temps?|temperature|"
                        r"oil)|transmission temps?"),
    Term("power", r"horse ?power|bhp|torque|how much power|hp|kw|boost|turbo"),
    Term("driving aids", r"(?:traction|stability|launch) control|tc|abs|esp|dsc"),
    Term("suspension", r"(?:what|how) (?:did|do|does|is|was|were) (?:\w+ ){0,2}?(?:suspension|dampers?|"
        r"shocks?|springs?)(?! (?:too|feel)|\w)|suspension travel|damper (?:speeds?|travel|position)|"
        r"ride ?heights?|wheel loads?|downforce|aero"),
    Term("battery", r"battery|voltage|volts?|alternator"),
    Term("contact", r"contact|did i hit (?:anyone|someone|anything|a car)|damage"),
    Term("drawing", r"(?:show|draw|give|print|see|open) (?:\w+ ){0,4}?(?:traces?|graphs?|charts?)|"
        r"(?:throttle|brake|speed|steering) (?:traces?|graphs?)|"
        r"plot(?:ted)?|diagram|csv|excel|spreadsheet|histogram|heat ?map"),
    Term("turn in", r"(?:when|where|how (?:early|late|soon)|too|same) (?:\w+ ){0,4}?"
        r"turn(?:ing)? ?in\b(?! speed)|"
        r"turn ?in (?:points?|marks?|markers?|places?|(?:\w+ )?(?:early|late|earlier|later|sooner)\b)"),
    Term("video", r"video|camera|footage|photo"),
    Term("good times", r"(?:good|decent|competitive|respectable|reasonable|realistic) (?:lap ?)?times? "
                      r"(?:for|here|at|on|around)\b(?! me\b)|"
                      r"(?<=a )(?:good|decent|competitive|respectable) (?:lap ?)?time(?= *$)|"
                      r"(?:is|was) (?:that|this|it) (?:a |any )?(?:good|decent|normal|ok|okay|competitive|"
                      r"respectable)(?: (?:lap|time|pace|one))?(?= *$)"),
    Term("air fuel", r"lambda|afr|air fuel|exhaust|egt|knock"),
)  # fmt: skip

# Sessions other than the one that is asked about.
SESSIONS: tuple[Term, ...] = (
    Term("previous", r"(?:was|were) (?:i|we) last (?:here|on (?:this|the) track)|(?:the |my |a |our "
                     r")?(?:previous|prior|last|earlier) (?:session|outing|run|visit|"
        r"event|trip|weekend|day here)(?! best)|(?:the )?(?:session|outing|run|time|day) before|"
        r"last time(?: here| out| around| i was here)?|the one before this session|before this session|"
        r"previous one"),
    Term("other", r"(?:the |my |that |an? )?other (?:\w+ )?"
        r"(?:session|outing|run|visit|drive|recording|day)\b"),
    Term("first", r"(?:the |my )?(?:very )?first (?:ever )?(?:session|visit|outing|day here|time here)(?! "
                  r"lap)"),
    Term("yesterday", r"yesterday"),
    Term("morning", r"(?:since )?(?:this |the )?morning"),
    Term("afternoon", r"(?:this |the )?afternoon"),
    Term("today", r"today"),
    Term("week", r"last week(?:end)?"),
    Term("month", r"last month"),
    Term("year", r"last (?:year|season)"),
    Term("all", r"(?:all|every|each|other|earlier|my|any other|different|previous) (?:my |"
        r"the )?(?:other )?(?:sessions|days|visits|outings|events)|(?:which|what) (?:session|outing|visit)|"
        r"(?:which|what) day(?= (?:was|had|did)\b)|(?:best|fastest|quickest) day(?= |$)|"
        r"how (?:many|often) (?:sessions?|outings|visits|days|"
        r"times have i (?:been|driven))(?: (?:have|did) i (?:done|do|had|driven|drive))?|"
        r"(?:the |my |track |lap )record(?: here)?|all time|(?<=best )ever|(?<=lap )ever|(?<=speed )ever|"
        r"(?<=time )ever|ever(?= *$)|(?:my |the )?last \d{1,2} (?:sessions|visits|outings|days)|so far "
        r"here|across sessions|ever(?= (?:been|here|driven|recorded|done|gone)\b)|"
        r"(?:beat|beaten|broke|break|set) (?:\w+ ){0,2}?(?:pb|personal best|record)|"
        r"over (?:the )?sessions|session (?:by|to|vs|versus|over) session|day (?:by|to|vs|over) day"),
    Term("drivers", r"(?:other |which |the |who )?drivers?\b|"
        r"who(?= (?:had|has) (?:the )?(?:best|fastest|quickest|highest|latest|lowest|most)\b)|"
        r"who(?: was| is|s)? (?:\w+ )?(?:faster|quicker|fastest|quickest|slower)|"
        r"(?:me|i) (?:or|vs|versus|against|and) (?!(?:my|the|in|on|at|lap|turn|this|is|was|it|am|did)\b)"
        r"[a-z]+"),
    Term("cars", r"(?:which(?! cars? (?:(?:is|was|am|did|were) (?:i|it|this|that|we)\b|$))|other|different|"
                 r"the other|another|my other|both) cars?|cars\b|vehicles?"),
)  # fmt: skip

THIS_SESSION = (
    r"all (?:day|session|morning|afternoon)(?: long)?|"
    r"(?:in |of |for |from )?(?:this|the|that|the whole|whole|entire|our|my) "
    r"(?:session|outing|run|stint|day|drive)"
)

# Beside the name of another session: whether it is compared with this one, not asked about alone.
BESIDE = (
    r"since|faster|quicker|slower|later|earlier|sooner|higher|lower|hotter|harder|more|less|better|worse|"
    r"improve\w*|improvement|progress\w*|gain\w*|los(?:e|es|ing|t)|loss|changed?|still|same|up on|down on|"
    r"different\w*|closer|further|beat|beaten"
)
# A limit that was passed is counted, or its time added up.
COUNTED = (
    r"how (?:many times|often)|number of times|(?:for )?how (?:long|much time)|how many (?:seconds|minutes)|"
    r"(?:what|which) (?:share|percent\w*|part|proportion)(?: of (?:the )?(?:time|lap|session))?|how much of"
)
# How gears are called.
GEARS = {f"{number}{end}": number for number in range(1, 9) for end in ("st", "nd", "rd", "th")} | dict(
    zip(word_list("first second third fourth fifth sixth seventh eighth"), range(1, 9), strict=True)
)
# Words that ask for advice, a cause or a feeling: figures alone do not answer them.
COACHING = (
    r"why|what happened|what ma(?:de|kes)|"
    r"what (?:was|is|did|do|am) (?:(?:i|it|do|doing) )*different(?:ly)?(?! between)|"
    r"how (?:can|could|do|should|would|might) (?:i|we) (?:\w+ )?(?:improve|get|go|find|gain|take|drive|"
    r"fix|stop|be|make)|(?:can|could) i (?:\w+ ){1,3}(?:later|earlier|sooner|harder|faster|more|less)|"
    r"(?:racing|driving|my) line\b|the line (?:in|into|through|thru|of)\b|"
    r"what should|should i|wrong|improve|improvement|advice|tips?|help|fix|better|feel(?:s|ing)?|"
    r"confiden\w+|scared|plan|too (?:early|late|hard|slow\w*|fast|much|little|soon|deep)|enough|"
    r"over ?(?:slow|brak|driv)\w*|suck(?:s|ed)?|stinks?|horrible|messy|a mess|crap|"
    r"brief|debrief|focus|work on|understeer\w*|oversteer\w*|balance|setup|set up|script|target|goal"
)
# What the coach said in the car.
SAID = (
    r"(?:did|have|had|were|was) (?:you|(?:the |my )?coach|pitwall) (?:\w+ )?(?:tell|told|say|said|"
    r"telling|talk\w*|speak|spoke\w*|saying|call|called|warn\w*)|"
    r"(?:last|first|latest) (?:call|callout|message)|"
    r"(?:(?:last|first|\w+) things? )?(?:you|(?:the |my )?coach|pitwall) (?:told|said|called|warned)|"
    r"(?:callouts?|calls|messages?|advice) (?:did|were|was) .*|"
    r"(?:do|did) i (?:\w+ )?(?:do|follow|listen|heed|obey|react|improve)\w* .*?(?:you (?:told|said|"
    r"asked)(?: me)?|you|told|said|advice|"
    r"callouts?|coach)|(?:do|did) i (?:listen|obey|react)(?= *$)|(?:was|am) i listening|heeded|listened to|"
    r"what was (?:said|called|i told)|how many callouts?|(?:list|show) .*?callouts|"
    r"(?:which|what) (?:of (?:the|your) )?(?:advice|callouts?|calls|tips?) (?:did|have) i (?:\w+ )?"
    r"(?:ignore\w*|heed\w*|follow\w*|miss\w*)|(?:did|have) i (?:ignore\w*|miss\w*) .*?(?:you|advice|"
    r"callouts?|calls)|"
    r"(?:how (?:many|much) |any )(?:tips?|warnings?|hints?|advice) (?:did|have) you .*|"
    r"(?:what|which) (?:of (?:the|your) )?(?:advice|callouts?|calls|tips?) (?:worked|helped|paid off)|"
    r"(?:was|were|is|did) (?:the|your|any of (?:the|your)) (?:advice|callouts?|calls|tips) (?:\w+ )*?"
    r"(?:good|help\w*|work\w*|useful|use|right|worth)|"
    r"(?:after|since|when) (?:you|the coach) (?:told|said)(?: (?:me|it|so))?"
)
# What the driver marked while he drove.
MARKED = (
    r"(?:did|have|had) i (?:ever )?(?:(?:press|push|tap|hit|touch)(?:ed)? )?(?:the )?"
    r"mark(?:ed|s)?(?: button)?(?! as )|"
    r"i (?:pressed|pushed|tapped|hit) (?:the )?mark(?: button)?|i marked(?! as )|(?:my|the) marks?|"
    r"marked (?:moments?|places?|laps?)|how many marks|any marks|(?:list|show|tell) .*?marks"
)
# Nothing is asked by these.
IDLE = frozenset(
    word_list(
        """a an the my mine me i im ive id you your we our us it its is are am was were be been being do does
        did doing done can could would will shall should may might must have has had having of in on at to
        from for with into onto out through thru over by as and or but so than then that this these those
        there here what whats which where when how who whose much many long if while just also too please
        pls plz mate chief coach hey hi ok okay well now again still about around round during within
        after before up down off per pass passes lap laps session sessions corner corners turn turns
        sector sectors track circuit course car kart run runs drive drove driving driven recording data
        show tell give list get got go went going carry carrying carried reach reached see need needs take
        takes taking make hit table compare compared comparison versus vs v against same similar any some
        anywhere somewhere point points part parts place places one ones number value figure overall total
        whole entire complete like ended end start beginning finish using use used think know let lets
        want wanna told say read look looking quick fast slow faster slower quicker higher lower later
        earlier sooner harder more less pull pulled pulling hold held ran record recorded stand not no yes
        dont didnt isnt keep kept time times m s d ll re ve right left lot bit far away near close least
        most best worst own self personal each every all between difference gap back first last next
        second other both two three even ever never always put together come came coming spend spent
        seconds vary anything something because since minus enough stay stayed staying metres meters feet
        yards become itself towards late signal sensor lowest highest hotter warmer cooler colder big
        small hows wheres whens u r ur at's hello thanks thank bring brought leave leaving exit exits
        entry entries apex apexes middle mid ending finished hard latest earliest set good bad great nice
        max min maximum minimum percent percentage changed change happened trace graph side gimme differ
        work stack stacks improving high pace cards they them matched match sat sit sitting parked waiting
        waited kinda sorta gonna gotta lemme dunno reckon guess suppose wonder wondering curious happen
        happens seem seems looks looked thing things stuff way kind sort quite pretty rather super little
        exact rough proper decent damn bloody hell boss buddy dude man question answer info stats details
        relative respect regards regarding concerning terms maybe perhaps however though although once yet
        anyway else already until till cant wont wasnt werent havent hasnt youre theyre sure day days hour
        find found makes made few everywhere everything nothing gone goes real basis bloke guys lads folks
        clear somehow somewhat sometimes often ask asking remind explain cheers alright today line
        improved flying timed cross crossing affect affected affects slip slipping slipped burn burned
        burnt heats heat warms begin try tried trying hope expect occur check saw seeing watch watched
        worked feel felt believe trust understand learn learnt knew known remember forget describe
        calculate compute estimate pushed pushing perform manage managed achieve produce deliver bother
        matter care worth spot spots range area areas deal style form amount amounts numbers stat
        measurement attempt attempts outing visit fine awful horrible solid strong correct true actual
        specific particular certain main major minor important interesting useful huge tiny massive alone
        lol haha omg wtf hmm uh um err erm ah oh wow tbh imo btw fyi asap cos cuz coz bc tho ya yea yeah
        yep nah nope yo sup uhm very instead along among ta thx ty whatever whichever whenever wherever
        bits gotten getting puts letting sets setting comes took given gives gave making says saying talk
        speak explained explains rated chance idea questions job wise alongside beside besides fact truth
        reason obvious clue legit absolute bunch couple loads lots plenty ton tons obv defo def idk lmk
        innit aint couldnt shouldnt wouldnt hadnt eh aye hiya past overview summary recap straight
        straights different their working such simple simply wish worry worried notice noticed appear
        appears happening wanted wants thinking thought tenth tenths hundredths choose chose pick
        picked picking pickup starting started beginning began result results shown showing shows current
        include includes including breakdown readout reading readings report picture effort foot boot
        hand hands dash display screen clock stopwatch gauge lean leaning leant squeeze squeezed
        squeezing stamp stamped stamping stomp step stepped stepping press pressed pressing apply
        applied applying build built building push mash mashing hammer hammering bury bang nail nailed
        throw threw throwing chuck dive diving attack attacking charge charging send sending sent rail
        railing dial tip crank cranking turned ish upto roughly basically literally supposed decide
        decided honest seemed totally sheet lines ability peek glance bringing treat hitting hits
        posted post log logged logs clocking managing youd itd ill youll theyd cook cooked cooking
        boil boiled boiling landed land bag bagged pulls holding carries rundown beat hiding
        hidden touch touched bigger smaller larger single stored saved share fraction convert converted"""
    )
)

# Words of these that stand for no field of a reading: the answer itself has to serve them.
SERVED = frozenset(
    word_list("corner corners turn turns bend bends earlier sooner again only except closest nearest")
)
SHARE = r"\b(?:percent|percentage|proportion|share|fraction)\b"
MOMENT = r"\b(?:at|by) the (?:very )?(?:end|start|beginning) (?:of|from|in) (?:the )?x(?:lap|sector)\b"
# Corners by a kind or a name that the track does not have.
UNNAMED = (
    r"(?:the |at |in |into |through )*(hairpin|chicane|esses|kink|dogleg|corkscrew|carousel|"
    r"parabolica|bus stop)|"
    r"(?:at|in|into|through|for|of) (?:the )?((?!this|that|each|every|which|all|what|any|a|one|my|per|"
    r"last|first|slow|slowest|"
    r"fast|fastest|quick|long|tight|same|next|left|right|best|worst|whole|your|hand|"
    r"mid)[a-z]{3,} (?:corner|bend|turn))(?! speed| in\b)"
)
# Slips in words that are too short to be mended by rule.
SLIPS = {
    "eachother": "each other",
    "evry": "every",
    "mutch": "much",
    "wher": "where",
    "wen": "when",
    "tiem": "time",
    "spd": "speed",
    "wost": "worst",
    "worse": "worst",
    "bst": "best",
    "brek": "brake",
    "break": "brake",
    "breaking": "braking",
    "breaks": "brakes",
    "wich": "which",
    "whch": "which",
    "wht": "what",
    "whens": "when was",
    "how'd": "how did",
    "howd": "how did",
    "what'd": "what did",
    "whatd": "what did",
    "fastst": "fastest",
    "lapp": "lap",
    "lapps": "laps",
    "tmes": "times",
    "hw": "how",
    "wat": "what",
    "waht": "what",
    "hwo": "how",
    "teh": "the",
    "befor": "before",
    "strait": "straight",
    "sped": "speed",
    "spead": "speed",
    "loosing": "losing",
    "spede": "speed",
    "tunr": "turn",
    "trun": "turn",
    "avarage": "average",
    "thottle": "throttle",
    "tryes": "tyres",
    "lpa": "lap",
    "lp": "lap",
    "ws": "was",
    "tge": "the",
    "tme": "time",
    "gaer": "gear",
    "secter": "sector",
    "laptme": "laptime",
    "cornor": "corner",
    "fatsest": "fastest",
    "bout": "about",
    "wots": "whats",
    "wot": "what",
    "wats": "whats",
    "m8": "mate",
    "sec": "seconds",
    "n": "and",
    "secs": "seconds",
    "abt": "about",
    "mins": "minutes",
    "hrs": "hours",
    "anchors": "brakes",
    "binders": "brakes",
    "picks": "brakes",
    "vmax": "top speed",
    "v max": "top speed",
    "miles per hour": "mph",
    "miles an hour": "mph",
    "kilometres per hour": "kmh",
    "kilometers per hour": "kmh",
    "km per hour": "kmh",
}

# A question that begins so, or has no more than a place or a lap, goes on with the one before.
FOLLOWS = (
    r"^(?:and|ok and|okay and|so|what about|how about|and what about|and how about|or|then|"
    r"same (?:for|in|at|on)|also|but|now|"
    r"without|except|excluding|ignoring|"
    r"what if|(?:just|only)(?: in| at| on)?|(?:in|at|on|with) (?:what|which|how)|"
    r"vs|versus|against|any (?:better|worse|worst|different|faster|slower|quicker)|"
    r"(?:(?:more|less|better|worse|faster|slower|higher|lower) )?than|compared? (?:it )?(?:to|with|against)|"
    r"and (?:for|in|on|at))\b"
)
# Units of a limit: what one of them is of the measure's own unit, and what they are of.
BOUND_UNITS: dict[str, tuple[float, tuple[str, ...]]] = {
    "kmh": (1 / 3.6, ("speed", "min_speed", "entry_speed", "exit_speed")),
    "kph": (1 / 3.6, ("speed", "min_speed", "entry_speed", "exit_speed")),
    "mph": (0.44704, ("speed", "min_speed", "entry_speed", "exit_speed")),
    "rpm": (1.0, ("rpm", "shift_rpm")), "revs": (1.0, ("rpm", "shift_rpm")),
    "bar": (1.0, ("brake_bar", "oil_bar")), "psi": (0.0689476, ("brake_bar", "oil_bar")),
    "g": (1.0, ("g_lat", "g_brake", "g_accel")), "gs": (1.0, ("g_lat", "g_brake", "g_accel")),
    "degrees": (1.0, ("coolant_c", "oil_temp_c", "steering_deg")), "c": (1.0, ("coolant_c", "oil_temp_c")),
    "celsius": (1.0, ("coolant_c", "oil_temp_c")), "fahrenheit": (1.0, ("coolant_c", "oil_temp_c")),
    "percent": (1.0, ("throttle",)), "m": (1.0, ("brake_m", "throttle_m")),
}  # fmt: skip
MONTHS = word_list("jan feb mar apr may jun jul aug sep oct nov dec")
_MONTH = rf"({'|'.join(f'{each}[a-z]*' for each in MONTHS)})"
# "The 17th of May (2025)", "May 17", "17/05/2025".
DATE = (
    rf"(?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?: (\d{{4}}))?|"
    rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: (\d{{4}}))?|"
    r"(?:the )?(\d{1,2})\.([01]?\d)\.?(\d{4})?(?= )"
)
UNITS: dict[str, tuple[Units, str]] = {
    # word: (its system, the measure that it is of)
    "mph": ("imperial", "speed"), "fahrenheit": ("imperial", "temp"), "psi": ("imperial", "pressure"),
    "feet": ("imperial", "length"), "ft": ("imperial", "length"), "miles": ("imperial",
    "far"), "yards": ("imperial", "length"),
    "kph": ("metric", "speed"), "kmh": ("metric", "speed"), "celsius": ("metric",
    "temp"), "centigrade": ("metric", "temp"),
    "bar": ("metric", "pressure"), "metres": ("metric", "length"), "meters": ("metric",
    "length"), "km": ("metric", "far"),
    "kilometres": ("metric", "far"), "kilometers": ("metric", "far"),
}  # fmt: skip
