"""The words by which drivers ask for a figure of a lap, a sector, a corner or a place.

The table is read from the top; patterns are regular expressions over plain words with one space between.
What a row takes is gone for those under it, so longer ways of saying it stand higher.
"""

from __future__ import annotations

from typing import NamedTuple

_BRAKING = r"brak(?:e|es|ed|ing)"
# "Where was my braking g highest" is no brake point.
# Laps that are alike in their times.
CLOSE = r"(?:most (?:consistent|steady|even|similar|regular)|closest(?: together)?|steadiest)"
_AT_ITS_END = r"(?:(?:was|is|were) )?(?:my|the) (?:[a-z]+ )+?(?:high|low|long|short|great)est\b"


class Term(NamedTuple):
    """What is meant, and how it is said."""

    meaning: str
    pattern: str


# Figures of a lap, a sector, a corner or a place.
MEASURES: tuple[Term, ...] = (
    Term("one_thing", r"(?:the |my )?(?:one|single|1|most important|main|number one) "
                     r"(?:(?:big|main|single|easy|important) )?(?:thing|change|tip)(?! (?:or|and)\b)"
                     r"(?: (?:(?:for me|that|which|i|we|you|to|should|could|can|must|need|needs|would|"
                     r"have|do|"
                     r"did|change|work|working|on|focus|fix|improve|next|now|tell|most|time)(?= |$) ?)+)?|"
                     r"what(?: is|s)? hold(?:s|ing)? me back(?: the)?(?: most)?|"
                     r"(?:fix|work on|improve|tackle|address|focus on|practi[sc]e) (?:the )?first|"
                     r"(?:fix|work on|change|improve|practi[sc]e|choose|pick) (?:only |just )*(?:one|1|a "
                     r"single) "
                     r"(?:corner|turn|thing)\b(?! at a time| or)(?: only)?(?: (?:which|what)(?: one)?"
                     r"(?: (?:would|should) (?:it|that|i) (?:be|choose|pick|do))?)?|"
                     r"(?:lowest|low)? ?hanging fruits?|eas(?:y|iest) (?:time|gain(?:s)?|win(?:s)?|fix|bit)|"
                     r"quick(?:est)? (?:win|gain)(?:s)?|"
                     r"(?:biggest|largest|main|best) (?:gain|win|opportunity|lever|potential)"
                     r"(?! (?:from|between|in|on|at|lap|over))"),
    Term("went_well", r"what (?:was|went|is going|has gone|did i (?:do|drive|get)) (?:really |so )?"
                      r"(?:well|right|good|positive)|"
                      r"(?:(?:tell|give) me |say )?(?:something|anything|one thing) (?:that (?:was|went) )?"
                      r"(?:good|well|positive|nice|encouraging)(?: (?:about (?:my driving|it|that)|please))?"
                      r"(?= *$)|what am i good at|(?:where|what) are my strengths|"
                      r"my strong (?:points|sides)"),
    Term("in_short", r"(?:(?:sum|summ\w+|wrap) (?:\w+ ){0,3}?(?:up )?)?"
                    r"(?:in|to|into|as) (?:just |only )?(?:a|one|1|2|two) (?:short )?(?:sentences?|lines?|"
                    r"words?|"
                    r"nutshell)|sum (?:it|that|this|everything|the \w+|my \w+) up|sum up (?:the |my |this "
                    r")?\w+|"
                    r"in short|(?:in )?a nutshell|tl ?dr|(?:the |a )?(?:short|quick|brief) (?:version|"
                    r"summary)|"
                    r"bottom line"),
    Term("improved", r"how much (?:\w+ )?(?:time )?"
                    r"(?:did|have) i (?:find|found|gained?|improved?|pick(?:ed)? up)|"
                    r"how much (?:faster|quicker|better) (?:did|have) i (?:get|got|gotten|become|go)|"
                    r"how much did i get (?:faster|quicker|better)|"
                    r"did (?:i|we|x\w+|(?:my|the) \w+) (?:improve|gain)(?: (?:the )?most)?|have i improved|"
                    r"what (?:has |have |did )?(?:i )?improved?(?!.* xsession)|"
                    r"most improved(?= \w)|"
                    r"(?:did|have) (?:i|we) (?:\w+ )?learn(?:ed|t)? (?:anything|something)"),
    Term("bests", r"(?:when|where|which xlap|what lap) (?:did|have) i (?:\w+ )?(?:plateau\w*|peak(?:ed)?|"
                 r"stop(?:ped)? (?:improving|getting (?:any )?(?:better|faster|quicker)))|"
                 r"(?:(?:did|have) i (?:stop(?:ped)?|keep|kept)|(?:was|were|am) i still) (?:on )?"
                 r"(?:improving|getting (?:any )?(?:better|faster|quicker))"
                 r"(?: (?:when|until|till) i stopped| (?:at|towards|in) the end)?|"
                 r"(?:how often|how many times) did i (?:improve|beat)(?: on)? (?:my )?(?:xlap|best)"),
    Term("driver", r"who (?:was |is |were )?(?:driving|drove|at the wheel|behind the wheel|in the car)|"
                  r"who(?: is| was)? the driver(?= *$)|who am i(?= *$)|(?:was|is) (?:it|this|that) me "
                  r"(?:driving|in the car|at the "
                  r"wheel)(?= *$)|"
                  r"who (?:set|did|drove|hold(?:s)?)(?= (?:it|that|this) *$)"),
    Term("fluke", r"flukes?|lucky|luck|one off|outlier|repeat (?:it|that)|do (?:it|that) again"),
    Term("alike", r"most different(?= (?:from|to|than))|least alike|"
                 r"2 most (?:alike|similar|identical)(?: laps)?|"
                 r"differ(?:s|ed)? (?:the )?most(?= from)|"
                 r"2 laps(?= .*\b(?:alike|identical|similar))|"
                 r"(?:most |closest |very |how )?(?:alike|identical|similar|comparable)|"
                 r"(?:most|closest|least) like(?= )"),
    Term("clean", r"cleanest|tidiest|neatest|how clean|"
                 r"(?:xlap|which|it|one) (?:was |were |is )?(?:cleaner|tidier)|"
                 r"(?:fewest|least) (?:mistakes|errors)|"
                 r"(?:xlap|laps?|it|that|they) (?:was |were |are |a |really |any |all )*"
                 r"(?:clean|tidy|neat)(?: ones?| laps?)?(?= *$)|a clean (?:run|stint|session|drive)(?= )"),
    Term("messy", r"xlap (?:a )?(?:messy|scrappy|ragged|untidy|sloppy)(?: one| lap)?(?= *$)|"
                 r"most (?:mistakes|errors)|messiest|scrappiest|sloppiest|untidiest|most ragged"),
    Term("consecutive", r"(?:best|fastest|quickest) (?:run|streak|string) of \d laps?|"
                       r"(?:best|fastest|quickest) \d (?:consecutive|successive|back to back)(?: laps)?|"
                       r"(?:best|fastest|quickest)? ?\d (?:best )?laps in a row"),
    Term("steadiest", rf"(?:{CLOSE} \d(?: laps?)?|\d {CLOSE} laps?|\d laps? (?:\w+ ){{0,3}}?{CLOSE})"
                      r"(?: in a row)?"),
    Term("limiter", r"(?:(?:bounc|hit|sit|sat|run)\w* )?(?:(?:off|on|against|into|at) )?(?:the |my )?"
                   r"(?:rev ?)?limiter|over ?rev\w*|(?:the )?redline\w*"),
    Term("smooth", r"(?:un)?smooth(?:er|est|ly|ness)?|jerky|choppy|stabb(?:y|ing)|busy hands|"
                  r"corrections?|correct(?:ed)?(?= (?:the |my )?(?:steering|wheel))"),
    Term("brake_bar", r"how hard(?: (?:is|was) (?:it|that))?(?= *$)|"
                    r"how hard (?:\w+ ){0,8}?on (?:the |my )?brakes?|"
                    r"how much brakes?(?= (?:do|did|am|was|is|in|at|for)\b)|"
                    rf"{_BRAKING} (?:\w+ )?pressures?|hard (?:\w+ ){{0,3}}?(?:the |my )?brake pedal|"
                    r"pressure (?:(?!oil)\w+ ){0,6}?(?:brakes?|brake pedal)|"
                    r"(?:hard|harder|hardest|heaviest) on the brakes?|(?:hardest|heaviest) braked?(?= )"),
    Term("apart_m", r"(?:how (?:far|many (?:m|metres|meters|feet|yards))|(?:what is the )?distance)"
                   r"(?: (?:is|was) it)?"
                   r"(?= (?:from|between) (?:\w+ ){0,4}?xcorner (?:to|and) (?:\w+ ){0,4}?xcorner)"),
    # What lies between the pedals.
    Term("lift_m", r"lift ?(?:off)? (?:points?|marks?|places?)"),
    Term("lifts", r"how (?:often|many times) (?:\w+ ){0,4}?(?:lift\w*(?: off)?|off "
                 r"(?:the |of )?(?:full )?(?:throttle|gas|power))|(?:how many|number of) lifts"),
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
    Term("up_to_speed", r"up to speed|(?<=to )get (?:quick|fast|going)(?= *$)|warmed up|into it|"
                       r"in(?:to)? (?:the|my|a) (?:groove|stride|swing|rhythm)|"
                       r"found my (?:rhythm|feet)|going properly|"
                       r"(?:till|until|before) i was (?:xlap|quick|fast)"),
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
    Term("when", r"how old (?:is|are) (?:this|the|that|these)(?: (?:data|session|recording|one))?"),
    Term("source", r"(?:what|who|which \w+) recorded (?:this|it|that|the session|these)|"
                  r"(?:what|which) (?:device|logger|box|app|file|programm?e?|system|hardware|unit|format|"
                  r"gps|receiver|"
                  r"software)(?: name)?(?: (?:is|was|did|were|am|has|had) (?:this|it|that|we|i|you|the|used|"
                  r"recorded)(?: (?:from|recorded|use|used|record|data|in|with|on|by|recording|"
                  r"come))*)?(?= *$)|"
                  r"where (?:is|was|does|did) (?:this|the) (?:data|recording|file|session) (?:come )?from|"
                  r"(?:recorded|logged) (?:with|by|on)|(?:file|data) format|(?:kind|type|sort) of (?:file|"
                  r"data|recording|format)(?: (?:is|was) (?:this|it|that))?(?= *$)|(?:name of the|"
                  r"what is the) "
                  r"file(?: name)?"),
    Term("channels", r"what (?:can|do) you see(?= *$| in\b)(?: in (?:my|the|this) (?:data|recording))?|"
                    r"what (?:else )?(?:was|were|is|isnt|wasnt|did you|do you|have you|has been|data was|"
                    r"data is|data do you)(?: (?:all|not|actually|got|have))* (?:recorded|record|recording|"
                    r"logged|measured|log|data)(?: for this)?|"
                    r"what (?:data|signals|info) (?:is there|do (?:you|we|i) have|have (?:you|we) got|are "
                    r"there|"
                    r"was there)|what(?: is|s)? in (?:this|the) (?:recording|data|file|log)|"
                    r"what(?: is| was|s)? missing (?:in|from) (?:this|the|my) (?:recording|data|session|"
                    r"file|log)|"
                    r"what (?:have|do|did) you (?:got|have|get) (?:on|about|from) (?:me|this|it)|"
                    r"(?:what|anything|something)(?: (?:else|that|you))* (?:cant|can not|couldnt|dont|"
                    r"didnt|do not|"
                    r"did not)(?: you)? (?:tell|know|see|measure|have|record|log|get)\b(?: \w+)*"),
    Term("recorded", r"(?:did|have) (?:you|we|it) (?:record|log|measure|capture|recorded|logged)"
                    r"(?= \w)(?! (?:the |my )?x(?:lap|session))"),
    Term("recorded", r"(?:is|are|was|were|have we|do we have|do you have|did you|have you got|got)"
                    r"(?: there| you| it)?(?: any| got)?"
                    r"(?= \w+(?: \w+){0,2} (?:data|signals?|sensors?|channels?|"
                    r"recorded|available))|recorded|available"),
    Term("upshifts", r"(?:how (?:many|often)|number of) (?:\w+ ){0,3}?(?:up ?shift(?:s|ed)?|"
                    r"(?:shift|change)(?:s|ed|d)? up)|up ?shifts"),
    Term("downshifts", r"(?:how (?:many|often)|number of) (?:\w+ ){0,3}?(?:shift|change)(?:s|ed|d)? down|"
                      r"(?:(?:how (?:many|often)|number of) (?:\w+ ){0,3}?)?down ?shift(?:s|ing|ed)?"),
    Term("shift_rpm", r"(?<=my )(?:up)?shift(?:ing|s)(?= *$| chang| get| got)|"
        r"shift(?:ing)? points?|(?:revs?|rpms?) .*?\b(?:shift|upshift|change up)\w*|"
        r"(?:do|did|am|was|have) i (?:up)?shift(?:ing|ed)?(?: up)?(?= (?:earl|late|soon))|"
        r"when shift i|(?:when|where|what) (?:\w+ )??(?:do|did|should|can|must|shall|am) i "
        r"(?:be |have to |need to )?(?:up)?(?:shift|change up|"
        r"change gear|(?<!what did i )(?<!what should i )change(?= *$))\w*|"
        r"(?:shift|upshift|change up)\w*(?: up)? (?:at )?(?:what |which )?(?:revs?|rpms?)|"
        r"(?:am|was) i short shifting|short shift\w*|up ?shift(?:s|ing|ed)?|"
        r"(?:shifts?|gear changes?|shifting|changing (?:up|gear)) (?:\w+ ){0,3}?"
        r"too (?:early|late|soon|low|high)|"
        r"(?:early|late)(?:st)? (?:shifts?|gear changes?)|"
        r"(?:gear changes?|(?:up)?shifts?)(?= (?:\w+ ){0,3}?(?:earli|lat)est)"),
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
        r"to )*(?:the )?(?:throttle|gas|power) (?:again|points?|pick ?up|application|"
        r"on(?! x\w+| the | my | this )|down|later|earlier|sooner|early|late)|"
        r"(?:back |get |got |getting |go |pick |picking |open |opening )+(?:up |on |onto |to |in )*(?:the |"
        r"my )?(?:throttle|gas|power)"),
    Term("throttle", r"throttle(?: position| pedal){0,2}|accelerator(?: pedal)?|gas(?: pedal)?"),
    Term("brake_bar", rf"(?:biggest|hardest|heaviest) stop|how much brakes?(?= )(?! pressure)|"
        rf"{_BRAKING} (?:\w+ ){{0,4}}?(?:hardest|heaviest|most|harder|heavier)\b(?! point)|"
        r"(?:more|less|most|least) (?:brakes?|braking)(?: pressure)?(?= )(?! points?| marks?| zones?| time|"
        r" data)"),
    Term("brake_bar", rf"(?:heaviest|hardest|biggest|strongest|most) {_BRAKING}(?= zones?| corners?)"),
    Term("brake_far_m", rf"(?<=longest ){_BRAKING} zones?|(?<=shortest ){_BRAKING} zones?|"
        rf"{_BRAKING} (?:distances?|zone lengths?|lengths?)|"
        rf"(?:length|distance) of (?:the |my )?{_BRAKING}(?: zones?)?|how (?:long|far) (?:is|was|are|were) "
        rf"(?:the |my )?{_BRAKING} zones?|distance (?:\w+ )??(?:on the brakes|under {_BRAKING})"),
    Term("brake_far_m", rf"how many (?:metres|meters|feet|yards) (?:do|did|am) i "
                       rf"{_BRAKING}(?! (?:before|from(?! xlap)))"),
    Term("brake_time", rf"(?:{_BRAKING}|on the brakes?)(?= (?:for )?(?:the )?(?:longest|shortest))|"
        r"(?<=longest )on the brakes?"),
    Term("brake_m", rf"{_BRAKING}(?= (?:\w+ ){{0,3}}?same (?:spot|place|point))|"
        rf"how many (?:metres|meters|feet|yards) .*?\b{_BRAKING}|"
        r"how far (?:before|from|ahead of) (?:the )?(?:corner|turn|apex|bend)(?= (?:is|was) (?:that|it)\b)|"
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
    Term("brake_count", rf"{_BRAKING} (?:more|less) often|"
                       rf"how (?:many(?! (?:seconds|metres|meters|bars?|gs?|percent)\b)|often) .*?\b"
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
    Term("coast", r"coast(?:s|ed|ing)?(?: time)?(?: too (?:much|long))?"
                  r"(?: before (?:the )?(?:brakes|braking))?|off both pedals|"
                  r"(?:on )?(?:neither|no) pedals?|rolling"),
    Term("rpm", r"how high (?:\w+ ){0,4}?rev(?:s|ved|ving)?(?: the engine)?(?: to)?|"
        r"(?:engine )?(?:rpms?|revs?|revolutions)|revved|revving|engine speed"),
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
        r"(?: (?:get|run|go))?|(?:car|it) (?:\w+ )?(?:hotter|warmer|cooler)|"
        r"temps?|temperatures?|overheat\w*|(?:running|too) hot"),
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
                 r"(?:sectors|xsector) add\w* up(?: to)?|"
                 r"(?:with|from|of|using) (?:all )?(?:my |the )?best (?:\d )?(?:sectors|xsector)|"
                 r"(?:leave|left|leaving) (?:\w+ ){0,2}?on the table|"
                 r"how much (?:faster|quicker) (?:could|can) (?:i|we) (?:have )?(?:go|gone|be|been)"
                 r"(?= *$| (?:and|here|overall|then|in total|realistically|going)\b)|"
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
                     r"dropped)|how many (?:\w+ ){0,2}?laps(?: (?:\w+ )?count(?:ed)?(?= *$))?|"
                     r"how many lap(?= (?:did|do|have)\b| *$)|"
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
        r"(?:which|what) (?:way|direction) does(?= (?:the )?xcorner)"),
    Term("way_round", r"(?:(?<![\w,] )|(?<=and ))(?:which|what) (?:way|direction)(?: (?:round|around))?"
        r"(?: (?:do|does|did|is|was|were|are|am) (?:it|that|this|we|i|they|you|(?:the |this )?(?:track|"
        r"lap|circuit)))?"
        r"(?: (?:go|going|run|drive|driving|driven|round|around))*(?= *$)|"
        r"direction of (?:the |this )?(?:track|circuit|lap|travel)|(?:track|driving) direction|"
        r"(?:anti|counter)? ?clockwise(?: or (?:(?:anti|counter) ?)?(?:clockwise)?)?"),
    Term("sector_count", r"how many (?:sectors|splits|xsector)|number of (?:sectors|xsector)"),
    Term("car", r"(?:what|which) (?:car|kart|bike) (?:it|this|that) (?:is|was)|"
                r"(?:what|which) (?:car|kart|vehicle|bike|motorbike)(?: (?:is|was|were|am|did) (?:this|it|"
                r"that|i|we)"
               r"(?: (?:driv\w+|drove|in|using|on|with))?)?(?= *$)|"
               r"what (?:was|am|were) (?:i|we) driving(?= *$| (?:on|there|then|at)\b)|"
               r"(?:make|model|type|kind) of (?:the |my |this )?(?:car|kart|bike)(?= *$)|"
               r"what(?: is| was|s)? (?:the|my) (?:car|kart|vehicle|bike)(?: called)?(?= *$)"),
    Term("track", r"(?:what|which) (?:track|circuit|course|venue)(?: (?:is|was|were|am|did) (?:this|it|"
                  r"that|i|we)"
                 r"(?: (?:driv\w+|drove|on|at))?)?(?= *$)|where (?:is this|was i driving|"
                 r"did i drive|"
                 r"did we drive|were we(?: driving)?)(?= *$)|"
                 r"(?:name of|whats|what is) (?:the|this) (?:track|circuit)(?: called| name)?(?= *$)"),
    Term("track_km", r"how long(?: is| was)? (?:the|this) (?:track|circuit|lap)\b|"
        r"(?:track|circuit|lap) length|"
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
        r"costs|costing|giving away|leaving)(?: (?:the )?(?:most )?(?:time|speed))?|time loss|"
        r"slow(?:est)? compared|"
        r"(?:my |the |most of (?:my |the )?)time (?:is |am i )?(?:going|go|goes|went|gone|disappear\w*)|"
        r"(?:do|did|am|was) i (?:\w+ )?(?:suck\w*|struggl\w*|useless|hopeless|pants|shit|crap)"
        r"(?: (?:the )?(?:most|worst))?|(?:go|goes|going|went|gone) (?:south|pear shaped|to pot)|"
        r"giv(?:e|es|ing) away|(?:(?<=corner )|(?<=corner is )|(?<=turn )|(?<=turn is ))to blame|(?<=i "
        r")(?:go|going|went) "
        r"wrong|scrub(?:bed|bing|s)?(?: off)?|bleed(?:ing)?|wast(?:e|ed|"
        r"ing)|"
        r"thrown? away|throwing away|"
        r"worst(?= (?:(?:corner|turn|bend)s?|at|in)\b)|weakest(?! sector| split)|weak (?:spots?|points?)|"
        r"weakness(?:es)?|"
        r"(?<=where )(?:can|could|should|do|would) i (?:\w+ ){0,2}?(?:improve|better|faster|quicker)|"
        r"(?:biggest |largest |most )(?:chunk|part|bit|slice|lump|share) of (?:the |my )?time|"
        r"(?:biggest |main |worst |largest )(?:problems?|issues?|(?:single )?things?"
        r"(?= (?:\w+ ){0,4}?(?:work|improve|fix|better|change|hold)))|"
        r"ma(?:de|ke|king) (?:up )?(?:(?:the|my|all|most|of) )*time|"
        r"(?:find|gain|save|pick up|shave|knock|cut)(?: off)? (?:\w+ ){0,3}?(?:time|tenths?|seconds?)\b"),
    Term("delta", r"how far (?:from|off|away from)(?= (?:\w+ )?xlap)|delta|"
                  r"difference|diff|gap|margin|separates?|"
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
