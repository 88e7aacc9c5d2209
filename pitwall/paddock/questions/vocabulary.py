"""The words by which drivers ask: which of a figure's values, when, and what no data tells.

Each table is read from the top; patterns are regular expressions over plain words with one space between.
What a row takes is gone for those under it, so longer ways of saying it stand higher.
"""

from __future__ import annotations

from pitwall.ask.question_words import word_list
from pitwall.paddock.questions.figure_words import Term
from pitwall.words.units import Shown

# A lap, a corner, a sector or a session that was read already stands as one of these words.
LAP, CORNER, SECTOR, SESSION = "xlap", "xcorner", "xsector", "xsession"
# Which of a figure's values.
WHICH: tuple[Term, ...] = (
    Term("median", r"median"),
    Term("mean", r"averages?|averaged|avg|ave|mean|typical(?:ly)?|usual(?:ly)?|normal(?:ly)?|on average"),
    Term("spread", r"how wide(?= (?:is|was|are|were) )|"
        r"(?:not (?:so |very |that |too |really )?)?(?:in)?consisten(?:t|cy|tly)|spread|range of|"
        r"how far apart|far apart|"
        r"var(?:y|ies|ied|iation|iance|iable)|how close|closer? together|steady|steadiest|repeatab\w+|"
        r"fluctuat\w+|stable|(?:more|most|less|least|how|very) even|scatter(?:ed)?|"
        r"standard deviation|std(?: ?dev)?|deviation|all over the place|regular|"
        r"the same(?= *$)|same (?:\w+ )??(?:every|each) (?:time|lap)|"
        r"(?:at |the )*same (?:spot|point|place|way)|"
        r"different(?:ly)? (?:\w+ )??(?:every|each)|all different|"
        r"(?:move|moving|jump|wander)(?:s|d|ed|ing)? (?:around|about)"),
    Term("trend", r"trend(?:s|ing)?(?: (?:up|down)(?:wards?)?)?|patterns?|develop\w*|evol\w+|"
        r"(?:did|does|has) (?:it|that|this) (?:\w+ )?chang\w+|"
                  r"(?:the|my) +doing(?= *$)|"
        r"(?:now )?than (?:i (?:did|was) )?(?:at |in )?(?:the )?(?:start|beginning)|"
        r"(?:now )?than (?:when i (?:started|began|went out)|(?:it|they) (?:was|were|used to be))(?= *$)|"
        r""
        r"(?:now )?than (?:at first|before|earlier|initially)(?= *$)|(?:getting|become|became) (?:more|less)|"
        r"getting(?= *$)|"
        r"mov(?:e|ed|ing)(?: (?:earlier|later|forwards?|back))?(?= *$)|"
        r"(?:go|goes|going|went|gone|come|coming|came) (?:up|down)(?! to\b)|"
        r"(?:at|by|towards) the end(?! (?:of|from|in) (?:the )?(?:lap|x|turn|it|that)|"
        r" (?:of )?the (?:\w+ )?(?:lap|x|straight|corner|turn))|climb\w*|"
        r"ris(?:e|es|ing)|rose|drop(?:s|ped|ping)?(?: off)?|"
        r"fad(?:e|es|ed|ing)|keep \w+ing|creep\w*|(?:start|beginning) (?:\w+ ){1,3}?(?:end|finish)|"
        r"(?:getting|get|got|gotten|become|becoming|went|go|going) (?:any )?(?:faster|slower|quicker|hotter|"
        r"worst|better|warmer)|slow(?:ed|ing)? down(?! for| in(?! xlap)| at| to| x(?!lap))|"
        r"(?:getting|get|got) (?:any )?(?:higher|lower|longer|shorter|weaker|softer|later|earlier|sooner|"
        r"harder)(?: or (?:later|earlier|sooner|better|worst|faster|slower))?|over time|"
        r"over the (?:\w+ )?(?:session|stint|run|day|laps)|"
        r"as (?:the )?\w+ (?:heats?|warms?|wears?|goes|went)(?: \w+)?|"
        r"through(?:out)? the (?:session|stint|run)|fall(?:s|ing)? off"),
    Term("rank", r"from (?:the )?(?:quickest|fastest|best|slowest)(?! to)|(?:fastest|quickest) first|"
                r"(?<=slowest )first|"
                r"rank(?:ed|ing)?|sort(?:ed)?|in order(?: of \w+|(?= (?:of|by|from)\b))|"
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
    Term(
        "pace",
        r"(?:without|except(?: for)?|excluding|not counting|ignoring|(?:leav|tak)(?:e|ing) out|"
        r"drop(?:ping)?|remov(?:e|ing)|minus) (?:the |my )?(?:really )?"
        r"(?:slow|bad|worst|slowest|traffic|cool ?down)(?: laps| ones)?(?= )|"
        r"(?:at|on) (?:full |race )?pace|proper (?:fast |quick )?laps",
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
        r"where(?:abouts|s)?|(?<=and )the (?:corner|turn|place|spot)(?= *$)|"
        r"(?:what|which) (?:part|point|place|spot|bit|section)|"
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
        r"who (?:else )?(?:was|were) (?:\w+ )?(?:on (?:the )?track|out there|behind(?! the wheel)|ahead|"
        r"in front)|"
        r"(?:how many|any) (?:other )?(?:cars|karts|people|others)\b.*\b"
        r"(?:on (?:the )?track|out there|around me)"),
    Term("result", r"(?:what|which) (?:position|place|grid)\b|position did|finish(?:ing)? position|"
        r"did i (?:win(?! (?:time|back|most|against|over|at|in|on)\b)|finish|qualify)|"
        r"who (?:won|was|is|finished) ?(?:first|second|third|last|the race)?$|(?:won|win|lost) the race|"
        r"podium|championship(?: points)?|qualif\w+|grid|p[1-9]\b(?= |$)"),
    Term("penalties", r"penalt(?:y|ies)|track limits?|black flag"),
    Term("body", r"heart ?(?:rate|beat)|pulse|bpm|hydration|blood|calories|tired"),
    Term("brake release", r"(?:where|when) (?:\w+ ){0,4}?off (?:of )?the brakes?|off (?:of )?the brakes? "
        r"(?:any )?(?:too )?(?:early|late|soon)(?:er|r)?|(?:brake|braking) release(?: points?)?"),
    Term("missed gears", r"miss(?:ed|ing)? (?:\w+ ){0,2}?(?:gears?|shifts?|gear ?changes?)|money shift\w*|"
        r"(?:grind|crunch|ground)\w* (?:\w+ ){0,2}?gears?"),
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
        r"(?:throttle|brake|speed|steering)(?: pressure| angle| pedal)? (?:traces?|graphs?)|"
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

WEEKDAYS = word_list("monday tuesday wednesday thursday friday saturday sunday")
# Sessions other than the one that is asked about.
SESSIONS: tuple[Term, ...] = (
    Term("previous", r"(?:was|were) (?:i|we) last (?:here|on (?:this|the) track)|(?:the |my |a |our "
                     r")?(?:previous|prior|last|earlier) (?:session|outing|run|visit|"
        r"event|trip|weekend|day here)(?! best)|(?:the )?(?:session|outing|run|time|day) before|"
        r"last time(?: here| out| around| i was here)?|the one before this session|before this session|"
        r"(?:my |the )?(?:previous|earlier) one"),
    Term("other", r"(?:the |my |that |an? )?other (?:\w+ )?"
        r"(?:session|outing|run|visit|drive|recording|day)\b"),
    Term("first", r"(?:the |my )?(?:very )?first (?:ever )?(?:session|visit|outing|day here|time here)(?! "
                  r"lap)"),
    *(Term(f"weekday:{number}", f"{name}s?") for number, name in enumerate(WEEKDAYS)),
    Term("yesterday", r"yesterday"),
    Term("morning", r"(?:since )?(?:this |the )?morning"),
    Term("afternoon", r"(?:this |the )?afternoon"),
    Term("today", r"today"),
    Term("week", r"last week(?:end)?"),
    Term("month", r"last month"),
    Term("year", r"last (?:year|season)"),
    Term("all", r"(?:each|every) (?:session|outing|visit|day)|the sessions(?= compare)|"
        r"(?:all|every|each|other|earlier|my|any other|different|previous) (?:my |"
        r"the )?(?:other )?(?:sessions|days|visits|outings|events)|(?:which|what) (?:session|outing|visit)|"
        r"(?:which|what) day(?= (?:was|had|did)\b)|(?:best|fastest|quickest) day(?= |$)|"
        r"how (?:many|often) (?:sessions?|outings|visits|days|"
        r"times have i (?:been|driven))(?: (?:have|did) i (?:done|do|had|driven|drive))?|"
        r"(?:the |my |track |lap )record(?: here)?|all time|(?<=best )ever|(?<=lap )ever|(?<=speed )ever|"
        r"(?<=time )ever|(?<!did i )(?<!do i )(?<!have i )ever(?= *$)|"
        r"(?:my |the )?last \d{1,2} (?:sessions|visits|outings|days)|so far "
        r"here|across sessions|ever(?= (?:been|here|driven|recorded|done|gone)\b)|"
        r"(?:(?:beat|beaten|broke|break|set) (?:\w+ ){0,2}?|\ba (?:new )?)(?:pb|personal best|record)|"
        r"over (?:the )?sessions|session (?:by|to|vs|versus|over) session|day (?:by|to|vs|over) day"),
    Term("drivers", r"any ?(?:one|body)(?: else)?(?: has| had)?(?: ever)?"
        r"(?= (?:gone|done|been|driven|drove|went|did)\b)|"
        r"(?<!who )(?<!who is )(?<!who was )(?:other |which |the |who )?drivers?\b|"
        r"(?:who|whos)(?: got)?(?= (?:(?:had|has|holds|set|did) )?(?:the )?"
        r"(?:best|fastest|quickest|highest|latest|lowest|most)\b)|"
        r"(?:whos|who) (?:got|has|had|holds|set|did|drove)(?= (?:the )?xlap)|"
        r"who(?: was| is|s)? (?:\w+ )?(?:faster|quicker|fastest|quickest|slower)|"
        r"(?:me|i) (?:or|vs|versus|against|and) (?!(?:my|the|in|on|at|lap|turn|this|is|was|it|am|did|x\w+|"
        r"what|which|how|when|where|who|why)\b)"
        r"[a-z]+"),
    Term("cars", r"(?:which(?! cars? (?:(?:it|this|that) (?:is|was)|"
                 r"(?:is|was|am|did|were) (?:i|it|this|that|we)\b|$))|other|different|"
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
    r"why|how come|what(?: is| was|s)? the (?:reason|cause|problem)|what happened|what ma(?:de|"
    r"kes)|what (?:do|can|could|must) i (?:do|change) (?:about|with|for) "
    r"(?:it|that|them)(?= *$)|"
    r"what (?:was|is|did|do|am) (?:(?:i|it|do|doing) )*different(?:ly)?(?! between)|"
    r"how (?:can|could|do|should|would|might) (?:i|we) (?:\w+ )?(?:improve|get|go|find|gain|take|drive|"
    r"fix|stop|be|make|carry|keep|hold|sort|solve|cure|correct|avoid|change|do (?:that|it|this)(?= *$))\b|"
    r"what (?:was|is|made|makes) (?:so )?(?:good|bad|special) about (?:it|that|this)|"
    r"(?:can|could) i (?:\w+ ){1,3}(?:later|earlier|sooner|harder|faster|more|less)|"
    r"(?:racing|driving|my) line\b|the line (?:in|into|through|thru|of)\b|"
    r"what should|should i|wrong|improve|improvement|advice|tips?|help|fix|better|feel(?:s|ing)?|"
    r"confiden\w+|scared|plan|too (?:early|late|hard|slow\w*|fast|much|little|soon|deep)|enough|"
    r"over ?(?:slow|brak|driv)\w*|suck(?:s|ed)?|stinks?|horrible|messy|a mess|crap|"
    r"brief|debrief|focus|work on|understeer\w*|oversteer\w*|balance|setup|set up|script|target|goal"
)
# What the coach said in the car.
SAID = (
    r"(?:did|have|had|were|was) (?:you|(?:the |my )?coach|pitwall) (?:\w+ )?(?:tell|told|say|said|"
    r"telling|mention\w*|talk\w*|speak|spoke\w*|saying|call|called|warn\w*)|"
    r"(?:last|first|latest) (?:call|callout|message|tip|advice|hint|warning)|"
    r"(?:(?:last|first|\w+) things? )?(?:you|(?:the |my )?coach|pitwall) (?:told|said|called|warned)|"
    r"(?:callouts?|calls|messages?|advice) (?:did|were|was) .*|"
    r"(?:do|did) i (?:\w+ )?(?:do|follow|listen|heed|obey|react|improve)\w* .*?(?:you (?:told|said|"
    r"asked)(?: me)?|you|told|said|advice|"
    r"callouts?|coach)|(?:do|did) i (?:listen|obey|react)(?= *$)|(?:was|am) i listening|heeded|listened to|"
    r"what was (?:said|called|i told)|how many (?:callouts?|tips|hints|warnings)|(?:list|show) .*?callouts|"
    r"(?:which|what) (?:of (?:the|your) )?(?:advice|callouts?|calls|tips?) (?:did|have) i (?:\w+ )?"
    r"(?:ignore\w*|heed\w*|follow\w*|miss\w*)|(?:did|have) i (?:ignore\w*|miss\w*) .*?(?:you|advice|"
    r"callouts?|calls)|"
    r"(?:how (?:many|much) |any )(?:tips?|warnings?|hints?|advice) (?:did|have) you .*|"
    r"(?:what|which) (?:of (?:the|your) )?(?:advice|callouts?|calls|tips?) (?:worked|helped|paid off)|"
    r"(?:was|were|is|did) (?:the|your|any of (?:the|your)) (?:advice|callouts?|calls|tips) (?:\w+ )*?"
    r"(?:good|help\w*|work\w*|useful|use|right|worth|make|faster)|"
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
        """a an the my mine me i im ive id you your we our us it its is are am was were be been being do
        order does did doing done can could would will shall should may might must have has had having of
        in on at to from for with into onto out through thru over by as and or but so than then that this
        these those there here what whats which where when how who whose much many long if while just also
        too please
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
        reason cause obvious clue legit absolute bunch couple loads lots plenty ton tons obv defo def idk lmk
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
        hidden touch touched bigger smaller larger single stored saved share fraction convert converted
        weaker stronger longer shorter pair"""
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
    r"(?:the |at |in |into |through |thru )*(hairpin|chicane|esses|kink|dogleg|corkscrew|carousel|"
    r"parabolica|bus stop)|"
    r"(?:at|in|into|through|thru|for|of|before|after|from) (?:the )?"
    r"((?!the|this|that|each|every|which|all|what|any|a|one|my|per|"
    r"last|first|slow|slowest|"
    r"fast|fastest|quick|long|tight|same|next|left|right|best|worst|whole|your|hand|"
    r"mid)[a-z]{3,} (?:corner|bend|turn))(?! speed| in\b)"
)
# Slips in words that are too short to be mended by rule.
SLIPS = {
    "u": "you",
    "eachother": "each other",
    "evry": "every",
    "mutch": "much",
    "wher": "where",
    "wen": "when",
    "tiem": "time",
    "spd": "speed",
    "compair": "compare",
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
    r"^(?:and(?! (?:what (?:should|can|could|must)|how (?:do|can|could|should)) i "
    r"(?:work|focus|improve|get|go|be|do|practi[sc]e|concentrate)\b(?!.*\b(?:that|it|there|this)\b))|ok "
    r"and|okay and|so|what about|how about|and what about|and how about|or|then|"
    r"same (?:for|in|at|on)|also|but|now|"
    r"how far (?:before|from) (?:the )?\w+ (?:is|was) that|"
    r"how (?:does|do|did|would) (?:that|it|this|they|those) compare|"
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
    "knots": (1852 / 3600, ("speed", "min_speed", "entry_speed", "exit_speed")),
    "rpm": (1.0, ("rpm", "shift_rpm")), "revs": (1.0, ("rpm", "shift_rpm")),
    "bar": (1.0, ("brake_bar", "oil_bar")), "psi": (0.0689476, ("brake_bar", "oil_bar")),
    "g": (1.0, ("g_lat", "g_brake", "g_accel")), "gs": (1.0, ("g_lat", "g_brake", "g_accel")),
    "degrees": (1.0, ("coolant_c", "oil_temp_c", "steering_deg")), "c": (1.0, ("coolant_c", "oil_temp_c")),
    "celsius": (1.0, ("coolant_c", "oil_temp_c")), "fahrenheit": (1.0, ("coolant_c", "oil_temp_c")),
    "percent": (1.0, ("throttle",)), "m": (1.0, ("brake_m", "throttle_m")),
    "feet": (0.3048, ("brake_m", "throttle_m")),
    "ft": (0.3048, ("brake_m", "throttle_m")), "yards": (0.9144, ("brake_m", "throttle_m")),
}  # fmt: skip
MONTHS = word_list("jan feb mar apr may jun jul aug sep oct nov dec")
_MONTH = rf"({'|'.join(f'{each}[a-z]*' for each in MONTHS)})"
# "The 17th of May (2025)", "May 17", "17/05/2025".
DATE = (
    rf"(?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?: (\d{{4}}))?|"
    rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: (\d{{4}}))?|"
    r"(?:the )?(\d{1,2})\.([01]?\d)\.?(\d{4})?(?= )"
)
UNITS: dict[str, tuple[Shown, str]] = {
    # word: (its system, the measure that it is of)
    "mph": ("imperial", "speed"), "fahrenheit": ("imperial", "temp"), "psi": ("imperial", "pressure"),
    "feet": ("imperial", "length"), "ft": ("imperial", "length"), "miles": ("imperial",
    "far"), "yards": ("yards", "length"), "knots": ("nautical", "speed"),
    "kph": ("metric", "speed"), "kmh": ("metric", "speed"), "celsius": ("metric",
    "temp"), "centigrade": ("metric", "temp"),
    "bar": ("metric", "pressure"), "metres": ("metric", "length"), "meters": ("metric",
    "length"), "km": ("metric", "far"),
    "kilometres": ("metric", "far"), "kilometers": ("metric", "far"),
}  # fmt: skip
