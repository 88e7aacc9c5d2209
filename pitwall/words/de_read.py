"""German: what is read. The keys and the values in braces are those of `en_read`."""

from __future__ import annotations

import re

from pitwall.words import de_ask, de_asked
from pitwall.words.de_fleet import FLEET, FLEET_SENTENCES
from pitwall.words.de_page import PAGE

DECIMAL = ","
ONE_LAP, LAPS_FROM_TO, MORE_LAPS = "Runde {}", "Runde {} bis {}", "Runde {}"
LINKS: dict[str, str] = {"and": "und", "then": "und dann", "nor": "und keine"}

TERMS: dict[str, dict[str, str]] = {
    "phase": {
        "approach": "in der Anfahrt",
        "brake": "beim Bremsen",
        "turn_in": "beim Einlenken",
        "apex": "in der Mitte",
        "exit": "am Ausgang",
        "differs": "jedes Mal woanders",
    },
    "script": {
        "approach": "Anfahrt", "brake": "Bremsen", "turn_in": "Einlenken", "apex": "Scheitelpunkt",
        "exit": "Ausgang",
    },
    "advice": {
        "brakes early": (
            "Verschieb den Bremspunkt immer um eine Wagenlänge nach hinten, mit demselben ersten Druck."
        ),
        "brakes late": (
            "Brems dort, wo diese Runde gebremst hat: Was du darüber hinaus mitnimmst, fehlt dir am "
            "Scheitelpunkt."
        ),
        "coasts": (
            "Ein Fuß arbeitet immer: Bleib bis zum Bremspunkt am Gas, dann direkt auf die Bremse."
        ),
        "releases abruptly": "Behalte den ersten Druck und lass dir beim Lösen doppelt so viel Zeit.",
        "drags the brake": "Brems so fest wie jetzt und fang früher an zu lösen.",
        "enters slowly": (
            "Gleicher Bremspunkt, gleicher erster Druck; fang früher an zu lösen und lass das Auto rollen."
        ),
        "over-slows": "Lass den Bremspunkt, wo er ist, und hol dir das Tempo durch früheres Lösen zurück.",
        "late on the throttle": (
            "Warte wenn nötig mit dem Einlenken, aber wenn das Gas einmal offen ist, bleibt es offen."
        ),
        "slow exit": "Öffne die Lenkung mit dem Gas und nutze am Ausgang die ganze Breite.",
        "line": (
            "Kein Pedal erklärt das: Schau, wo du einlenkst, und fahr die Linie deiner besten Runde."
        ),
        "differs": "Fahr deine beste Durchfahrt wieder, bis drei gleich sind; erst dann ändere etwas.",
        "keep the mark": "Lass den Bremspunkt, wo er ist.",
    },
    "habit": {
        "brakes early": "du bremst früh",
        "brakes late": "du bremst spät",
        "coasts": "du lässt rollen",
        "releases abruptly": "du löst die Bremse abrupt",
        "drags the brake": "du schleppst die Bremse",
        "enters slowly": "du fährst langsam hinein",
        "over-slows": "du bremst zu stark herunter",
        "late on the throttle": "du gehst spät ans Gas",
        "slow exit": "du kommst langsam heraus",
        "line": "deine Linie kostet Zeit",
        "differs": "du verlierst jede Runde in einem anderen Teil davon",
    },
    "cause": {
        "brakes early": "früh gebremst",
        "brakes late": "spät gebremst",
        "coasts": "rollen gelassen",
        "releases abruptly": "Bremse abrupt gelöst",
        "drags the brake": "Bremse geschleppt",
        "enters slowly": "langsam hinein",
        "over-slows": "zu stark heruntergebremst",
        "late on the throttle": "spät am Gas",
        "slow exit": "langsamer Ausgang",
        "line": "Linie",
        "differs": "wechselt",
    },
    "incident": {
        "spin": "ein Dreher",
        "off track": "alle vier Räder daneben",
        "blow": "ein harter Schlag",
        "sudden stop": "ein plötzlicher Halt",
    },
    "incident kind": {
        "spin": "Dreher", "off track": "neben der Strecke", "blow": "harter Schlag",
        "sudden stop": "plötzlicher Halt",
    },
    "trend": {
        "faster": "schneller", "plateau": "gleichbleibend", "slower": "langsamer",
        "not known": "nicht bekannt",
    },
    "grip": {
        "steady": "gleichbleibend", "rising": "steigend", "falling": "fallend",
        "not known": "zu wenige Runden für einen Verlauf",
    },
    "balance": {
        "understeer": "Untersteuern", "neutral": "neutral", "oversteer": "Übersteuern",
        "unknown": "unbekannt",
    },
    "level": {"beginner": "bei Anfängern", "intermediate": "bei Geübten", "expert": "bei Könnern"},
    "things": {"1": "Eine Sache", "2": "Zwei Dinge", "3": "Drei Dinge"},
    "channel": {
        "steering_deg": "Lenkwinkel", "yaw_rate_dps": "Gierrate", "g_lat": "Querbeschleunigung",
        "coolant_c": "Kühlwasser", "oil_temp_c": "Öl",
    },
    "lap kind": {
        "in": ", eine Runde in die Box", "out": ", eine Runde aus der Box",
        "broken": ", eine lückenhafte Runde", "flying": "", "traffic": ", im Verkehr",
        "yellow": ", unter gelber Flagge",
    },
    # What may be lost, and what a rule needs.
    "status": {
        "settings": "Einstellungen", "litert": "Modell", "words": "Worte", "phone": "Telefon",
        "audio": "Ton", "disk": "Platz", "store": "Speicher", "imu": "Beschleunigung", "can": "Auto",
        "gps": "GPS", "sources": "Quellen", "track": "Strecke", "reference": "Vergleichsrunde",
        "phrases": "Ansagen", "messages": "Meldungen", "sound": "Ton", "brake phases": "Bremsansagen",
        "exit phase": "Ansagen am Ausgang", "turn-in and apex phases": "Ansagen in der Kurve",
        "lat_deg": "Breite", "lon_deg": "Länge", "speed_mps": "Tempo", "wheel_speed_mps": "Radtempo",
        "g_lat": "Querbeschleunigung", "g_long": "Längsbeschleunigung", "gear": "Gang", "rpm": "Drehzahl",
        "coolant_c": "Kühlwasser", "oil_temp_c": "Öltemperatur", "oil_bar": "Öldruck",
        "brake_bar": "Bremsdruck", "brake_pct": "Bremse", "throttle_pct": "Gas", "yaw_rate_dps": "Gierrate",
    },
    "column": {
        "lap": "Rd.", "kind": "Art", "time": "Zeit", "session": "Session", "driven": "gefahren (UTC)",
        "track": "Strecke", "laps": "Runden", "best": "beste", "tags": "Merkmale",
        "same drive": "gleiche Fahrt wie", "from": "aus", "at": "bei", "place": "Ort", "before": "davor",
        "in hand": "Reserve", "callout": "Ansage",
    },
    "corner figure": {
        "slowest": "langsamster Punkt", "exit": "Tempo am Ausgang", "entry": "Tempo am Eingang",
        "time": "Zeit", "loss": "Verlust gegen die beste Runde, bis zur nächsten Kurve",
        "brake": "Bremspunkt vor dem Scheitel",
    },
    "compare": {
        "delta": "verloren", "entry": "Eingang", "slowest": "langsamste", "exit": "Ausgang",
        "brake": "bremst später",
    },
    "opportunity": {
        "where": "wo", "cause": "Ursache", "loss": "je Runde", "laps": "Runden", "against": "gegen Runde",
    },
    "all days": {
        "losses": "Wo Runde für Runde Zeit bleibt", "profile": "Alle deine Tage",
        "lessons": "Was über dich gelernt wurde",
    },
    "profile": {"sessions": "Sessions", "since the first": "seit der ersten"},
    # Diagramme und Tabellen einer Seite.
    "chart": {
        "speed_mps": "Tempo", "brake_bar": "Bremse", "brake_pct": "Bremse", "throttle_pct": "Gas",
        "steering_deg": "Lenkung", "g_lat": "quer", "g_long": "Bremsen und Ziehen", "gear": "Gang",
        "rpm": "Drehzahl",
    },
    "page": PAGE,
    "fleet": FLEET,
    "view": {
        "laps": "Runden", "lap": "Runde", "kind": "Art", "time": "Zeit", "sector": "Sektor",
        "reason": "warum", "shown": "gezeigt", "against": "gegen", "charts": "Runden nach Ort",
        "delta": "Abstand",
        "delta help": "über null: langsamer als die andere Runde", "map": "Karte", "colour": "Farbe nach",
        "by speed": "Tempo", "by gain": "Gewinn und Verlust", "slow": "langsam", "fast": "schnell",
        "lost": "verloren", "won": "gewonnen", "corners": "Kurve nach Runde", "corner": "Kurve",
        "figure": "Größe", "min_speed": "langsamster Punkt", "exit_speed": "Tempo am Ausgang",
        "brake": "Bremspunkt vor dem Scheitel", "time_s": "Zeit", "loss_s": "Verlust gegen die beste Runde",
        "grade": "Note", "grade help": "A: wie in der besten Runde (oder deiner besseren Durchfahrt, wo "
        "Runde für Runde Zeit verloren geht), bis auf 0,05 s. B: bis 0,15 s verloren, "
        "C: bis 0,35 s, D: mehr; und wo das meiste davon.", "braking": "beim Bremsen",
        "middle": "in der Mitte", "exit": "am Ausgang",
        "coach": "Was der Coach sagte",
        "coach would": "Was der Coach gesagt hätte", "text": "Worte", "outcome": "was daraus wurde",
        "debrief": "Nachbesprechung", "best": "beste",
        "no laps": "In dieser Sitzung wurde keine Runde gefahren.",
        "no callouts": "In dieser Sitzung sind keine Worte des Coachs gespeichert.", "median": "Median",
        "before": "davor", "mark": "Zeichen", "gap": "Abstand", "gain": "Gewinn", "best lap": "beste Runde",
        "potential": "Theoretische Bestzeit", "potential help": "Die Stücke all deiner Runden, eines je "
        "Kurve, die sich zu einer Runde fügen: keines beginnt schneller, als das davor endete. Hinter jeder "
        "Kurve: der Abstand zu deiner besten Runde, die Runde, aus der es ist, ihre Zeit und die deiner "
        "besten Runde.",
        "next run": "Für die nächste Fahrt", "at the cursor": "Werte an dieser Stelle",
        "gg": "Genutzter Grip",
        "gg help": "Seitlich: Kurvenfahrt. Oben: Gas, unten: Bremsen.",
        "calls": "welche", "said": "gesagt", "kept back": "zurückgehalten", "all calls": "alle",
        "nothing of it": "Keine.",
        "made by": "von Pitwall gemacht", "hint": "Über ein Diagramm oder die Karte fahren: alle zeigen "
        "denselben Ort. Pfeiltasten bewegen ihn auch.",
    },
    "lap": {
        "flying": "gezeit.", "out": "raus", "in": "rein", "broken": "lückig", "traffic": "Verkehr",
        "yellow": "Gelb", "mark": "Marke", "clear": "Marke zurückgenommen",
    },
    "session kind": {"live": "live", "import": "Import", "replay": "Replay"},
    "lesson": {"fault": "Fehler", "cured": "behoben", "trouble": "Gefahr", "habit": "Gewohnheit"},
    "place": {
        "on": "auf der Strecke", "off": "neben der Strecke", "pit": "Boxengasse", "lost": "Ort unbekannt",
    },
    "outcome": {
        "spoken": "gesagt", "held then spoken": "gewartet, dann gesagt", "expired": "verfallen",
        "superseded": "überholt", "suppressed": "unterdrückt", "shed": "weggelassen",
        "noted": "vermerkt",
    },
    "tier": {"rule": "auf diesem Gerät verfasst", "litert": "vom Modell auf diesem Gerät gesagt"},
}  # fmt: skip

SENTENCES: dict[str, str] = {
    # Die Nachbesprechung.
    "no lap to judge": (
        "{where}in dieser Session wurde keine fliegende Runde gezeitet, es gibt also noch nichts zu "
        "beurteilen. {why}"
    ),
    "left out": "Du hast {laps:laps} als {kind} markiert: {count:sie zählt|sie zählen} nicht.",
    "left out slow": (
        "Weit hinter deiner Bestzeit lagst du in {laps:laps}: {count:sie zählt|sie zählen} nicht."
    ),
    "best lap": "{where}deine beste Runde war eine {time:lap}, Runde {lap}.",
    "personal best": "Das ist hier deine persönliche Bestzeit, {gain:.3f} s unter der alten.",
    "cured": (
        "{corner} sitzt jetzt: Das hatte dich {before:.2f} s pro Runde gekostet, in {laps:laps} war es weg."
    ),
    "gain": "Von Runde {first} auf Runde {last} hast du {gain:.1f} s gefunden.",
    "consistent laps": "Alle deine fliegenden Runden lagen in {spread:.2f} s: Darauf lässt sich aufbauen.",
    "heard": "{corner}: gehört in {laps:laps}, {gain:.1f} s gefunden.",
    "best sector": "Sektor {sector} war in Runde {lap} um {gain:.1f} s besser als sonst.",
    "steady corners": "{corners:and} bist du Runde für Runde gleich gefahren.",
    "things": "{count} für den nächsten Stint.",
    "things ranked": "{count} für den nächsten Stint, das Teuerste zuerst.",
    "no corners known": (
        "Hier sind keine Kurven bekannt, also gibt es nur Rundenzeiten: pitwall track build FILE --id ID "
        "--name NAME, mit einer Aufzeichnung von hier, die Positionen hat, macht sie bekannt."
    ),
    "too few laps": (
        "Es sind zu wenige fliegende Runden, um Gewohnheit und Ausrutscher zu unterscheiden: Es zählt, was "
        "Runde für Runde wiederkommt."
    ),
    "nothing lost": (
        "Nichts kostet dich Runde für Runde Zeit: Keine Kurve hat immer wieder mehr als das Rauschen "
        "verloren."
    ),
    "troubles": (
        "Vor dem Tempo: {troubles:and}{more}. Geh durch, wie es dazu kam, bevor du wieder hinausfährst."
    ),
    "trouble": "{incident} in Runde {lap}",
    "trouble at": "{incident} in Runde {lap} bei {corner}",
    "troubles more": " und {count} weitere",
    "thing": "{corner}, {phase}: {loss:.2f} s pro Runde ({laps:laps}). {observed}{mark}{advice}{release}",
    "next run": "Nächste Fahrt, {corner}: {habit}, verglichen mit Runde {lap}. {advice}",
    "mark": "Dein Anhaltspunkt: {mark}. ",
    "marks": "Anhaltspunkte: {marks:and}. ",
    "observed": "Gegenüber Runde {lap} {clauses:and}. ",
    "observed differs": "Das meiste ging {parts:and} verloren. ",
    "lost there": "{phase} in Runde {lap}",
    "you": "du ",
    "brakes sooner": "bremst {you}{by:m.0f} früher",
    "brakes later": "bremst {you}{by:m.0f} später",
    "rolls": "rollst {you}{by:.1f} s länger ohne beide Pedale",
    "throttle later": "gehst {you}{by:m.0f} später ans Gas",
    "entry slower": "lenkst {you}{by:m/s.0f} langsamer ein",
    "entry faster": "lenkst {you}{by:m/s.0f} schneller ein",
    "middle slower": "bist {you}an der langsamsten Stelle {by:m/s.0f} langsamer",
    "middle faster": "bist {you}an der langsamsten Stelle {by:m/s.0f} schneller",
    "exit slower": "kommst {you}{by:m/s.0f} langsamer heraus",
    "exit faster": "kommst {you}{by:m/s.0f} schneller heraus",
    "straight slower": "nimmst {you}{by:m/s.0f} weniger mit auf die Gerade",
    "release took": (
        " Du hast {own:.1f} s gebraucht, um von der Bremse zu kommen, in Runde {lap} waren es {best:.1f} "
        "s: {shape}."
    ),
    "release too short": (
        "einmal fest zudrücken, dann in einem langen, gleichmäßigen Zug lösen, der am Scheitelpunkt endet, "
        "nicht beim Einlenken"
    ),
    "release too long": (
        "gleicher erster Druck, dann früher zu lösen beginnen, in einem geraden, gleichmäßigen Zug bis auf "
        "null"
    ),
    "release shape": (
        " So löst man die Bremse: einmal fest zudrücken, dann gleichmäßig herunter, der letzte Rest am "
        "Scheitelpunkt."
    ),
    "corners counted": (
        "Die Kurven hier hat Pitwall gefunden und von der Startlinie an gezählt: die Nummern der Strecke "
        "können andere sein."
    ),
    "hands": "Hände und Füße wie {level}: {signs:and}.",
    "hands coast_pct": "{value:.0f} % der Runde auf keinem Pedal",
    "hands roll_s": "{value:.1f} s von der Bremse bis halb Gas",
    "hands brake_spread_m": "die Bremspunkte {value:m.0f} auseinander",
    "hands jerk_pct": "in {value:.0f} % der Kurven wieder vom Gas",
    "no brake signal": (
        "Es wurde kein Bremssignal aufgezeichnet, die Bremspunkte sind daraus gelesen, wie das Auto "
        "verzögert."
    ),
    "all in one lap": "Runde {lap} enthält (fast) alle deine besten Sektoren: jetzt noch einmal.",
    "best pieces": (
        "Deine besten Sektoren ergeben {theory:lap}, {gain:.2f} s unter deiner besten Runde: Dafür braucht "
        "es kein neues Tempo, nur alles in einer Runde."
    ),
    "no lap begun": (
        "Es wurde keine Runde begonnen: Die Startlinie wurde nicht überfahren, oder hier ist keine Strecke "
        "bekannt."
    ),
    "what there was": "Was es gab: {reasons:and}.",
    # Die Vorbesprechung.
    "nothing to build on": (
        "{where}es gibt noch keine gezeitete fliegende Runde. Fahr erst ein paar saubere."
    ),
    "last best": "{where}letztes Mal war deine beste Runde {time:lap}.",
    "personal best here": "Deine persönliche Bestzeit hier ist {time:lap}.",
    "usual first": "Deine übliche Runde war {usual:lap}: Bring die zuerst auf {target:lap}.",
    "target": "Ziel für die beste: {time:lap}.",
    "reminder": "{corner}, {phase} (letztes Mal {loss:.2f} s pro Runde). {mark}{advice}",
    "lessons": "Aus deinen bisherigen Sessions hier. {lessons}",
    "plan": "Der Plan: {blocks:then}.",
    "plan warm up": "{laps:eine Runde|# Runden} zum Aufwärmen",
    "plan focus": "{laps:eine Runde|# Runden} nur für {corner}",
    "plan repeat the same lap": "{laps} Runden immer wieder dieselbe Runde, vor allem bei {corner}",
    "plan put it together": "{laps:eine Runde|# Runden}, um alles zusammenzusetzen",
    # Lehren.
    "lesson fault": "{corner}: {habit}{cost} ({seen}). {advice}",
    "lesson cost": ", etwa {loss:.2f} s pro Runde",
    "lesson cured": "{corner} sitzt{gain}: Früher hieß es dort, {habit}. Ohne das gefahren: {seen}.",
    "lesson gain": ", das bringt etwa {gain:.2f} s pro Runde",
    "lesson trouble": (
        "{corner} hat dich erwischt ({incident}; {seen}). Taste dich heran und lass dort eine Reserve."
    ),
    "lesson habit": "Eine Gewohnheit in {track}: {habit} in {corners:and} ({seen}).",
    "seen": "{laps} Runden in {sessions:einer Session|# Sessions}, zuletzt am {day}",
    "seen in none": "in Sessions, die nicht mehr da sind",
    "unknown day": "einem unbekannten Tag",
    # Antworten.
    "nothing stored": "Es ist noch nichts gespeichert, das darauf antworten könnte.",
    "refused": "Das lässt sich nicht beantworten: {error}. Was helfen würde: {help}.",
    "ask again": "noch einmal fragen",
    "this session": "Diese Session",
    "no timed lap": "Diese Session hat keine gezeitete fliegende Runde.",
    "overview": (
        "{where}: {count:1 fliegende Runde|# fliegende Runden}, die beste {time:lap} in Runde {lap}.{top}"
    ),
    "top speed": " Höchsttempo {speed:km/h.0f}.",
    "lap slower": (
        "Runde {lap} war {by:.3f} s langsamer als Runde {other} ({time:lap} gegen {other_time:lap}).{rest}"
    ),
    "lap faster": (
        "Runde {lap} war {by:.3f} s schneller als Runde {other} ({time:lap} gegen {other_time:lap}).{rest}"
    ),
    "lap most": " Das meiste davon: {corners:and}.",
    "corner lost": "{corner} {by:.2f} s verloren",
    "corner won": "{corner} {by:.2f} s gewonnen",
    "corner not driven": "{corner} wurde in dieser Session in keiner fliegenden Runde gefahren.",
    "corner passes": (
        "{corner}, {count:1 Durchfahrt|# Durchfahrten}: Deine beste war Runde {lap}, {time:.2f} s und "
        "{speed:km/h.0f} an der langsamsten Stelle."
    ),
    "corner no loss": (
        "Kein Fehler kehrt dort Runde für Runde wieder; vom Bremsen bis hinter den Ausgang kostete sie im "
        "Schnitt {mean:.2f} s mehr als in deiner besten Runde."
    ),
    "corner one pass": "Eine Durchfahrt zeigt weder eine Gewohnheit noch, was zu holen ist.",
    "corner loss": "Das kostet dich {loss:.2f} s pro Runde in {laps:laps}: {cause}.",
    "not driven in lap": "{corner} wurde in Runde {lap} nicht als fliegende Runde gefahren.",
    "corner in lap": "{corner} in Runde {lap}: {parts:and}.",
    "seconds": "{time:.2f} s",
    "one session": (
        "Bisher eine Session auf {track}, Bestzeit {best:lap}: Fortschritt zeigt sich ab der zweiten."
    ),
    "progress quicker": (
        "{count} Sessions auf {track}, persönliche Bestzeit {best:lap}. Die letzte Bestzeit ist "
        "{by:.2f} s schneller als die erste. Tendenz: {trend}."
    ),
    "progress slower": (
        "{count} Sessions auf {track}, persönliche Bestzeit {best:lap}. Die letzte Bestzeit ist "
        "{by:.2f} s langsamer als die erste. Tendenz: {trend}."
    ),
    "balance unknown": "Die Balance lässt sich nicht sagen: {notes}.",
    "balance": (
        "Die Lenkung sagt {balance}: {gradient:.1f} Grad Lenkrad pro g "
        "über das hinaus, was die Kurve braucht.{notes}"
    ),
    "note missing": "{channel} wurde nicht aufgezeichnet oder ist nicht glaubhaft",
    "note without yaw": "ohne Gierrate wird die Kurve aus Querbeschleunigung und Tempo bestimmt",
    "note left turns": (
        "die Lenkung war nur in {share:.0%} der Linkskurven lesbar: das hier betrifft die anderen"
    ),
    "note right turns": (
        "die Lenkung war nur in {share:.0%} der Rechtskurven lesbar: das hier betrifft die anderen"
    ),
    "note balance unknown": "aus dieser Session lässt sich die Balance nicht sagen",
    "mind": " Zu beachten: {notes}.",
    "your best": "Deine beste war eine {time:lap} in Runde {lap}.",
    "corner loss short": "{corner} {loss:.2f} s",
    "no other reference": "Auf dieser Strecke ist keine andere Session gespeichert. {worth}",
    "own is fastest": "Keine Runde einer anderen Session hier ist schneller als deine beste. {worth}",
    "time goes at": "Gegenüber deinen eigenen besten Durchfahrten verlierst du Zeit bei {corners:and}.",
    "time goes nowhere": "Nichts geht immer wieder verloren.",
    "behind reference": (
        "Deine beste Runde liegt {by:.3f} s hinter Runde {lap} einer anderen Session{day}.{where}"
    ),
    "ahead of reference": (
        "Deine beste Runde liegt {by:.3f} s vor Runde {lap} einer anderen Session{day}.{where}"
    ),
    "where it goes": " Wo es bleibt: {corners:and}.",
    "driven on": ", gefahren am {day}",
    "reading from to": "{name} von {least} bis {most}",
    "grip": "Im härtesten Zwanzigstel einer üblichen Runde hast du mindestens {grip:.2f} g genutzt; {trend}.",
    "recorded": "Aufgezeichnet: {readings:and}.",
    "no weather": "Es wurde kein Wetter aufgezeichnet, Regen und Strecke beurteilst du selbst.",
    "answer plan": "{laps} Runden insgesamt: {blocks:and}.",
    "answer plan repeat the same lap": "{laps} Runden jedes Mal gleich, vor allem bei {corner}",
    "no incidents": "Die Daten zeigen keinen Dreher, keinen Ausritt, keinen Schlag und keinen jähen Halt.",
    "no incidents seen": (
        "Die Daten zeigen keinen Dreher, keinen Schlag und keinen jähen Halt; für Ausritte muss die Strecke "
        "bekannt sein."
    ),
    "incidents": "Die Daten zeigen {incidents:and}{more}.",
    "largest loss": " Die langsamste Runde war Runde {lap}, {loss:.1f} s langsamer als Runde {other}.",
    "largest loss at": (
        " Am meisten an einer Stelle: {corner} in Runde {lap}, {loss:.1f} s langsamer als in Runde {other}."
    ),
    "longest stint": "Dein längster Stint, {laps:laps}: beste {best:lap}, üblich {usual:lap}{spread}.",
    "spread": ", alle innerhalb von {spread:.2f} s",
    "fading unknown": "Zu wenige Runden, um zu sagen, ob es nachlässt.",
    "it fades": "Es lässt nach: {slope:+.3f} s pro Runde.",
    "it quickens": "Es wird schneller: {slope:+.3f} s pro Runde.",
    "no trend": "Keine sichere Tendenz: {slope:+.3f} s pro Runde.",
    "no pieces": (
        "Deine Bestzeit ist {best:lap}; hier sind keine Sektoren oder Kurven zum Zusammenzählen bekannt."
    ),
    "no more in pieces": (
        "Deine Bestzeit ist {best:lap}, deine besten Sektoren ergeben kaum weniger: Fahr das noch einmal."
    ),
    "goals": (
        "Als Nächstes von {best:lap} auf {target:lap}; deine besten Sektoren ergeben {theory:lap}.{where}"
    ),
    "found at": " Zu finden bei {corners:and}.",
    "too few to differ": "Es sind zu wenige Runden, um zu sagen, wo du dich unterscheidest.",
    "spread at": "{corner} (Streuung {spread:.2f} s)",
    "differ": "Am meisten unterscheidest du dich bei {corners:and}, am wenigsten bei {steadiest}.",
    "scripts": "Es gibt Ansagen für {count} Kurven; eine hat höchstens {most} Wörter.",
    "script": "{corner} sagt: {phrases}.",
    "not saved": "Es wurde nichts gespeichert.",
    "saved script": "Für {corner} gespeichert: {phrases}.",
    "in general": "(allgemein: {comment})",
    "nothing this time": "Diesmal fehlt mir: {what}.",
    "no script": "{corner} hat keine eigenen Ansagen.",
    "no scripts without model": (
        "Ohne Modell lassen sich keine neuen Ansagen schreiben; es wurde nichts geändert."
    ),
    "reading in lap": "{value} in Runde {lap}",
    "lap not timed": "Runde {lap} wurde nicht gezeitet{kind}.",
    "lap timed": "Runde {lap} war eine {time:lap}{kind}.",
    "any time": "Gern geschehen.",
    "see you": "Bis dann. Gute Fahrt.",
    "here": "Ich bin da. Frag mich nach deinen Runden, einer Kurve oder dem Plan für den nächsten Stint.",
    "all right": "In Ordnung. Frag mich, wann du willst.",
    "hello": "Hallo. Frag mich nach deinen Runden, einer Kurve oder dem Plan für den nächsten Stint.",
    "nothing now": (
        "Das kann ich gerade nicht beantworten. Was aufgezeichnet wurde, ist sicher, frag später noch einmal."
    ),
    "unknown lap": "in dieser Session gibt es keine {laps:nor}",
    "lap": "Runde {lap}",
    "ask about laps": "frag nach Runde {laps:and}",
    "ask about another": "frag nach einer Session mit Runden",
    # Tabellen und Konsole.
    "unknown": "unbekannt",
    "unknown track": "unbekannte Strecke",
    "unknown place": "unbekannter Ort",
    "none": "keine",
    "corners head": "{track}: {figure} ({unit}), Runde für Runde",
    "compare head": "{lap}, {time:lap}, gegen {against}, {best:lap}: {delta:+.3f} s",
    "compare signs": "über null: Zeit verloren, schneller, später gebremst als die andere Runde",
    "no opportunities": "in dieser Session kostet nichts Runde für Runde Zeit",
    "no profile": (
        "noch keine Session wurde beurteilt: pitwall debrief --all-days --update beurteilt importierte"
    ),
    "profile habit": "{habit}: {corners:and}",
    "profile cured": "behoben: {corners:and}",
    "profile incidents": "Vorfälle: {incidents:and}",
    "no corners driven": "in dieser Sitzung wurde keine Kurve einer bekannten Strecke gefahren",
    "not flying": "* keine fliegende Runde; der Median ist der der fliegenden",
    "report printed": "{path}: {size:.1f} MB",
    "report written": "{path}: {size:.1f} MB; jeder Browser öffnet sie, ohne Netz",
    "session head": "Session {session}: {track}, {when}",
    "no sessions": "noch keine Sessions: pitwall import FILE, oder scripts/demo",
    "only replays": "noch keine Sessions außer Replays: pitwall sessions --replays listet sie",
    "session going on": "{kind}, läuft",
    "session broken off": "{kind}, abgebrochen",
    "session second file": "{kind}, zweite Datei",
    "replay without track": "unbekannter Ort: keine Kurvennamen, keine Ansagen außer Sicherheit",
    "replay head": "{track}; Session {session}",
    "rehearse head": "{track}: Runde {lap}, {time:lap}, aus Session {session}; Augen zu und fahren",
    "cues": "Ansagen: {cues}",
    "best so far": "beste {time}",
    "best": "bisher beste",
    "and best": ", beste {time}",
    "session opened": "Session {session} begonnen",
    "track found": "Strecke: {track}",
    "laps so far": "bisher {laps:1 fliegende Runde|# fliegende Runden}{best}",
    "session over": "Session {session} ist zu Ende: {why}",
    "session rests": "Session {session} ruht; ein baldiger Start führt sie fort",
    "drive summary": (
        "{where}: {laps:1 fliegende Runde|# fliegende Runden}{best}, {callouts} Ansagen; siehe pitwall "
        "debrief {session}"
    ),
    "page link": (
        "im Browser öffnen: {link} (gilt einmal, {minutes} Minuten lang; pitwall show gibt einen neuen)"
    ),
    "page shown": "{link} (gilt einmal, {minutes} Minuten lang)",
    "page report": "Hier läuft kein pitwall run: die Sitzung steht in einer Datei, {path}",
    "ready": "pitwall ist bereit: {where}, Daten in {home}",
    "without the API": "ohne API",
    "unverified": "(ungeprüft: die Antwort hat keine der Daten benutzt, die sie braucht)",
    "without": "(ohne: {missing})",
    "nothing learned": (
        "noch nichts gelernt: dafür braucht es zwei Sessions; "
        "pitwall debrief --all-days --update beurteilt importierte"
    ),
    "nothing learned about that": "darüber wurde noch nichts gelernt",
    "pushed": (
        "{count:1 Session|# Sessions} übertragen, {size:.1f} MB; {there:1 war|# waren} schon dort: {lake}"
    ),
    "push failed": "Session {session} wurde nicht übertragen: {why}",
    "push waits": "das wartet als Auftrag {job} und geht weiter, wenn das Auto im Fahrerlager steht: {why}",
    "daemon pushes": "der laufende Dienst überträgt; siehe pitwall jobs",
    "pulled": (
        "{count:1 Session|# Sessions} geholt, {size:.1f} MB; {there:1 war|# waren} schon dort: {lake}"
    ),
    "lake verified": (
        "{count:1 Session|# Sessions} in {files:1 Datei|# Dateien}, {size:.1f} MB: {damaged} beschädigt; "
        "{unnamed:1 Datei|# Dateien} von abgebrochenen Übertragungen, die niemand liest"
    ),
    "lake compacted": (
        "{count:1 Session|# Sessions} zusammengelegt in {groups:1 Strecke und Monat|# Strecken und Monate}; "
        "{deleted:1 Datei|# Dateien} entfernt"
    ),
    "driver forgotten": "Fahrer {driver} ist vergessen: {count:1 Session|# Sessions}",
    "given up": (
        "eine beschädigte Datei enthielt auch Zeilen anderer; bis zu deren "
        "nächstem Push fehlen welche in: {sessions}"
    ),
    "searched": "gesucht in {place}: {files:1 Datei|# Dateien}, {size:.1f} MB, nach {words}",
    "still found": "noch gefunden in {place}",
    "daemon judges": "der laufende Dienst beurteilt jede Session selbst, sobald sie zu Ende ist",
    "lap no evidence": "Runde {lap} taugt nicht als Beleg.",
    "heeded": "befolgt: die nächste Durchfahrt verlor {loss:.2f} s, zuvor {before:.2f}",
    "partly heeded": "teils befolgt: die nächste Durchfahrt verlor {loss:.2f} s, zuvor {before:.2f}",
    "not heeded": "nicht befolgt: die nächste Durchfahrt verlor {loss:.2f} s, zuvor {before:.2f}",
    "passed again": "die nächste Durchfahrt verlor {loss:.2f} s, zuvor {before:.2f}",
    "coach speaks": "der Coach spricht: {mode}, {level}",
    "nothing said": (
        "in dieser Session wurde nichts gesagt: `pitwall replay FILE` und `pitwall report` zeigen, "
        "was gesagt würde"
    ),
    "said": "gesagt",
    "marked": "{mark}, bei {clock}",
    "mark taken": "{mark}: Runde {lap}, bei {clock}",
    "kept": "behalten",
    "no longer": "; nicht mehr: {why}",
    "evidence": "{session}: Runde {laps}{seconds}{against}",
    "evidence seconds": ", {loss:.2f} s pro Runde",
    "evidence against": " (spricht dagegen)",
}  # fmt: skip


_TITLE = re.compile(r"^(Turn|Sector)(?= \d)", re.IGNORECASE)
_TITLES = {"turn": "Kurve", "sector": "Sektor"}


def corner_title(name: str) -> str:
    """A corner's or sector's name as it is read: "Turn 7" is "Kurve 7", other names stay what they are."""
    return _TITLE.sub(lambda found: _TITLES[found[1].lower()], name)


TERMS |= de_asked.TERMS | de_ask.TERMS
SENTENCES |= de_asked.SENTENCES | de_ask.SENTENCES
SENTENCES |= FLEET_SENTENCES
