"""German: the words of a driver's question, and how a query is called. See `en_ask` for the form."""

from __future__ import annotations

LEXICON: dict[str, str] = {
    "LAP": "runde, runden, umlauf, umläufe",
    "SECTOR": "sektor, sektoren, abschnitt, abschnitte, sektors",
    "PIECE": "minisektor, minisektoren",
    "CORNER": "kurve, kurven, ecke, ecken",
    "STRAIGHT": "gerade, geraden",
    "MAIN": "start ziel, start-ziel, start und ziel, haupt, zielgerade",
    "MAIN STRAIGHT": "auf start-ziel, auf start und ziel, hauptgerade, hauptgeraden, start-ziel-gerade, "
    "start-ziel-geraden, zielgeraden",
    "SESSION": "session, sitzung, turn, heute, fahrt, tag, trackday, ganzen tag, insgesamt heute, tages",
    "STINT": "stint, stints, turns",
    "HALF": "hälfte, haelfte, halbzeit",
    "IN LINE": "an der startlinie, an der ziellinie, an start-ziel, an start ziel, auf der ziellinie",
    "LINE": "startlinie, ziellinie, linie",
    "LAST LAP": "gegen ende",
    "SESSIONEND": "am ende, zum schluss, am schluss, am ende der session, am schluss der session",
    "SESSIONSTART": "am anfang, zu beginn, anfangs, am anfang der session, zu beginn der session",
    "OUTLAP": "auslaufrunde, outlap, aufwärmrunde, rausfahrrunde, aus-runde",
    "INLAP": "einlaufrunde, inlap, auslaufrunde, in-runde",
    "FLYING": "fliegende, fliegenden, gezeitete, gezeiteten, schnellen runden",
    "FIRST": "erste, ersten, erster, erstes",
    "LAST": "letzte, letzten, letzter, letztes, jüngste",
    "BEGIN": "anfangen, anfange, fange, fang, beginne, beginnen, starte",
    "PREV": "heute morgen, heute früh, heute vormittag, vorhin, "
    "letztem mal, gestern, gestrige, gestrigen, beim letzten mal, letzte mal, vorige, vorigen, "
    "vorherige, vorherigen, letzte session, letztes mal, letzten session",
    "NEXT": "nächste, nächsten, nächstes, naechste, naechsten",
    "OTHERS": "anderen, andere, übrigen, rest",
    "EACH SESSION": "aller sessions, allen sessions, alle sessions, aller zeiten",
    "EACH": "jede, jeder, jedem, jeden, jedes, pro, je runde, je kurve, alle, aller, allen, sämtliche, "
    "liste, auflisten, einzeln, "
    "rundenweise, runde für runde",
    "TRACKWHOLE": "ganzen strecke, irgendwo, ganze runde, ganzen runde",
    "BEST": "beste, besten, bester, bestes, am besten, persönliche bestzeit",
    "BEST LAP TIME": "bestzeit, bestzeiten, rundenbestzeit",
    "WORST": "schlechteste, schlechtesten, schlechtester, am schlechtesten",
    "MOST": "höchste, höchsten, höchster, höchstes, hoechste, hoechsten, höchst, hoechst, max, maximal, "
    "maximale, "
    "maximaler, maximales, maximalen, maximum, meiste, meisten, am meisten, größte, größten, größter, "
    "größtes, groesste, "
    "spitze, spitzen, top, stärkste, stärksten, am höchsten, am größten, maxi",
    "LEAST": "tiefpunkt, tiefststand, niedrigste, niedrigsten, niedrigster, niedrigstes, min, minimal, "
    "minimale, minimaler, "
    "minimum, wenigste, "
    "wenigsten, am wenigsten, kleinste, kleinsten, kleinster, geringste, geringsten, geringster, "
    "tiefste, tiefsten, mindest",
    "FAST": "schnell, flott, rasch, schneller runde",
    "FAST MOST": "schnellste, schnellsten, schnellster, schnellstes, am schnellsten",
    "FAST COMP": "schneller",
    "SLOW": "langsam",
    "SLOW MOST": "langsamste, langsamsten, langsamster, langsamstes, am langsamsten",
    "SLOW COMP": "langsamer",
    "LATE": "spät, spaet",
    "LATE MOST": "späteste, spätesten, am spätesten",
    "LATE COMP": "später, spaeter",
    "EARLY": "früh, frueh",
    "EARLY MOST": "früheste, frühesten, am frühesten",
    "EARLY COMP": "früher, frueher, eher",
    "HARD": "hart, stark, fest, kräftig, heftig",
    "HARD MOST": "härteste, härtesten, am härtesten, am stärksten, am kräftigsten",
    "HARD COMP": "härter, stärker, fester",
    "HOT": "heiß, heiss, warm, überhitzt",
    "HOT MOST": "heißeste, heißesten, am heißesten, wärmsten",
    "LONG": "lang, lange",
    "LONG MOST": "längste, längsten, längster, am längsten",
    "LONG LEAST": "kürzeste, kürzesten",
    "LONG COMP": "länger, laenger",
    "MORE COMP": "mehr, höher, größer, hoeher, hoher",
    "LESS COMP": "weniger, niedriger, geringer, kleiner",
    "BETTER": "besser",
    "THAN": "als, verglichen mit, im vergleich zu, im vergleich zur, gegenüber, gegen",
    "MEAN": "durchschnittlich, durchschnittliche, durchschnittlicher, durchschnittlichen, durchschnitt, "
    "im schnitt, "
    "schnitt, mittlere, mittlerer, mittleren, mittel, im mittel, mittelwert, durchschnittlichem",
    "MEDIAN": "median, medianwert",
    "USUAL": "üblich, üblicherweise, normal, normalerweise, gewöhnlich",
    "SUM": "summe, insgesamt, gesamt, zusammen in",
    "SPREAD": "gleichmäßig, gleichmaessig, gleichmäßigkeit, konstant, konstanz, konstanten, streuung, "
    "streut, streuen, "
    "konstanteste, konstantesten, konstanter, schwank*, schwankt, variier*, unterschiedlich, spanne, "
    "beständig, konsistent*, standardabweichung, ungleichmäßig",
    "TREND FAST COMP": "schneller geworden",
    "TREND SLOW COMP": "langsamer geworden",
    "TREND": "trend, verlauf, entwicklung, entwickelt, entwickel*, im lauf, über die session, über die "
    "runden, im laufe, "
    "verändert, gestiegen, gesunken, über die zeit, steigt, sinkt",
    "IMPROVED": "verbessert, verbesserung, gesteigert",
    "SHARE LAP": "wie viel von runde, wie viel der runde",
    "SHARE": "anteil, prozent, prozentual, wie viel prozent, wieviel prozent, prozentsatz, wie viel der "
    "runde",
    "HOWMANY": "wie viele, wieviele, anzahl, zahl der",
    "HOWMUCH": "wie viel, wieviel, um wie viel, um wieviel",
    "OFTEN": "wie oft, oft, wie häufig, häufig",
    "RANK": "sortiert, rangliste, reihenfolge, sortiere, geordnet",
    "COMPARE": "vergleich, vergleiche, verglichen, vergleichen, unterschied, unterschiede, "
    "unterscheid*, differenz, "
    "abstand, gegenübergestellt, vs",
    "EVER": "je, jemals, je mal, irgendwann, mal, überschritten, erreicht, einmal, überhaupt",
    "BEAT": "geknackt, unterboten, geschlagen",
    "OVER": "über, ueber, oberhalb, mehr als, höher als, überschritten",
    "UNDER": "unter, unterhalb, weniger als, niedriger als",
    "WITHIN": "innerhalb",
    "BETWEEN": "zwischen",
    "FROM": "von",
    "TO": "bis, bis zu, bis zur",
    "AND": "und, sowie",
    "OR": "oder",
    "BEFORE": "vor, bevor, davor",
    "AFTER": "nach, seit, danach",
    "NOT": "ohne, außer, ausgenommen, abzüglich",
    "NO": "nicht, kein, keine, keinen, nie, niemals",
    "THERE": "dort, da, in dieser kurve",
    "THATLAP": "in dieser runde, dieser runde, darin",
    "SAME": "dasselbe, das gleiche, genauso, ebenso",
    "ONLY": "nur",
    "OFF BEST": "hinter meiner besten, auf meine beste, auf meine bestzeit",
    "WHAT": "was, wie lautet, wie war, wie waren",
    "WHICH": "welche, welcher, welchem, welchen, welches",
    "WHERE": "wo, an welcher stelle, wo genau",
    "WHEN": "wann",
    "WHO": "wer",
    "WHY": "warum, wieso, weshalb, woran, woran liegt das, ursache, grund",
    "HOW": "wie",
    "TIME": "zeit, zeiten, dauer",
    "LAP TIME": "rundenzeit, rundenzeiten",
    "PACE": "pace",
    "SPEED": "tempo, geschwindigkeit, geschwindigkeiten, speed",
    "MOST SPEED": "vmax, spitzentempo, höchsttempo, topspeed",
    "CARRY": "mitnehmen, mitgenommen",
    "BRAKE": "bremse, bremsen, bremst, gebremst, brems, bremsung, bremsungen, anbremsen, bremste, anbrems",
    "BRAKE POINT": "bremspunkt, bremspunkte, bremspunkts",
    "THROTTLE": "gas, gaspedal, gaspedals",
    "ONGAS": "öffne ich das gas, ans gas, aufs gas, wieder gas, wieder ans gas, gehe ich aufs gas, "
    "gebe ich gas, gas "
    "geben, am gas, "
    "auf dem gas, gaspunkt, gaseinsatz",
    "FULL": "vollgas, voll, vollast, volllast, voll auf dem gas",
    "COAST": "rollen, rolle, rollend, ausrollen, kein pedal, ohne pedal, rolle ich, ausgerollt",
    "BOTH": "beide pedale, beiden pedalen, beide pedalen",
    "TRAIL": "trailbraking, trail braking, hineinbremsen, in die kurve bremsen, bremsen beim lenken",
    "LIFT": "lupfe, lupfen, vom gas, gas weg, gelupft, geht das gas weg, gehe ich vom gas, lupf",
    "POINT": "punkt, punkte, stelle",
    "PRESS": "druck, drücke",
    "FAR": "weit, weg, entfernung, strecke bis, distanz",
    "GEAR": "gang, gänge, gängen, gang war",
    "SHIFT": "schalte, schalten, geschaltet, gangwechsel, schaltvorgänge, schaltpunkt, schaltpunkte",
    "UPSHIFT": "hochschalten, hochgeschaltet, hochschalt, schalte ich hoch",
    "DOWNSHIFT": "herunterschalten, runterschalten, heruntergeschaltet, zurückschalten",
    "RPM": "drehzahl, drehzahlen, umdrehungen, touren",
    "DROP": "abfall, abfällt, fällt",
    "G": "g, g-kräfte, g-kraft, gs, fliehkraft",
    "G LAT": "querbeschleunigung, quer-g, seitliche g",
    "LAT": "quer, seitlich, seitlichen",
    "BRAKE G": "verzögerung, verzögere, bremsverzögerung",
    "ACCEL": "beschleunigung, beschleunige, beschleunigen, längsbeschleunigung",
    "STEER": "lenkung, lenkrad, lenkwinkel, lenken, lenke, lenkeinschlag, lenk",
    "ANGLE": "winkel, einschlag",
    "YAW": "gierrate, gieren, gier",
    "OIL": "öl, oel, öls",
    "WATER": "wasser, kühlwasser, kuehlwasser, kühlmittel, wassers, kühl, kühlwassers",
    "ENGINE": "motor, motors",
    "TEMP": "temperatur, temperaturen, grad warm, temp",
    "HEIGHT": "höhe, höhenmeter, hoehe",
    "CLIMB": "höhenunterschied, steigung",
    "SMOOTH": "weich, ruhig, sanft, sauber, unruhig",
    "ENTRY": "eingang, eingangs, einfahrt, einlenken, kurveneingang, hinein, rein, einlenkpunkt, "
    "eingangstempo tempo",
    "APEX": "scheitel, scheitelpunkt, kurvenmitte, mitte, apex, scheitels",
    "EXIT": "ausgang, ausgangs, ausfahrt, kurvenausgang, heraus, raus, kurvenausgangs, hinaus",
    "LOSE": "verliere, verlieren, verloren, verlust, verlor, zeitverlust, liegen lassen, lasse ich "
    "liegen, kostet, kosten, "
    "gekostet, verschenke, verschenken, verschenkt, einbüße, verluste",
    "GAIN": "gewinne, gewonnen, gutgemacht, gewinnen, holen, gewinn, hole ich",
    "TAKE": "brauche, brauchte, dauert, dauerte, gebraucht, brauch",
    "IDEAL": "ideal, ideale, idealrunde, idealzeit, theoretische, theoretisch, theoretischer, optimal, "
    "optimale, perfekte, "
    "ideallinie zeit, möglich, bestmögliche",
    "TOGETHER": "zusammen, zusammensetze, zusammensetzen, zusammenzähle, addiert, addiere, kombiniert, "
    "zusammengesetzt",
    "WORK": "üben, uebe, übe, verbessern, arbeiten, tipp, tipps, rat, ratschlag, empfiehlst, "
    "empfehlung, konzentrieren, "
    "schneller werden, besser machen, anders machen, schwäche, schwächste, größtes problem, ändern",
    "COACH": "coach, trainer, pitwall, du",
    "SAY": "gesagt, sagt, sagst, sagte, ansage, ansagen, angesagt, gesprochen, hinweise, hinweis",
    "HEED": "befolgt, befolge, gehalten, beachtet, umgesetzt, gefolgt, ignoriert",
    "MARK": "markiert, markierung, markierungen",
    "TARGET": "ziel, ziele, zielzeit, vornehmen",
    "PLAN": "plan, planen, programm",
    "STOP": "stopp, stopps, angehalten, gehalten habe, box, boxenstopp, pause, stand",
    "SPIN": "dreher, gedreht, abflug, abgeflogen, ausritt, zwischenfall, zwischenfälle, vorfall, "
    "fehler, unfall",
    "BALANCE": "untersteuern, übersteuern, untersteuert, übersteuert, balance, fahrwerk, abstimmung, setup",
    "PROGRESS": "fortschritt, fortschritte, über die saison, historie",
    "SUMMARY": "zusammenfassung, überblick, wie lief es, wie lief die session, wie war die session, wie "
    "war ich, wie lief "
    "der turn, wie war der tag, wie lief der tag, wie lief die sitzung, nachbesprechung",
    "DURATION": "wie lange ging die session, wie lang ging die session, wie lange war die session, wie "
    "lange bin ich gefahren, wie lange dauerte die session, wie lang war die "
    "session, wie lange war ich draußen, fahrzeit",
    "DRIVEN": "wie weit bin ich gefahren, gefahrene kilometer, wie viele kilometer, wieviele kilometer, "
    "kilometer bin ich",
    "LENGTH": "streckenlänge, wie lang ist die strecke, wie lang ist eine runde, rundenlänge, länge",
    "TRACK": "strecke, rennstrecke, kurs",
    "CAR": "auto, wagen, fahrzeug",
    "DRIVER": "fahrer",
    "RECORD": "aufgezeichnet, aufzeichnung, kanäle, signale, signal, sensoren, aufgenommen",
    "SOURCE": "gerät, logger, datei",
    "GPS": "gps, satelliten, empfang",
    "DIRECTION": "uhrzeigersinn, richtung, linkskurve, rechtskurve, links oder rechts, herum",
    "DATED": "datum, welchem tag, wann war die session, wann bin ich gefahren, wann war das",
    "EXPORT": "exportieren, exportiere, export, diagramm, grafik, herunterladen, zeichne, video, datei "
    "schicken",
    "HELP": "was kann ich fragen, was kannst du, hilfe",
    "BE": "bin, ist, war, waren, sind, habe, hab, hatte, hat, hast, wurde, wurden, wird, werde, werden, "
    "gewesen, gehabt, "
    "mache, machen, gemacht, fahre, fahren, gefahren, fuhr, kann, könnte, koennte, konnte, soll, "
    "sollte, muss, geht, gehe, "
    "ging, liegt, lag, kam, komme, bekommen, kommen, gab, gibt, sei, wäre, hätte, drücke ich",
    "I": "ich, mein, meine, meinen, meiner, meinem, meines, mir, mich, wir, uns",
    "IN": "in, im, auf, am, an, bei, beim, für, fuer, mit, während, durch, zu, zur, zum, aus, ins, "
    "eingelegt, um, ab, dran, "
    "vom, gegen die, entlang, unterwegs, neben",
    "THE": "hier, geworden, fehlt, sekunden, zehntel, ordnung, die beiden, möglich, der, die, das, den, dem, "
    "des, ein, eine, einen, einer, einem, es, dieser, diese, diesem, dies, so, denn, bitte, "
    "eigentlich, genau, ungefähr, etwa, ja, auch, noch, nochmal, sehr, zeig, zeige, nenne, sag, sage, "
    "gib, wenn, dass, sich, "
    "man, mal bitte, doch, wirklich, jetzt, nun, viel, alles, als erstes, lag die, wert, werte, hoch, "
    "anlegen, allgemein, "
    "davon, hallo, danke, wie war denn, was ist mit, wie ist es mit, wie sieht es aus mit, und was ist "
    "mit, stelle der",
}

UNTOLD: dict[str, str] = {
    "tyres": "reifen, reifendruck, reifentemperatur, reifendrücke, gummi",
    "fuel": "benzin, sprit, kraftstoff, tank, verbrauch",
    "weather": "wetter, regen, geregnet, wind, lufttemperatur, streckentemperatur, außentemperatur",
    "brake temperature": "bremstemperatur, bremsentemperatur, bremsscheibe, bremsbeläge",
    "other cars": "andere autos, verkehr, überholt, gegner, konkurrenz",
    "result": "platzierung, podium, ergebnis, position im rennen",
    "driving aids": "abs, traktionskontrolle, esp",
    "flags": "flagge, flaggen, safety-car",
    "body": "puls, herzfrequenz",
    "clutch": "kupplung",
    "power": "leistung, drehmoment, ps",
    "suspension": "federung, abtrieb, dämpfer",
    "battery": "batterie, spannung",
    "wheel speeds": "blockiert, blockieren, radschlupf",
}

# What is said around a question, and what asks for a change: for the routing, in English.
TALK: dict[str, str] = {
    "danke": "thanks",
    "dankeschön": "thanks",
    "hallo": "hello",
    "moin": "hello",
    "servus": "hello",
    "tschüss": "bye",
    "morgen": "morning",
    "guten": "good",
    "super": "great",
    "toll": "great",
    "prima": "great",
    "gut": "good",
    "klasse": "great",
    "ändere": "change",
    "ändern": "change",
    "änder": "change",
    "schreib": "write",
    "schreibe": "write",
    "umschreiben": "rewrite",
    "ersetze": "replace",
    "kürze": "shorten",
    "speichere": "save",
    "mach": "make",
    "mache": "make",
    "ansage": "phrase",
    "ansagen": "phrases",
    "spruch": "phrase",
    "satz": "phrase",
    "text": "words",
    "wort": "word",
    "kannst": "can",
    "könntest": "could",
    "du": "you",
    "bitte": "please",
    "sagst": "do you say",
    "sagt": "says",
    "sagen": "say",
    "was": "what",
    "wie": "how",
    "geht": "are",
    "neue": "new",
    "neuen": "new",
    "anderen": "different",
    "frustriert": "frustrated",
    "frust": "frustration",
    "nervös": "nervous",
    "angst": "afraid",
    "selbstvertrauen": "confidence",
    "motivation": "motivation",
    "rennen": "race",
    "reifen": "tyres",
    "regen": "rain",
    "nass": "wet",
    "wetter": "weather",
    "nebel": "fog",
    "kalt": "cold",
    "plan": "plan",
    "training": "practice",
    "üben": "practice",
    "ziel": "target",
    "ziele": "goals",
    "fortschritt": "progress",
    "schneller": "faster",
    "konstant": "consistent",
    "gleichmäßig": "consistent",
    "streuung": "variance",
    "vergleich": "compare",
    "vergleiche": "compare",
    "referenz": "reference",
    "untersteuern": "understeer",
    "übersteuern": "oversteer",
    "fahrwerk": "setup",
    "unfall": "incident",
    "dreher": "spin",
    "zusammenfassung": "debrief",
    "nachbesprechung": "debrief",
    "einweisung": "brief",
    "briefing": "brief",
    "alles": "all",
    "klar": "right",
    "dir": "",
    "das hat spaß gemacht": "that was fun",
    "dank": "thanks",
    "karussell": "carousel",
    "vielen": "many",
    "höhepunkt": "highlight",
    "höhepunkte": "highlights",
    "heute": "today",
    "fühlt": "feels",
    "auto": "car",
}

UNITS: dict[str, str] = {
    "kmh": "km/h, kmh, stundenkilometer",
    "mph": "mph, meilen",
    "rpm": "u/min, umdrehungen, touren",
    "bar": "bar",
    "psi": "psi",
    "g": "g",
    "celsius": "grad, celsius, c, °c",
    "fahrenheit": "fahrenheit, °f",
    "%": "prozent, %",
    "metres": "m, meter, metern",
    "feet": "fuß, fuss",
    "yards": "yard, yards",
    "knots": "knoten",
    "km": "km, kilometer",
    "minutes": "minuten, minute",
    "s": "s, sekunde, sekunden",
    "tenths": "zehntel",
}

NUMBERS = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
)
# What an ordinal may end in.
ORDINAL_ENDS = ",n,r,s"
ORDINALS = "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte"

TERMS: dict[str, dict[str, str]] = {
    "measure": {
        "time": "Zeit", "speed": "Tempo", "entry_speed": "Tempo am Eingang", "min_speed": "Tempo am Scheitel",
        "exit_speed": "Tempo am Ausgang", "brake_m": "Bremspunkt", "lift_m": "wo vom Gas",
        "throttle_m": "Gaspunkt",
        "brake_bar": "Bremsdruck", "brake_time": "Zeit auf der Bremse", "brake_count": "wie oft gebremst",
        "brake_far_m": "Bremsweg", "full_throttle": "Zeit mit Vollgas", "coast": "Rollen",
        "overlap": "beide Pedale",
        "trail": "Trailbraking", "lost": "Zeitverlust", "brake_lost": "Zeitverlust auf der Bremse",
        "mid_lost": "Zeitverlust in der Mitte", "exit_lost": "Zeitverlust am Ausgang", "lifts": "wie "
            "oft gelupft",
        "throttle": "Gas", "throttle_turns": "wie ruhig am Gas", "steering_turns": "wie ruhig die Lenkung",
        "gear": "Gang", "gear_time": "Zeit in einem Gang", "shifts": "wie oft geschaltet",
        "upshifts": "wie oft Hochschalten",
        "downshifts": "wie oft Herunterschalten", "shift_rpm": "Drehzahl beim Hochschalten",
        "rev_drop": "Drehzahl Abfall beim Hochschalten", "rpm": "Drehzahl", "g_lat": "Querbeschleunigung",
        "g_brake": "Verzögerung", "g_accel": "Beschleunigung", "coolant_c": "Wassertemperatur",
        "oil_temp_c": "Öltemperatur", "oil_bar": "Öldruck", "steering_deg": "Lenkwinkel", "yaw": "Gierrate",
        "climb_m": "Höhenunterschied", "altitude_m": "Höhe", "losses": "wo ich Zeit verliere",
        "advice": "was ich üben soll", "corner": "wie sie gefahren war", "ideal": "Idealrunde",
        "lap_count": "wie viele Runden", "said": "was der Coach gesagt hat", "target": "Ziel",
        "stints": "Stints",
        "compare": "Vergleich", "spread": "Streuung", "duration": "wie lange die Session war",
        "progress": "Fortschritt", "incidents": "Zwischenfälle", "heeded": "Hinweise befolgt",
        "summary": "Zusammenfassung", "plan": "Plan", "setup": "Balance", "why": "warum es so war",
        "driven_km": "gefahrene Kilometer", "track_km": "Streckenlänge", "channels": "was aufgezeichnet ist",
    },
    "which": {
        "min": "niedrigstes", "max": "höchstes", "mean": "im Durchschnitt", "median": "Median",
        "sum": "Summe",
        "spread": "Streuung", "trend": "Trend", "share": "Anteil",
    },
    "group": {"lap": "jede Runde", "corner": "jede Kurve", "sector": "jeder Sektor",
              "straight": "jede Gerade", "gear": "jeder Gang"},
    "ask how": {"": "üblicher Wert", "mean": "im Durchschnitt", "median": "Median", "min": "niedrigster Wert",
                "max": "höchster Wert", "sum": "insgesamt", "spread": "Spanne über die Runden",
                "trend": "üblicher Wert", "share": "üblicher Wert"},
    "ask order": {"min": ", der niedrigste zuerst", "max": ", der höchste zuerst"},
    "side": {"over": "über", "under": "unter"},
    "lap mark": {"best": "meiner besten Runde", "worst": "meiner langsamsten Runde", "last": "der "
        "letzten Runde",
                 "first": "der ersten Runde", "in": "der Einlaufrunde", "out": "der Auslaufrunde",
                 "all": "allen Runden"},
}  # fmt: skip

SENTENCES: dict[str, str] = {
    "ask in lap": "{value} in Runde {lap}",
    "ask lap value": "Runde {lap} {value}",
    "ask of lap": " (Runde {lap})",
    "ask place value": "{place} {value}",
    "ask nth": ", Nummer {rank}",
    "ask over flying": " über {count:1 fliegende Runde|# fliegende Runden}",
    "ask by place": "{label}{how}{laps}{order}: {values:and}.",
    "ask lap best": "Runde {lap} war deine beste: {time:lap}, die schnellste von {count:1 fliegenden Runde|# "
    "fliegenden Runden}.",
    "ask slowest": "Sie ist deine langsamste fliegende Runde.",
    "ask median": "Median {value}.",
    "ask lowest": "{label}{place}, niedrigster Wert{among}: {value}, in Runde {lap}.",
    "ask highest": "{label}{place}, höchster Wert{among}: {value}, in Runde {lap}.",
    "ask among": " von {laps:laps}",
    "ask between": "{by} dazwischen.",
    "ask two mean": "{label}, im Durchschnitt: {value}{place}, {other}{other_place}, {by} dazwischen.",
    "ask usual against": (
        "{label}{place}: üblicherweise {value} über {count:1 andere fliegende Runde|# andere fliegende "
        "Runden}, "
        "{other} in Runde {lap}: {by} dazwischen."
    ),
    "ask share": (
        "{label}{place}: im Durchschnitt {share:.0%} der Zeit über {count:1 Runde|# Runden} ({time}), von "
        "{low:.0%} bis {high:.0%}."
    ),
    "ask first session": "Vergleich von {count} Sessions, {end}: {value}, Session vom {when}.",
    "ask of session": "Session vom {when}: {rest}",
    "asked corners none of": "{label} liegt in keiner Kurve in den meisten Runden {side} {limit}.",
    "ask back": "Meinst du {first}, oder {second}?",
    "ask back one": "Meinst du {first}?",
    "ask strange": "Ich weiß nicht, was du mit {words:and} meinst.",
    "ask unused": "Ich weiß nicht, was {words:and} dabei heißen soll.",
    "ask query": "{which}{measure}{place}{laps}{group}{unit}",
    "ask at": " in {place}",
    "ask of laps": " in {laps}",
    "ask own lap": "Runde {lap}",
    "ask by": ", {group}",
    "ask ranked": ", {group}, {order}",
}
