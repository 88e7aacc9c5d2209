"""The German words and phrases of questions, and the English ones that the reader knows for them."""

from __future__ import annotations

# Phrases, before single words; the first that fits is taken. Patterns over plain words: no umlauts.
PHRASES: tuple[tuple[str, str], ...] = (
    (r"(\d+)\. ?(runde|sektor|kurve|gang)", r"\1th \2"),
    (r"([a-z]+)runden (\d)", r"\1 runden \2"),
    (r"wie ?viel (?:zeit )?fehlte? (?:mir )?(.*?) (?:auf|(?:bis )?zu[mr]?)", r"how far is \1 off"),
    (r"wie ?viel (?:zeit )?hat (.*?) auf (?:die|meine) (beste|schnellste)(?: runde)? verloren",
     r"how much slower was \1 than my \2 lap"),
    (r"(?:wie hoch|bis wohin|wie weit) ((?:(?!runden\b)[\w.]+ )*?)(?:ge)?dreh\w*(?: ich)?",
     r"how high rev \1"),
    (r"(?:wie weit|wie stark|wie ?viel) schlage? ich (.*?)ein\b", r"how far do i turn the wheel \1"),
    (r"was ist (?:denn )?mit", "what about"),
    (r"wie (?:sieht|schaut)(?:'s| es)? (?:(?:mit|bei) )?(.*?) ?aus(?=[ ?.!]*$)", r"what about \1"),
    (r"wie ?viel (?:ist|war|macht) das", "how much is that"),
    (r"wie (?:stark|sehr|viel) (?:schwankt|streut|variiert) (?:das|es)\b", "how much does that vary"),
    (r"wie werde? ich (?:(.*) )?schneller", r"how do i get faster \1"),
    (r"wie (?:stark|sehr|viel) (streu\w*|schwank\w*|variier\w*)", r"how much \1"),
    (r"was (?:habe?|mache?) ich (.*?)anders(?: gemacht)?", r"what did i do differently \1"),
    (r"was (?:ist|war) (.*?)anders", r"what was different \1"),
    (r"habe? ich aufgehort,? (?:mich zu verbessern|(?:schnell|bess)er zu werden)|"
     r"(?:wurde|bin) ich nicht mehr (?:schnell|bess)er(?: geworden)?", "did i stop improving"),
    (r"wurden? (mein\w* .*?)(besser|schlechter|schneller|langsamer|hoher|spater|fruher)(?=[ ?.!]*$)",
     r"did \1 get \2"),
    (r"was hat sich (.*?)verbessert", r"what improved \1"),
    (r"(?:am )?(?:konstant|gleichmassig|bestandig)e?ste\w*", "most consistent"),
    (r"(?:werde?|wurde|bin) ich (?:(.*) )?(schneller|langsamer)(?: geworden)?(?! als)",
     r"am i getting \2 \1"),
    (r"(runde \d+|runden (?:waren|sind)) (?:\w+ )?sauber(?! \w*fahr)", r"\1 clean"),
    (r"bin ich (.*\d.*) gefahren", r"did i drive \1"),
    (r"was wurde mir (.*?)(?:gesagt|angesagt)", r"what did you say \1"),
    (r"wie lang[e]? (?:ging|lief|dauerte|war|ist) (?:der|die|das|mein\w*) "
     r"(?:session|sitzung|turn|stint|ausfahrt)",
     "how long was the session"),
    (r"wie lang[e]? bin ich gefahren", "how long did i drive"),
    (r"auf keinem (?:der )?pedal\w*|auf gar keinem pedal", "on neither pedal"),
    (r"um wie ?viele?", "how much"),
    (r"(?:am )?sauberste\w*", "cleanest"),
    (r"(?:am )?unsauberste\w*", "messiest"),
    (r"was (?:war|ist) (.*)los", r"what happened \1"),
    (r"(?:am|auf) wievielte\w* (?:platz|stelle|rang)(?: (?:liegt|war|ist))?", "how was"),
    (r"(\w+) aufeinander ?folgende\w*|(\w+) runden (?:in folge|hintereinander)", r"\1\2 consecutive laps"),
    (r"(?:am )?(?:ungleichmassig|unkonstant|unbestandig)sten", "least consistent"),
    (r"(?:konstanter|gleichmassiger|bestandiger) (?:geworden|werde\w*)", "getting more consistent"),
    (r"konstanter|gleichmassiger|bestandiger", "more consistent"),
    (r"am stuck|ohne unterbrechung", "in one go"),
    (r"(?:sich )?(?:einander )?am (wenigsten )?ahnlichsten", r"most \1 alike"),
    (r"mini ?sektor\w*", "mini sector"),
    (r"durchfahrt", "pass"),
    (r"(?:runden|strecken)rekord", "lap record"),
    (r"gute nacht", "good night"),
    (r"wie ?viel(?= (?:(?:langsam|schnell|spat|fruh|hoh|bess)er|mehr|weniger)\b)", "how much"),
    (r"wie ?viel(?= \w+ ich\b)|"
     r"wie ?viel(?= \w*(?:druck|kraft|gas|tempo|speed|grip|beschleunigung|einschlag|winkel|zeit)\b)",
     "how much"),
    (r"wie ?viele?", "how many"),
    (r"wie viel zeit|wie lange", "how long"),
    (r"wie (?:hoch|gross|niedrig|tief) (?:war|waren|ist|sind)", "what was"),
    (r"wie (?:stark|fest|hart|kraftig)", "how hard"),
    (r"wie (?:gut|schlecht|lief|war|ist)\b", "how was"),
    (r"wie weit (?:vor|vorher)", "how far before"),
    (r"wo genau", "where"),
    (r"am (?:meisten|starksten|heftigsten|hartesten) (brems\w*|gebremst)", r"hardest \1"),
    (r"am (?:starksten|heftigsten|hartesten|festesten)", "hardest"),
    (r"am meisten", "most"),
    (r"am wenigsten", "least"),
    (r"(?:gegen|zum) (?:ende|schluss)(?: hin)?", "towards the end"),
    (r"am (?:nachsten|nahesten|dichtesten) (?:an|bei|zu)", "closest to"),
    (r"am ende", "at the end"),
    (r"am(?= \w+sten\b)", ""),
    (r"gibt es|gab es", "is there"),
    (r"am anfang|zu beginn|am start", "at the start"),
    (r"im (?:schnitt|durchschnitt|mittel)|durchschnittlich\w*", "average"),
    (r"im vergleich (?:zu|mit)\w*|verglichen mit|gegenuber|im gegensatz zu", "compared to"),
    (r"(?:von )?runde zu runde|runde fur runde|pro runde|je runde|in jeder runde|jede runde", "per lap"),
    (r"(?:in )?jede[rsnm]? kurve|pro kurve|je kurve|kurve fur kurve|alle kurven", "each corner"),
    (r"pro sektor|je sektor|sektor fur sektor|(?:in )?jede[rmn] sektor|nach sektoren", "by sector"),
    (r"die runde (?:davor|vorher|zuvor)|(?:in )?der runde davor|die (?:davor|vorherige)|"
     r"eine (?:davor|vorher)",
     "the lap before"),
    (r"die runde (?:danach|darauf)|(?:in )?der runde danach|die (?:danach|nachste) runde|"
     r"die danach", "the lap after"),
    (r"(?:auf|unter) vollgas|voll auf dem gas|gas(?:pedal)? (?:voll )?durchgetreten|mit vollgas|"
     r"voll(?:er)? gas|voll (?:auf|am|aufm|auf'm|auf m|drauf|durch)(?: gas)?(?!\w)|am anschlag",
     "full throttle"),
    (r"(?:wieder )?(?:ans|aufs|auf das|auf dem|an das|am|aufm) gas\b(?: gegangen| gehe)?|"
     r"gas geben", "back on the throttle"),
    (r"auf (?:die|der) bremse\b(?: gegangen| getreten)?", "on the brakes"),
    (r"geh\w* ich\b(.*?) (?:vom gas|vom pedal)", r"do i lift\1"),
    (r"vom gas|vom pedal", "off the throttle"),
    (r"(?:alle )?(?:meine )?besten sektoren (?:zusammen|aneinander)\w*", "put all best sectors together"),
    (r"in die eisen|auf den pinsel|in den anker", "on the brakes"),
    (r"wie geht'?s? (?:es )?dem motor", "how is the engine"),
    (r"zeit (?:\w+ )?(?:finden|find|holen|gut ?machen|sparen|rausholen|herausholen|gewinnen)", "find time"),
    (r"wieder (?:voll )?gas\b", "throttle again"),
    (r"(?:vom|aus dem) (\w+ten) in den (\w+ten)(?: gang)?", r"\1 to \2"),
    (r"^(?:und )?von(?= \d+[ ?]*$)", "and of"),
    (r"(?:rein|hinein)(?=[ ?.!]*$| und\b| oder\b)", "entry"),
    (r"(?:raus|heraus|hinaus)(?=[ ?.!]*$| und\b| oder\b)", "exit"),
    (r"hab\w* ich mich\b.*?\b((?:in|auf) (?:der |dem )?(?:sektor|kurve|\w*gerade|\d).*?) ?"
     r"(?:verbessert|gesteigert)",
     r"did i improve \1"),
    (r"hab\w* ich mich\b.*\b(?:verbessert|gesteigert)", "did i improve"),
    (r"(in|durch) die (zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|\d+[a-d]?)"
     r"(?!\.? ?(?:runde|sekunde|minute|sektor|gang)|\.)", r"\1 turn \2"),
    (r"in ordnung", "ok"),
    (r"in fuss\b", "in feet"),
    (r"in knoten\b", "in knots"),
    (r"(?:liegt|liegen|war) (?=dazwischen)", "is "),
    (r"von der strecke|neben der strecke|im kies|im gras", "off the track"),
    (r"linkskurven|linksecken", "left corners"),
    (r"rechtskurven|rechtsecken", "right corners"),
    (r"von (\d+) auf (?=\d)", r"from \1 to "),
    (r"(eingang|ausgang|scheitel|scheitelpunkt|in|vor|nach|durch|aus|bei) der "
     r"(zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|\d+[a-d]?)"
     r"(?!\.? ?(?:runde|sekunde|minute|sektor|gang)|\.)", r"\1 turn \2"),
    (r"(erste|zweite|letzte)[nr]? halfte", r"\1 half"),
    (r"war(?:en)? (?:das|es)(?= *[?.]*$)", "was that"),
    (r"wie (?:warm|heiss) (?:wurden|waren|sind|werden) (?:die|meine) bremsen", "brake temperature"),
    (r"auf (?=\d:\d\d)|(?<=\d:\d\d )er zeit\w*", ""),
    (r"(?:der|die|das) eine", "one"),
    (r"auf (?:der|die) gerade\w* (vor|nach)", r"on the straight \1"),
    (r"in der box|boxenstopp\w*|an der box", "pit stops"),
    (r"zu (heiss|warm|fruh|spat|langsam|schnell|hart|viel|wenig|weit)\b", r"too \1"),
    (r"start ?-? ?und ?-? ?ziel ?-? ?gerade[n]?|start ?-? ?ziel ?-? ?gerade[n]?", "main straight"),
    (r"auf (?:der )?start ?-? ?(?:und ?-? ?)?ziel", "on the main straight"),
    (r"(?:auf|an) (?:der|die) (?=(?:ziel|haupt|gegen)gerade)", "on the "),
    (r"was (?:hast|hat|habt) (?:du|der coach|pitwall)(.*?) (?:gesagt|angesagt|erzahlt|geraten)",
     r"what did you say\1"),
    (r"(?:hast|hattest) du (?:mir )?(.*?) (?:gesagt|angesagt)", r"did you say \1"),
    (r"sagst du", "do you say"),
    (r"habe? ich (.*?)(?:befolgt|umgesetzt|beherzigt|gehort)", r"did i follow \1 you told"),
    (r"sollte? ich", "should i"),
    (r"(?:woran|an was|was) (?:soll|sollte|muss|kann) ich (.*?)(?:arbeiten|uben|trainieren|verbessern)",
     r"what should i work on \1"),
    (r"(?:weiter|nachste[nrs]?) (?:runs?|stints?|turns?|sitzung|ausfahrt|session)", "next run"),
    (r"als nachstes", "next"),
    (r"(?:letzten?|vorige[nr]?|vorherige[nr]?|fruhere[nr]?) (?:mal|male|sitzung|session|tag|"
     r"turn|ausfahrt|besuch)",
     "previous session"),
    (r"(?:heute morgen|heute fruh|heute vormittag|am morgen|am vormittag)", "this morning"),
    (r"(?:heute|am) nachmittag", "this afternoon"),
    (r"(?:letzte|vorige) woche", "last week"),
    (r"(?:letzten|vorigen) monat", "last month"),
    (r"letztes jahr", "last year"),
    (r"(?:diese[rmns]?|der|die) (?:sitzung|session|ausfahrt)", "this session"),
    (r"alle[nr]? (?:sitzungen|sessions|tage|tagen)", "all sessions"),
    (r"(?:nass|feucht|trocken) war", "wet"),
    (r"andere(?= (?:bitte )?(?:die|den|das|meine|deine|mir)\b)|(?<=bitte )andere", "change"),
    (r"guten (?:tag|morgen|abend)|gruss gott|moin", "hello"),
    (r"auf wiedersehen|bis (?:spater|dann|bald)|tschuss", "bye"),
    (r"vielen dank|danke (?:schon|sehr|dir)|dankeschon", "thank you"),
    (r"innerhalb (?:von )?(?:einer|1) sekunde", "within 1 second"),
    (r"innerhalb(?: von)?", "within"),
    (r"zu[rm] (beste\w*|schnellste\w*)(?=[ ?.!]*$)", r"of my \1"),
    (r"was (?:ging|lief|ist) (.*?)(?:da ?neben|schief)(?: ?gegangen| ?gelaufen)?", r"what went wrong \1"),
    (r"habe? ich (.*?)(?:et)?was (?:dazu)?gelernt", r"did i learn anything \1"),
    (r"(?:nicht|ohne zu|kein\w*) (?:ge)?brems\w*", "not brake"),
    (r"(?:brems\w*|bremse) ich (?:\w+ )?nicht", "not brake"),
    (r"so (langsam|schnell)", r"so \1"),
)  # fmt: skip

# English: the German words that mean it, with or without the usual endings.
WORDS = """
how: wie
what: was woran womit
fun: spass
easiest: leichtest einfachst
sure: sicher
direction: richtung
out: draussen
sentence: satz
where: wo wohin
when: wann
who: wer wem wen
which: welch
why: warum wieso weshalb weswegen
the: der die das dem den des
a: ein eine einen einem einer eines
i: ich
me: mir mich
my: mein
you: du ihr sie dir dich euch
your: dein
is: ist sind bist
without: ohne ausser
was: war waren warst wurde wurden worden lagen gelegen gewesen
become: geworden
am: bin
did: hab hat haben hatte hatten hast habe tat
do: tue tun
there: gibt gab
it: er es
in: im innerhalb drin darin
at: am an bei beim
on: auf
to: zu zum zur bis ans aufs
from: von vom aus ab
for: fur
with: mit
than: als
and: und
or: oder
but: aber
then: dann
also: auch
not: nicht nie niemals kein
before: vor vorher davor zuvor bevor
after: nach nachdem danach hinter
over: uber
under: unter
between: zwischen dazwischen
against: gegen
since: seit
because: weil wegen
through: durch
of: deren
every: jed
all: alle allen aller
so: derart
very: sehr
too: zuviel
half: halfte halb
finish_line: ziellinie startlinie zielstrich ziel
tightest: engst
smooth: sauber ruhig geschmeidig
luck: zufall gluck ausreisser gluckstreffer
main_straight: zielgerade hauptgerade startziel
back_straight: gegengerade
only: nur bloss
still: noch immer
again: wieder nochmal nochmals
already: schon bereits
here: hier
much: viel viele
more: mehr
less: weniger
many: vielen
please: bitte
enough: genug ausreichend
ever: jemals je
said: gesagt angesagt
mark: markiere
marked: markiert markierte
marks: markierung markierungen
lap: runde umlauf
laps: runden
turn: kurve
corner: ecke kehre
corners: kurven
chicane: schikane
hairpin: spitzkehre haarnadel haarnadelkurve
carousel: karussell
straight: gerade
track: strecke rennstrecke piste kurs
sector: sektor abschnitt teilstuck
similar: ahnlich
sectors: sektoren abschnitte sektorzeiten
session: sitzung ausfahrt
day: tag
yesterday: gestern vortag
today: heute heutig
entry: reinfahr reinkomm hineinfahr anfahr reingeh eingang einfahrt kurveneingang einlenken
exit: ausgang ausfahren kurvenausgang herausbeschleunigen
exit: rausgekommen herausgekommen rausfahr rauskomm rausbeschleunig herauskomm herausfahr rausgeh
apex: scheitel scheitelpunkt
middle: mitte
point: punkt stelle ort
place: platz
best: best beste persönliche bestzeit
fastest: schnellst flottest
slowest: langsamst
second_fastest: zweitschnellst zweitbest
second_worst: zweitschlechtest zweitschlechteste zweitschlimmst
second_slowest: zweitlangsamst
third_fastest: drittschnellst drittbest
fast: schnell flott zugig
slow: langsam lahm
faster: schneller flotter
slower: langsamer
better: besser
worse: schlechter
worst: schlechtest schwachst schlimmst mies miesest
strongest: starkst
later: spater
earlier: fruher eher
latest: spatest
earliest: fruhest fruhst
late: spat
early: fruh
higher: hoher grosser
lower: niedriger tiefer kleiner geringer
highest: hochst maximal grosst maximum max
lowest: niedrigst tiefst minimal geringst kleinst minimum min
longest: langst
shortest: kurzest
least: wenigst
hot: heiss warm
hotter: heisser warmer
hottest: heissest warmst
harder: harter fester starker
hardest: hartest
most: meist
average: durchschnitt mittelwert schnitt mittler mittel
median: median
usual: ublich normal normalerweise gewohnlich
consistent: konstant gleichmassig bestandig stabil
consistency: konstanz gleichmassigkeit bestandigkeit
spread: streu gestreut streuung schwankung schwanken schwankt schwanke abweichung
standard_deviation: standardabweichung
trend: tendenz entwicklung verlauf entwickelt
time: zeit
times: zeiten
seconds: sekunde sekunden sek
tenths: zehntel
minutes: minute minuten
speed: geschwindigkeit tempo
top_speed: endgeschwindigkeit endspeed
top_speed: topspeed hochstgeschwindigkeit spitzengeschwindigkeit hochsttempo spitzentempo vmax
metres: meter metern
kilometres: kilometer kilometern
degrees: grad
brake: brems bremse bremsen bremst bremste anbremsen
braked: gebremst angebremst abgebremst
brake_point: bremspunkt anbremspunkt
braking_zone: bremszone
braking_distance: bremsweg bremsstrecke bremswege
pressure: druck
throttle: gas gaspedal drosselklappe
full_throttle: vollgas vollgasanteil
coasting: roll gerollt segeln segle ausrollen rollphase
steering: lenk lenkwinkel lenkung lenkrad lenkeinschlag
gear: gang
gears: gange gangen
shift: schalte schalten geschaltet hochschalten hochgeschaltet schaltpunkt schalt
gear_changes: schaltvorgang schaltvorgange gangwechsel
rpm: drehzahl umdrehung umdrehungen touren
engine: motor
oil: ol
water: wasser
coolant: kuhlwasser kuhlmittel kuhlflussigkeit
temperature: temperatur
temperatures: temperaturen
lateral_g: querbeschleunigung querkraft querkrafte fliehkraft seitenkraft
acceleration: beschleunigung langsbeschleunigung
deceleration: verzogerung bremsverzogerung verzoger verzogere
fuel: benzin sprit kraftstoff treibstoff tank tankfullung verbrauch verbraucht
tyres: reifen gummi
weather: wetter
rain: regen geregnet regnet regnete
wet: nass nasse
dry: trocken
flags: flagge flaggen gelbphase
traffic: verkehr
overtaken: uberholt uberholen
held_up: aufgehalten behindert
someone: jemand jemanden
weak_spot: schwachstelle schwachpunkt
took: gedauert dauerte
battery: batterie
heart_rate: puls herzfrequenz herzschlag
damage: schaden
camera: kamera
penalty: strafe strafen
torque: drehmoment
brake_temperature: bremsscheibe bremsscheiben
clutch: kupplung
position: position
lose: verlier vertrodel verschenk lass verliere verlieren verliert verlor einbusse lasse liegen
lost: verloren verlust zeitverlust eingebusst gekostet liegengelassen
cost: kostet kosten
gain: hol rausholen herausholen
gained: gewonnen gewinne gewinn zeitgewinn herausgeholt
difference: unterschied differenz abstand
delta: delta
lockup: blockiert blockieren
gap: ruckstand vorsprung
compare: vergleich vergleiche vergleichen vergleicht verglichen
minus: abzuglich
ideal_lap: idealrunde idealzeit
ideal: ideal theoretisch
possible: moglich machbar
together: zusammen
list: liste aufzahlen
show: zeig zeige zeigen
tell: sag sage sagen sagst
give: gib geb nenn
drive: fahr
driven: gefahren zuruckgelegt gedreht absolviert
drove: fuhr fuhren sass gesessen
going: unterwegs
reach: erreich schaff
reached: erreicht
exceeded: geknackt uberschritten ubertroffen
lift: lupfe lupfen gelupft lupf
need: brauche brauchen braucht gebraucht
take: nehme nehmen genommen
make: mache machen macht gemacht
get: bekomm krieg erziel gehe gehen
came: kam gekommen
stop: halt stopp angehalten gehalten gestanden stillstand stehen
pit_stops: boxenstopps pausen pause
pit: box
getting: werd werde werden wird
improve: verbessern verbessere verbessert verbesserung steigern gesteigert
changed: geandert verandert anders
practise: uben ube trainieren ubung
work_on: arbeiten
mistake: fehler
mistakes: patzer
incident: vorfall zwischenfall dreher unfall abflug
incidents: vorfalle zwischenfalle
setup: setup abstimmung einstellung fahrwerk
understeer: untersteuern untersteuert schieben schiebt
oversteer: ubersteuern ubersteuert
feels: fuhlt anfuhlt gefuhl
plan: plan planung
goal: ziel
progress: fortschritt fortschritte
debrief: nachbesprechung auswertung
brief: vorbesprechung einweisung
summary: zusammenfassung uberblick
race: rennen
write: schreib schreibe formuliere formulier
new: neu
shorter: kurzer
script: ansage ansagen spruch spruche skript
phrase: formulierung
change: andern
frustrated: frustriert
stuck: festgefahren
first: erst zuerst
cure: abstell loswerd vermeid
second: zweit
third: dritt
fourth: viert
fifth: funft
sixth: sechst
seventh: siebt siebent
eighth: achte
ninth: neunt
tenth: zehnt
last: letzt
next: nachst
flying: fliegend gezeitet
out_lap: outlap aufwarmrunde rausrunde
in_lap: inlap auslaufrunde
how_often: oft
most: oftesten haufigsten
often: haufig
long: lang lange
far: weit
high: hoch
low: niedrig tief
hard: stark hart fest kraftig
total: insgesamt gesamt summe gesamten ganzen
whole: ganze komplett
far_apart: auseinander
same: gleich gleiche selb dieselbe genauso ebenso
other: ander andere
away: weg
usually: meistens
rise: steigt stieg gestiegen steigen
drop: sinkt sank gesunken fallt fiel gefallen
record: aufgezeichnet aufnahme aufzeichnung
recorded: gemessen erfasst
sensor: sensoren
channels: kanale signale
height: hohe
altitude_difference: hohenunterschied
elevation: hohenmeter
should: soll sollte sollten
could: konnte konnten
can: kann konnen
must: muss musste
was_i: warich
one: eins
hello: hallo servus hi
thanks: danke merci
mate: kumpel chef
okay: okay
left: links
right: rechts
car: auto wagen fahrzeug
how_many: wieviel wieviele
if: wenn falls
would_be: ware
i_would_be: warich
now: jetzt nun
itself: sich
we: wir
that: dass
data: daten
really: wirklich tatsachlich eigentlich
exactly: genau
just: mal eben
about: etwa ungefahr circa
both: beide beiden
some: einige manche
well: gut
bad: schlecht schlimm
close: knapp nah
limiter: begrenzer drehzahlbegrenzer
wrong: schief falsch
rhythm: rhythmus
pedals: pedale pedalen
missed_gear: verschalt verschaltet
anywhere: irgendwo
clean: sauber
start: beginn anfang start
end: ende schluss
average: durchschnittlich
percent: prozent
pulled: gezogen
line: linie
lateral: quer seitlich
longitudinal: langs
forces: kraft krafte
well: wohl zwar naja
there: dort da
this: dies
that: damit dabei dazu dafur daran darauf daruber
yes: ja jap jep
no: nein ne
but: jedoch allerdings sondern
quite: ganz ziemlich relativ echt richtig vollig absolut
roughly: grob
simply: einfach
maybe: vielleicht wahrscheinlich
please: gern gerne
if: ob
while: wahrend wahrenddessen
once: einmal
part: teil bereich stuck
little: wenig bisschen bissl bissel
just: kurz
overall: uberhaupt generell allgemein
clearly: deutlich
finally: endlich schliesslich
then: damals
know: weiss weisst kenn
think: denk glaub
find: find finde finden gefunden
mess_up: verhauen versemmelt vermasselt verbockt
lowest: mindestens wenigstens
highest: hochstens
happen: passiert geschah geschehen
sometimes: manchmal
out: raus heraus hinaus
in: rein hinein ins
try: versuch probier
stand: steh sitz
go: geh ging lauf lief komm
put: setz stell leg tu
press: tret tritt getreten trete pack greif
push: drucke drucken gedruckt press presse
build: bau aufbau aufgebaut
step: steig
need: brauch
see: sehe sehen sieht schau
look: blick guck
several: mehrere paar
because: denn
also: sowie
be: sein
want: mocht wollte wollt
may: darf
sort: sortiert
value: wert werte
figure: zahl zahlen angabe
overview: ubersicht
number: nummer
used: benutzt
miles: meile
number_of: anzahl
lap_count: rundenzahl rundenanzahl
foot: fuss
clock: uhr
hour: stunde stunden
today: heut
"""
# Parts of compounds, longest first at each place: "kurvenmindestgeschwindigkeit".
PARTS = """
brake: brems anbrems
corner: kurven kurve
lap: runden
sector: sektor sektoren
top: hochst spitzen maximal
minimum: mindest minimal scheitel
average: durchschnitts schnitt mittel
entry: eingangs eingang einfahrts einlenk
exit: ausgangs ausgang ausfahrts
oil: ol
water: wasser kuhlwasser kuhlmittel
engine: motor
tyre: reifen
air: luft aussen
track: strecken asphalt
gear: gang schalt
steering: lenk
full_throttle: vollgas
throttle: gas
best: best
worst: schlechtest
ideal: ideal
time: zeit zeiten dauer
coasting: roll
lift: lift lupf
fuel: sprit benzin kraftstoff
position: stellung
speed: geschwindigkeit geschwindigkeiten tempo speed
pressure: druck drucke
temperature: temperatur temperaturen temp
point: punkt punkte
zone: zone zonen weg
rpm: drehzahl drehzahlen
comparison: vergleich
trend: trend verlauf
loss: verlust verluste
spread: streuung
count: zahl anzahl
stop: stopp stopps
force: kraft krafte
share: anteil
pedal: pedal
level: stand
consumption: verbrauch
wear: verschleiss abnutzung
change: wechsel
distance: strecke distanz
"""
