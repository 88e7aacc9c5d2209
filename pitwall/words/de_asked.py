"""German: the answers to a driver's questions about laps, sectors, corners, signals and sessions."""

from __future__ import annotations

TERMS: dict[str, dict[str, str]] = {
    "asked": {
        "time": "Zeit", "time lap": "Rundenzeit", "sector": "Sektorzeit",
        "speed": "Tempo", "speed most": "Höchsttempo", "speed least": "Niedrigstes Tempo",
        "speed mean": "Mittleres Tempo",
        "entry_speed": "Eingangstempo", "min_speed": "Kleinstes Tempo", "exit_speed": "Ausgangstempo",
        "brake_m": "Bremspunkt vor dem Scheitel", "lift_m": "Vom Gas vor dem Scheitel",
        "throttle_m": "Wieder halbes Gas, nach dem Scheitel",
        "brake_bar": "Bremsdruck", "brake_bar most": "Höchster Bremsdruck",
        "brake_bar mean": "Mittlerer Bremsdruck", "brake_bar least": "Niedrigster Bremsdruck",
        "brake_time": "Zeit auf der Bremse", "brake_time most": "Längste Bremsung",
        "brake_far_m": "Weg auf der Bremse", "brake_far_m most": "Längster Weg auf der Bremse",
        "brake_count": "Bremsungen",
        "full_throttle": "Vollgas", "full_throttle most": "Längstes Vollgas",
        "overlap": "Beide Pedale gedrückt", "overlap most": "Am längsten beide Pedale gedrückt",
        "coast": "Rollen ohne Pedal", "coast most": "Längstes Rollen",
        "trail": "Bremsen beim Lenken, über 0,3 g",
        "trail most": "Längstes Bremsen beim Lenken, über 0,3 g",
        "lost": "Auf die beste Durchfahrt verlorene Zeit",
        "brake_lost": "Auf der Bremse verloren gegen deine beste Runde",
        "mid_lost": "In der Mitte verloren gegen deine beste Runde",
        "exit_lost": "Am Ausgang verloren gegen deine beste Runde",
        "lifts": "Wie oft das Gas unter die Hälfte ging",
        "throttle": "Gas", "throttle mean": "Mittleres Gas", "throttle most": "Meistes Gas",
        "throttle least": "Wenigstes Gas",
        "throttle_turns": "Wie oft das Gas zurückgenommen wurde",
        "steering_turns": "Wie oft die Lenkung zurückgedreht wurde",
        "gear": "Gang", "gear_time": "Zeit eingelegt", "gear most": "Höchster Gang", "gear least": "Niedrigster Gang",
        "shifts": "Gangwechsel",
        "upshifts": "Hochschalten", "downshifts": "Herunterschalten",
        "shift_rpm": "Drehzahl beim Hochschalten",
        "rev_drop": "Abfall der Drehzahl beim Hochschalten",
        "rpm": "Drehzahl", "rpm most": "Höchste Drehzahl", "rpm least": "Niedrigste Drehzahl",
        "rpm mean": "Mittlere Drehzahl",
        "g_lat": "Querbeschleunigung", "g_lat most": "Höchste Querbeschleunigung",
        "g_lat mean": "Mittlere Querbeschleunigung",
        "g_brake": "Bremsverzögerung", "g_brake most": "Höchste Bremsverzögerung",
        "g_brake mean": "Mittlere Bremsverzögerung",
        "g_accel": "Beschleunigung", "g_accel most": "Höchste Beschleunigung",
        "coolant_c": "Kühlwassertemperatur", "coolant_c most": "Höchste Kühlwassertemperatur",
        "coolant_c least": "Niedrigste Kühlwassertemperatur",
        "coolant_c mean": "Mittlere Kühlwassertemperatur",
        "oil_temp_c": "Öltemperatur", "oil_temp_c most": "Höchste Öltemperatur",
        "oil_temp_c least": "Niedrigste Öltemperatur", "oil_temp_c mean": "Mittlere Öltemperatur",
        "oil_bar": "Öldruck", "oil_bar most": "Höchster Öldruck", "oil_bar least": "Niedrigster Öldruck",
        "oil_bar mean": "Mittlerer Öldruck",
        "steering_deg": "Lenkwinkel", "steering_deg most": "Größter Lenkwinkel",
        "steering_deg mean": "Mittlerer Lenkwinkel",
        "yaw": "Gierrate", "yaw most": "Höchste Gierrate", "yaw mean": "Mittlere Gierrate",
        "climb_m": "Höhenunterschied",
        "altitude_m": "Höhe", "altitude_m most": "Größte Höhe", "altitude_m least": "Kleinste Höhe",
        "altitude_m mean": "Mittlere Höhe", "satellites": "Zahl der Satelliten",
    },
    "sought": {
        "corner": "die Kurve",
        "straight": "diese Gerade (sag die Hauptgerade, die längste oder die vor einer Kurve)",
        "straights": "jede Gerade", "spread": "wie es schwankt",
        "trend": "wie es sich ändert", "median": "der Median", "mean": "der Durchschnitt",
        "total": "die Summe", "share": "ein Anteil", "count": "wie viele",
        "not": "wann es nicht so war",
        "two": "eine Runde neben der anderen", "place": "wo auf der Runde",
        "when": "wann es war", "again": "ob es wieder vorkam", "before": "wie es vorher war",
        "next": "was danach kommt", "ends": "an seinem Anfang oder Ende",
        "only": "nur diese", "except": "alle außer einigen",
        "closest": "was am nächsten ist", "nearest": "was am nächsten ist",
        "moment": "ein Augenblick einer Runde",
        "earlier": "was früher war",
        "target_s": "diese Rundenzeit", "limit_s": "diese Grenze", "within_s": "diese Grenze",
        "between_s": "diese Grenzen", "sprint": "von einem Tempo zum anderen",
        "session": "die andere Sitzung",
        "at_speed": "dieses Tempo", "at_s": "diese Zeit", "clear": "Runden ohne Verkehr",
        "made_of": "eine Runde aus diesen Sektoren", "bound": "diese Grenze",
    },
    "point": {
        "entry": "am Eingang", "apex": "am langsamsten Punkt", "exit": "am Ausgang",
        "brake": "am Bremspunkt", "lift": "wo du vom Gas gehst",
    },
    "untold": {
        "brake release": "der Stelle, an der du die Bremse löst",
        "missed gears": "verfehlten Gängen",
        "wheel speeds": "blockierenden oder durchdrehenden Rädern",
        "flags": "Flaggen", "weather": "Wetter und Zustand der Strecke", "tyres": "den Reifen",
        "fuel": "Kraftstoff",
        "brake temperature": "Temperatur und Verschleiß der Bremsen", "other cars": "anderen Autos",
        "result": "Plätzen und Ergebnissen",
        "pit lane": "der Länge und dem Tempolimit der Boxengasse",
        "penalties": "Strafen und Streckengrenzen", "body": "deinem Körper", "clutch": "der Kupplung",
        "driving aids": "Traktionskontrolle, ABS und andere Helfer",
        "differential": "Getriebe und Differenzial", "power": "Leistung und Drehmoment",
        "suspension": "Fahrwerk und Abtrieb",
        "battery": "der Batterie", "contact": "Berührungen und Schäden", "video": "Video",
        "good times": "guten Zeiten für ein Auto oder eine Strecke", "air fuel": "Gemisch und Abgas",
        "turn in": "der Stelle, an der du einlenkst",
    },
    "untold why": {
        "brake release": (
            "Sie steht nicht bei den Runden; bekannt sind Bremspunkt, Zeit und Weg auf der Bremse."
        ),
        "missed gears": (
            "Ein Gang, der nicht einrastet, hinterlässt keine eigene Spur; bekannt sind Gang und Drehzahl, "
            "wo sie aufgezeichnet wurden."
        ),
        "wheel speeds": "Keine Quelle gab die Geschwindigkeit der einzelnen Räder.",
        "flags": "Keine Quelle zeichnet sie auf. Eine Runde, die du als gelb markierst, wird nicht gewertet.",
        "weather": (
            "Keine Quelle zeichnet es auf; bekannt sind nur die Temperaturen des Motors und der genutzte "
            "Grip."
        ),
        "tyres": "Keine Quelle gab ihre Temperatur, ihren Druck oder Verschleiß.",
        "fuel": "Keine Quelle gab Stand oder Verbrauch.",
        "brake temperature": "Keine Quelle gab sie; Druck, Ort und Dauer der Bremsungen sind bekannt.",
        "other cars": (
            "Nur dein eigenes Auto wird aufgezeichnet. Eine Runde, die du als Verkehr markierst, wird "
            "nicht gewertet."
        ),
        "result": "Nur deine eigenen Runden werden aufgezeichnet, nicht die der anderen.",
        "pit lane": "Eine Streckendatei hat nur die Runde; wie lange du in der Box standest, ist bekannt.",
        "penalties": "Keine Quelle meldet die Rennleitung.", "body": "Keine Quelle misst ihn.",
        "clutch": "Keine Quelle gab ein Signal der Kupplung.",
        "driving aids": "Keine Quelle meldet, wann sie eingriffen.", "differential": "Keine Quelle gab sie.",
        "power": "Keine Quelle misst sie.", "suspension": "Keine Quelle misst sie.",
        "battery": "Keine Quelle gab sie.",
        "contact": (
            "Keine Quelle meldet sie; harte Schläge zeigen sich in der Beschleunigung, frag nach "
            "Zwischenfällen."
        ),
        "good times": "Bekannt sind nur die hier gespeicherten Runden.", "video": "Pitwall hält keines.",
        "air fuel": "Keine Quelle gab sie.",
        "turn in": "Sie wird zu den Runden nicht gespeichert; Bremspunkt, Eingangstempo und Scheitel schon.",
    },
    "session mark": {
        "previous": "vor dieser", "yesterday": "vom Tag davor", "morning": "von diesem Morgen",
        "afternoon": "von diesem Nachmittag", "week": "aus der Woche davor", "month": "aus dem Monat davor",
        "year": "aus dem Jahr davor", "day": "von diesem Tag", "drivers": "Fahrer", "cars": "Autos",
    },
}  # fmt: skip

SENTENCES: dict[str, str] = {
    "asked in gear": " im Gang {gear}",
    "asked gear used": "Gang {gear}{place}: {count:einmal|#-mal} eingelegt, zusammen {time:.1f} s{laps}.",
    "asked gear unused": "Gang {gear} war dort nicht eingelegt.",
    "asked gears": " vom Gang {first} in den Gang {last}",
    "asked to gear": " in den Gang {last}",
    "asked at corner": " in {corner}",
    "asked in piece": " im {piece} von {count}",
    "asked no piece": "die Runde hat hier {count} Minisektoren",
    "asked ideal pieces": (
        "Deine besten Zeiten in {count} gleich langen Minisektoren ergeben {time:lap}, {gain:.3f} s unter "
        "deiner "
        "besten Runde ({best:lap}, Runde {lap}). In so vielen Stücken steckt Glück: keine Runde muss sie "
        "alle haben."
    ),
    "asked at speed": "{label} bei {limit}, wenn das Auto schneller wird: {values:and}.",
    "asked at speed gear": "{gear}. Gang {count:einmal|# mal}",
    "asked at speed usual": (
        "{label} bei {limit}, wenn das Auto schneller wird: meist {value}, von {low} bis {high} "
        "({count:einmal|# mal})."
    ),
    "asked at speed never": "{limit} hast du in {laps:laps} nie erreicht: Höchstgeschwindigkeit {top}.",
    "asked lap at": (
        "{minutes} min {seconds} s nach Beginn der Aufzeichnung warst du in Runde {lap}{kind}, {by:.0f} s "
        "nach ihrem "
        "Beginn."
    ),
    "asked no lap at": "{minutes} min {seconds} s nach Beginn der Aufzeichnung warst du in keiner Runde.",
    "asked car": "Das Auto dieser Sitzung heißt {car}.",
    "asked car unnamed": "Welches Auto es war, ist nicht bekannt: diese Sitzung nennt keines.",
    "asked track name": "Gefahren wurde auf {track}.",
    "asked clear": "Ohne {laps:laps}, als Verkehr markiert; andere Autos meldet keine Quelle.",
    "asked clear none": (
        "Keine Runde ist als Verkehr markiert, und andere Autos meldet keine Quelle: alle fliegenden "
        "Runden zählen."
    ),
    "asked in sector": " in Sektor {sector}",
    "asked span": " vom Eingang von {first} bis zum Ausgang von {last}",
    "asked span gap": " vom Ausgang von {first} bis zum Eingang von {last}",
    "asked span to line": " vom Ausgang von {corner} bis zur Startlinie",
    "asked span from line": " von der Startlinie bis zum Eingang von {corner}",
    "asked before": " {place:m.0f} vor dem Eingang von {corner}",
    "asked straight before": " auf der Geraden vor {corner}",
    "asked straight after": " auf der Geraden nach {corner}",
    "asked yes over": "Ja. {label}{place}: {value}, in Runde {lap}. Über {limit} in {laps:laps}.",
    "asked yes under": "Ja. {label}{place}: {value}, in Runde {lap}. Unter {limit} in {laps:laps}.",
    "asked counted over": "{label}{place} über {limit}: {count:einmal|#-mal}, zusammen {time:.1f} s{laps}.",
    "asked counted under": "{label}{place} unter {limit}: {count:einmal|#-mal}, zusammen {time:.1f} s{laps}.",
    "asked counted longest over": (
        "{label}{place} über {limit}: am längsten {time:.1f} s am Stück, in Runde {lap}; es beginnt {begin}."
    ),
    "asked counted longest under": (
        "{label}{place} unter {limit}: am längsten {time:.1f} s am Stück, in Runde {lap}; es beginnt {begin}."
    ),
    "asked corners over": "{label} über {limit} in den meisten Runden: {corners:and} ({count}/{total}).",
    "asked corners under": "{label} unter {limit} in den meisten Runden: {corners:and} ({count}/{total}).",
    "asked places": "Wo in Runde {lap}: {places}.",
    "asked no limit": "Nein. {label}{place}: {value}, in Runde {lap}.",
    "asked is recorded": "{signal}: in dieser Sitzung aufgezeichnet.",
    "asked unbraked": "Ohne Bremse{laps}: {corners:and}.",
    "asked braked": "Mit Bremse{laps}: {corners:and}.",
    "asked all braked": "Keine davon bist du ohne Bremse gefahren{laps}.",
    "asked no stop": "Zwischen erster und letzter Runde hast du nicht gehalten, es ist also ein Stint.",
    "asked stop": "{time:.0f} s in Runde {lap}",
    "asked stops": "Du hast {count:einmal|#-mal} gehalten: {values:and}.",
    "asked stint": "Stint {stint}, {laps:laps}: beste {best:lap} (Runde {lap}), im Schnitt {mean:lap}.",
    "asked on line": " an der Startlinie",
    "asked at place": " {place:m.0f} nach der Startlinie",
    "asked in laps": " in {laps:laps}",
    "asked point": "{label} {point}",
    "asked one": "{label}{place} in Runde {lap}: {value}.",
    "asked list": "{label}{place}: {values:and}.",
    "asked best list": "{label}{place}, jeweils die beste: {values:and}.",
    "asked mean list": "{label}{place}, jeweils im Durchschnitt: {values:and}.",
    "asked two corners": "{label} in Runde {lap}: {value}{place}, {other}{other_place}, {by} Unterschied.",
    "asked two peaks": "{label}: {value}{place}, {other}{other_place}, {by} auseinander.",
    "asked two usual": "{label}, gewöhnlich: {value}{place}, {other}{other_place}, {by} Unterschied.",
    "asked extreme": "{label}{place}: {value}, in Runde {lap}{among}.",
    "asked of flying": " (von den fliegenden Runden)",
    "asked session": "{label}{place}: {value} über {count:die fliegende Runde|# fliegende Runden}.",
    "asked mean": "{label}{place}, Durchschnitt von {count:1 fliegenden Runde|# fliegenden Runden}: {value}.",
    "asked median": "{label}{place}, Median von {count:1 fliegenden Runde|# fliegenden Runden}: {value}.",
    "asked usual of": "Gewöhnlich {value}, bei {count} davon.",
    "asked always": "{label}{place}: {value} in {count:der fliegenden Runde|jeder von # fliegenden Runden}.",
    "asked usual": "{label}{place}: gewöhnlich {value}, von {low} bis {high}.",
    "asked in best": "In deiner besten Runde: {value} (Runde {lap}).",
    "asked share": " ({share:.0%})",
    "asked spread": (
        "{label}{place}: {by} zwischen {low} und {high}; Standardabweichung {sd} über {count} fliegende "
        "Runden."
    ),
    "asked trend": (
        "{label}{place}: zuerst {first}, zuletzt {last}; am niedrigsten {least}, am höchsten {most}."
    ),
    "asked trend rises": "Der Wert steigt: {slope} je Runde.",
    "asked trend falls": "Der Wert fällt: {slope} je Runde.",
    "asked trend earlier": "Es wird früher: {slope} je Runde.",
    "asked trend later": "Es wird später: {slope} je Runde.",
    "asked trend slower": "Du wirst langsamer: {slope} je Runde.",
    "asked trend quicker": "Du wirst schneller: {slope} je Runde.",
    "asked trend neither": "Es geht auf und ab, ein sicherer Trend ist nicht zu sehen ({slope} je Runde).",
    "asked trend unknown": "Für einen Trend sind das zu wenige Runden.",
    "asked two faster": (
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: Runde {lap} war "
        "{by} schneller."
    ),
    "asked two slower": (
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: Runde {lap} war "
        "{by} langsamer."
    ),
    "asked two more": (
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: {by} mehr in Runde "
        "{lap}."
    ),
    "asked two less": (
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: {by} weniger in "
        "Runde {lap}."
    ),
    "asked two earlier": (
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: {by} früher in "
        "Runde {lap}."
    ),
    "asked two later": (
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: {by} später in "
        "Runde {lap}."
    ),
    "asked two same": "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: gleich.",
    "asked unknown": "{label}{place}: das sagen die Daten dieser Sitzung nicht.",
    "asked little known": (
        "{label}: in {laps:laps} nur für {share:.0%} der Zeit aufgezeichnet, also nicht zu sagen."
    ),
    "asked unknown in laps": "{label}{place}: das sagen die Daten für {laps:laps} nicht.",
    "asked not in": "Nicht bekannt für {laps:laps}.",
    "asked none in": "Keiner in {laps:laps}.",
    "asked none of them": "{label}{place}: keiner in {laps:laps}.",
    "asked not recorded": "{signal}: in dieser Sitzung nicht aufgezeichnet, also nicht zu sagen.",
    "asked one lap only": "Das braucht mehrere fliegende Runden, und hier ist es nur eine.",
    "asked too few laps": "es gibt nur {count:1 fliegende Runde|# fliegende Runden} in dieser Sitzung",
    "asked no corner": "{corner} ist keine Kurve von {track}, die hier bekannt ist",
    "asked no corner counted": (
        "die Kurven von {track} hat Pitwall gefunden und von der Startlinie an gezählt; welche der {count} "
        "{corner} ist, ist nicht bekannt"
    ),
    "ask by number": (
        "frag nach einer Kurve mit ihrer Nummer, {first} bis {last}, oder nach dem kleinsten Tempo jeder "
        "Kurve, das zeigt, welche welche ist"
    ),
    "asked corners": "frag nach {corners:and}",
    "asked no corners known": (
        "Auf dieser Strecke sind keine Kurven bekannt, also ist das nicht nach Kurven zu sagen."
    ),
    "asked no sectors": "in dieser Sitzung wurde kein Sektor gestoppt",
    "asked no sector": "es gibt keinen Sektor {sector}, die Runde hat {count} Sektoren",
    "asked only at corners": "{label} ist nur für eine Kurve bekannt: nenn eine.",
    "asked corner value": "{corner} {value}",
    "asked sector value": "Sektor {sector} {value}",
    "asked sector of lap": "Sektor {sector} {time} (Runde {lap})",
    "asked ranked": "{label}{laps}: {values:and}.",
    "asked ranked spread least": (
        "{label}, Spanne über die fliegenden Runden{laps}: am wenigsten {values:and}."
    ),
    "asked ranked spread": "{label}, Spanne über die fliegenden Runden{laps}: am meisten {values:and}.",
    "asked sectors spread": "{label}, Spanne über die fliegenden Runden: {values:and}.",
    "asked target driven": "Ja: {target:lap} ist geschafft, deine beste war {best:lap} (Runde {lap}).",
    "asked target lacks": "Zu {target:lap} fehlen deiner besten Runde {by:.3f} s ({best:lap}, Runde {lap}).",
    "asked target unknown": (
        "Es wurden keine Sektoren gemessen, darum sagen die Daten nicht, ob sie in deinen Runden steckt."
    ),
    "asked target in sectors": (
        "Sie steckt in deinen Runden: Deine besten Sektoren ergeben {total:lap}, {by:.3f} s darunter."
    ),
    "asked target beyond": (
        "Deine besten Sektoren ergeben {total:lap}, {by:.3f} s darüber: Du müsstest etwas Neues finden."
    ),
    "asked alone": (
        "Runde {lap} ({time:lap}) steht allein: Die nächste fliegende ist Runde {near}, {by:.3f} s entfernt. "
        "Glück und Können können die Daten nicht unterscheiden."
    ),
    "asked not alone": (
        "Nein: Runde {lap} ({time:lap}) steht nicht allein, {laps:laps} kam bis auf {by:.3f} s heran."
    ),
    "asked the others": (
        "{count:Die andere fliegende Runde dauerte|Die # anderen fliegenden Runden dauerten im Schnitt} "
        "{mean:lap}, Standardabweichung {sd:.3f} s."
    ),
    "asked sectors again": "Eine andere Runde war gleich schnell in Sektor {sectors:and}.",
    "asked sectors once": "In keinem ihrer Sektoren war eine andere Runde gleich schnell.",
    "asked lap when": (
        "Runde {lap} ({time:lap}) begann {minutes} min {seconds} s nach dem Beginn der Aufzeichnung: "
        "fliegende Runde {at} von {count}."
    ),
    "asked moment": "Das war {minutes} min {seconds} s nach dem Beginn der Aufzeichnung.",
    "asked nth": "{label}{place}, Nummer {rank} von {count}: {value} in Runde {lap}.",
    "asked nth last": "{label}{place}, Nummer {rank} von {count} vom Ende her: {value} in Runde {lap}.",
    "asked consecutive": (
        "Deine besten {count} fliegenden Runden in Folge: {laps:laps}, im Schnitt {mean:lap}."
    ),
    "asked steadiest": (
        "Deine {count} fliegenden Runden, die am dichtesten beisammen liegen: {laps:laps}, {by:.3f} s von "
        "der schnellsten zur langsamsten, im Schnitt {mean:lap}."
    ),
    "asked steadiest row": (
        "Deine {count} fliegenden Runden in Folge, die am dichtesten beisammen liegen: {laps:laps}, "
        "{by:.3f} s von der schnellsten zur langsamsten, im Schnitt {mean:lap}."
    ),
    "asked bests": (
        "Schneller als alle fliegenden Runden davor: {values:and}. Nach Runde {lap} {count:kam 1 fliegende "
        "Runde|kamen # fliegende Runden}, keine davon war schneller."
    ),
    "asked limiter": (
        "Keine Quelle sagt, wo der Begrenzer sitzt. Höchstens 1 % darunter für 0,3 s oder länger: "
        "{count:einmal|#-mal}{laps}."
    ),
    "asked limiter never": (
        "Keine Quelle sagt, wo der Begrenzer sitzt. Die Drehzahl blieb nie 0,3 s lang höchstens 1 % darunter."
    ),
    "asked corners within": (
        "Im Schnitt je Runde höchstens {by:.2f} s gegen deine beste Durchfahrt verloren: {values:and}."
    ),
    "asked corners not within": (
        "In keiner Kurve verlierst du im Schnitt so wenig wie {by:.2f} s gegen deine beste Durchfahrt."
    ),
    "asked improved": "Von Runde {lap}, deiner ersten fliegenden, bis zur besten Zeit dort: {values:and}.",
    "asked alike most": "Am ähnlichsten sind Runde {lap} und Runde {other}.",
    "asked alike least": "Am wenigsten ähnlich sind Runde {lap} und Runde {other}.",
    "asked alike pair": "Runde {lap} neben Runde {other}.",
    "asked alike by": (
        "Ihre Kurvenzeiten liegen im Schnitt {by:.2f} s auseinander, am weitesten in {corner} "
        "({most:.2f} s); die Rundenzeiten sind {time:lap} und {other_time:lap}."
    ),
    "asked clean": (
        "Am saubersten, nach dem größten Verlust in einer Kurve gegen deine beste Durchfahrt: {values:and}."
    ),
    "asked messy": (
        "Am unsaubersten, nach dem größten Verlust in einer Kurve gegen deine beste Durchfahrt: {values:and}."
    ),
    "asked clean one": (
        "Runde {lap} verlor höchstens {by:.2f} s in einer Kurve gegen deine beste Durchfahrt ({corner}); "
        "damit ist sie Nummer {rank} deiner {count} fliegenden Runden."
    ),
    "asked clean trouble": "Die Daten zeigen in ihr: {kinds:and}.",
    "asked clean no trouble": "Die Daten zeigen in ihr keinen Vorfall.",
    "asked each worst": "Am meisten in einer Kurve gegen deine beste Durchfahrt verloren: {values:and}.",
    "asked gaps": "Hinter deiner besten Runde ({time:lap}, Runde {lap}): {values:and}.",
    "asked clean lap": "Runde {lap} {by:.2f} s ({corner})",
    "asked mean over": (
        "{label}{place}: {value} in Runde {lap}, {by} über dem Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({mean})."
    ),
    "asked mean under": (
        "{label}{place}: {value} in Runde {lap}, {by} unter dem Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({mean})."
    ),
    "asked lap began": "Runde {lap} begann {minutes} min {seconds} s nach dem Beginn der Aufzeichnung.",
    "asked beside reference": (
        "{corner}: {by:.2f} s hinter jener Runde einer anderen Sitzung; dein Tempo daneben {entry} am "
        "Eingang, {apex} am Scheitel und {exit} am Ausgang."
    ),
    "asked gain": (
        "{amount:.1f} s gegen deine eigenen besten Durchfahrten: {corners:and}, "
        "zusammen {total:.2f} s je Runde."
    ),
    "asked gain short": (
        "Was du Runde für Runde verlierst, sind zusammen weniger als {amount:.1f} s: {corners:and}."
    ),
    "asked short": (
        "{count:1 fliegende Runde|# fliegende Runden}, beste {best:lap} in Runde {lap}, {apart:.2f} s "
        "zwischen der schnellsten und der langsamsten; {rest}."
    ),
    "asked short loss": (
        "am meisten zu holen: {corner}, {loss:.2f} s je Runde in {laps:laps}; Ursache: {cause}"
    ),
    "asked short nothing": "nichts geht immer wieder verloren",
    "asked rests": (
        "Berechnet aus dem, was diese Sitzung aufgezeichnet hat: "
        "{count:1 fliegende Runde|# fliegende Runden}."
    ),
    "asked phases": (
        "{corner}, gegen deine beste Runde im Schnitt über {count:1 Durchfahrt|# Durchfahrten}: "
        "{values:and}."
    ),
    "asked phase brake": "auf der Bremse {by:+.2f} s",
    "asked phase mid": "in der Mitte {by:+.2f} s",
    "asked phase exit": "am Ausgang {by:+.2f} s",
    "asked best corners": (
        "Mit deiner besten Durchfahrt in jeder Kurve wäre Runde {lap} ({time:lap}) um {by:.2f} s schneller "
        "gewesen; am meisten an {corners:and}."
    ),
    "asked sprint": "Von {begin} auf {end}: bestenfalls {time:.1f} s, in Runde {lap} ({count:einmal|# mal}).",
    "asked no sprint": "Du kamst nie in einem Zug von {begin} auf {end}.",
    "asked corners list": "{label} nach Kurven, gewöhnlicher Wert{laps}: {values:and}.",
    "asked corners best": "Runde {lap} war deine schnellste in {corners:and}.",
    "asked corners best none": "Runde {lap} war in keiner Kurve deine schnellste.",
    "asked corners lap": "{label} in Runde {lap}: {values:and}.",
    "asked sectors list": "{label} nach Sektoren, gewöhnlicher Wert: {values:and}.",
    "asked where": "{label}: {value} in Runde {lap}, {place}.",
    "asked in corner": "in {corner}, {place:m.0f} nach der Startlinie",
    "asked between": "zwischen {first} und {last}, {place:m.0f} nach der Startlinie",
    "asked beside next best": "Runde {lap} ist deine beste. Neben Runde {other}, der nächstbesten:",
    "asked lap time": "Runde {lap} {time:lap}{kind}",
    "asked times": "{values:and}. Deine beste war Runde {best}.",
    "asked sectors of lap": "Runde {lap}: {values:and}.",
    "asked best sector": "Dein bester Sektor {sector} war {time}, in Runde {lap}.",
    "asked worst sector": "Dein langsamster Sektor {sector} war {time}, in Runde {lap}.",
    "asked sector": "Sektor {sector}: am besten {time} in Runde {lap}, gewöhnlich {usual}.",
    "asked sector lost": (
        "Sektor {sector}: {time} in Runde {lap}, {other_time} in Runde {other}: {by:.3f} s verloren."
    ),
    "asked sector won": (
        "Sektor {sector}: {time} in Runde {lap}, {other_time} in Runde {other}: {by:.3f} s gewonnen."
    ),
    "asked piece name": "Minisektor {number} ({corners:and})",
    "asked piece straight": "Minisektor {number}",
    "asked pieces list": "{label} in zehn gleich langen Minisektoren, gewöhnlicher Wert{laps}: {values:and}.",
    "asked pieces lap": "{label} in zehn gleich langen Minisektoren von Runde {lap}: {values:and}.",
    "asked best pieces": "Gegen deine beste Zeit in jedem von zehn gleich langen Minisektoren",
    "asked ideal": (
        "Deine besten Sektoren ergeben {time:lap}, {gain:.3f} s unter deiner besten Runde ({best:lap}, "
        "Runde {lap}): "
        "{values:and}."
    ),
    "asked faster than mean": (
        "Runde {lap} war {by:.3f} s schneller als der Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({time:lap} gegen {mean:lap})."
    ),
    "asked slower than mean": (
        "Runde {lap} war {by:.3f} s langsamer als der Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({time:lap} gegen {mean:lap})."
    ),
    "asked is best": (
        "Runde {lap} ist deine beste ({time:lap}): in dieser Sitzung gibt es keine bessere zum "
        "Vergleichen."
    ),
    "asked ideal of lap": (
        "Deine besten Sektoren ergeben {time:lap}: Runde {lap} ({own:lap}) war {by:.3f} s langsamer."
    ),
    "asked ideal driven": (
        "Deine beste Runde, Runde {lap} ({best:lap}), enthält schon deine besten Sektoren: "
        "{values:and}."
    ),
    "asked most of laps": "Von {laps:laps} war Runde {lap} die schnellste: {time:lap}.",
    "asked least of laps": "Von {laps:laps} war Runde {lap} die langsamste: {time:lap}.",
    "asked corners more": "{label}, in Runde {lap} mehr als in Runde {other}: {values:and}.",
    "asked corners later": "{label}, in Runde {lap} später als in Runde {other}: {values:and}.",
    "asked corners none": "{label}: in keiner Kurve in Runde {lap} mehr oder später als in Runde {other}.",
    "asked against": "{value} gegen {other}",
    "asked in that gear": "Im Gang {gear} am langsamsten Punkt: {corners:and}.",
    "asked no corner in gear": "In keiner Kurve ist am langsamsten Punkt Gang {gear} eingelegt.",
    "asked laps under": "{count:1 fliegende Runde|# fliegende Runden} von {all} unter {limit:lap}{which}.",
    "asked laps over": "{count:1 fliegende Runde|# fliegende Runden} von {all} über {limit:lap}{which}.",
    "asked laps within": (
        "{count:1 andere fliegende Runde|# andere fliegende Runden} innerhalb von {by:.2f} s deiner besten "
        "({best:lap}, Runde {lap}){which}."
    ),
    "asked laps together": (
        "Höchstens {count:1 fliegende Runde liegt|# fliegende Runden liegen} von {all} innerhalb von "
        "{by:.2f} s beieinander{which}."
    ),
    "asked half 1": " in der ersten Hälfte der Runde",
    "asked half 2": " in der zweiten Hälfte der Runde",
    "asked up to speed": (
        "Runde {lap} ({time:lap}) war die erste fliegende innerhalb von {share:.0%} deiner besten; sie "
        "begann {minutes} min {seconds} s nach dem Beginn der Aufzeichnung."
    ),
    "asked corners faster": (
        "Runde {lap} war schneller als Runde {other} in {count} von {all} Kurven{among}: {corners:and}."
    ),
    "asked part spread": "{label}{place}, Standardabweichung: {sd} in {laps:laps}, {other} in {others:laps}.",
    "asked part figures": "{label}, im Schnitt in {laps:laps} gegen {others:laps}: {values:and}.",
    "asked part value": "{corner} {by} ({value} gegen {other})",
    "asked part none": "{label}: in keiner Kurve so, im Schnitt in {laps:laps} gegen {others:laps}.",
    "asked by more": "{by} mehr",
    "asked by less": "{by} weniger",
    "asked by later": "{by} später",
    "asked by earlier": "{by} früher",
    "asked driven so": "{corner}: {values:and}.",
    "asked part corners one": "In {laps:laps} neben {others:laps}, das meiste: {corners:and}.",
    "asked part corners": "Im Schnitt in {laps:laps} neben {others:laps}, das meiste: {corners:and}.",
    "asked part figure": "{label}{place}: im Schnitt {value} in {laps:laps}, {other} in {others:laps}.",
    "asked total": "{label}{place}, zusammen über {count:1 fliegende Runde|# fliegende Runden}: {value}.",
    "asked part faster": (
        "Schneller: {mean:lap} im Schnitt in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s weniger."
    ),
    "asked part slower": (
        "Langsamer: {mean:lap} im Schnitt in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s mehr."
    ),
    "asked step": (
        "Der größte Gewinn von einer fliegenden Runde zur nächsten: {by:.3f} s, von Runde {lap} ({time:lap}) "
        "auf Runde {other} ({other_time:lap})."
    ),
    "asked step apart": (
        "Das meiste zwischen zwei fliegenden Runden in Folge: {by:.3f} s, Runde {lap} ({time:lap}) und Runde "
        "{other} ({other_time:lap})."
    ),
    "asked held times": (
        "{label}{place}, für {limit:.1f} s oder länger: gewöhnlich {value:einmal|#-mal} je Runde, von {low} "
        "bis {high}."
    ),
    "asked no step": "Keine fliegende Runde war schneller als die davor.",
    "asked laps between": (
        "{count:1 fliegende Runde|# fliegende Runden} von {all} zwischen {low:lap} und {high:lap}{which}."
    ),
    "asked these": ": {laps:laps}",
    "asked lap count": "{count:1 fliegende Runde|# fliegende Runden}{others}.",
    "asked others": "; daneben {others:and}",
    "asked other lap": "Runde {lap} ({kind})",
    "asked usual loss": (
        "{corner}, vom Eingang bis zum Ausgang: im Schnitt {mean:.2f} s je Runde verloren gegen deine beste "
        "Durchfahrt dort ({time:.2f} s in Runde {best}), {total:.2f} s über {count} fliegende Runden; am "
        "meisten in Runde {worst}: {most:.2f} s."
    ),
    "asked loss rank": "Damit ist sie Nummer {rank} von {count} Kurven, die mit dem wenigsten zuerst.",
    "asked usual loss in sector": (
        "Sektor {sector}: im Schnitt {mean:.2f} s je Runde verloren gegen deine beste Zeit dort "
        "({time:.2f} s in Runde {best}), {total:.2f} s über {count} fliegende Runden; am meisten in Runde "
        "{worst}: {most:.2f} s."
    ),
    "asked corner lost": "{corner}: Runde {lap} verlor dort {by:.2f} s gegen Runde {other}.",
    "asked corner won": "{corner}: Runde {lap} gewann dort {by:.2f} s gegen Runde {other}.",
    "asked lap rank": "Das ist Platz {rank} von {count} fliegenden Runden.",
    "asked slowest lap": "Das ist die langsamste von {count} fliegenden Runden.",
    "asked best lap": "Das ist deine beste Runde.",
    "asked its sectors": "Ihre Sektoren: {values:and}.",
    "asked marked laps": (
        "Du hast {laps:laps} als {kind} markiert. Außer solchen Marken sagt keine Quelle etwas davon."
    ),
    "asked untold": "Von {what} sagen die Daten nichts.",
    "asked channel": "Der Logger hat aufgezeichnet: {values}.",
    "asked channel value": "{name} zuerst {first}, zuletzt {last}, von {least} bis {most}",
    "asked duration": (
        "Die Aufzeichnung dauert {minutes} min {seconds} s; davon {count:die fliegende Runde|"
            "# fliegende Runden} {flying:.1f} min."
    ),
    "asked driven": "Du bist in dieser Sitzung {far:km.1f} gefahren.",
    "asked track": "Eine Runde auf {track} hat {length:km.3f}.",
    "asked corner length": "{corner} ist {length:m.0f} lang, vom Eingang bis zum Ausgang.",
    "asked apart": "Vom Ausgang von {first} bis zum Eingang von {last}: {length:m.0f} auf der Strecke.",
    "asked straight length": "Die Gerade vor {corner} ist {length:m.0f} lang.",
    "asked longest straight": "Die längste Gerade ist die vor {corner}: {length:m.0f}.",
    "asked corner count": "{track} hat {count:1 Kurve, die|# Kurven, die} hier bekannt {count:ist|sind}.",
    "asked driver": "Gefahren ist {driver}.",
    "asked driver unnamed": "Wer gefahren ist, ist nicht bekannt: Diese Sitzung nennt keinen Fahrer.",
    "asked made": "Zusammen ergeben {values:and} {time}.",
    "asked made faster": "Das sind {by:.3f} s weniger als deine beste Runde ({best:lap}, Runde {lap}).",
    "asked made slower": "Das sind {by:.3f} s mehr als deine beste Runde ({best:lap}, Runde {lap}).",
    "asked when": (
        "Gefahren wurde sie {when} (UTC, wo ein Tag dabeisteht), die Aufzeichnung endet {minutes} min "
        "{seconds} s "
        "später; die Sitzung ist {session}."
    ),
    "asked holes": (
        "{count:Einmal|#-mal} kam über {limit:.1f} s keine Position, am längsten {longest:.1f} s lang."
    ),
    "asked no hole": "Keine Lücke zwischen zwei Positionen war über {limit:.1f} s lang.",
    "asked rate": "Die Positionen kommen {rate:.0f}-mal in der Sekunde.",
    "asked satellites": "Gewöhnlich {usual:.0f} Satelliten, mindestens {least:.0f}.",
    "asked channels": "In dieser Sitzung aufgezeichnet: {names:and}.",
    "asked no channels": "Nicht aufgezeichnet: {names:and}.",
    "asked sector count": "Die Runde hat hier {count} gezeitete Sektoren.",
    "asked no sectors here": "In dieser Sitzung wurde kein Sektor gezeitet.",
    "asked source": (
        "Gelesen aus der Datei {file} (Format {format}). Welches Gerät sie schrieb, ist nicht gespeichert."
    ),
    "asked source live": "Pitwall hat sie selbst aufgezeichnet, während du fuhrst.",
    "asked clockwise": "{track} wird im Uhrzeigersinn gefahren.",
    "asked anticlockwise": "{track} wird gegen den Uhrzeigersinn gefahren.",
    "asked only session": (
        "Es ist keine andere Sitzung auf {track} gespeichert; diese wurde {when} gefahren, also gibt es "
        "nichts zum Vergleichen."
    ),
    "asked day unknown": (
        "Der Tag dieser Sitzung ist nicht bekannt ({when}), also ist nicht zu sagen, welche Sitzungen "
        "gemeint sind: "
        "pitwall sessions date setzt ihn."
    ),
    "asked no such session": "Es ist keine Sitzung {mark} auf {track} gespeichert. Es gibt: {have:and}.",
    "asked session best": "{when} {best:lap}",
    "asked sessions": "Beste Runden auf {track}, {count:1 Sitzung|# Sitzungen}: {values:and}.",
    "asked best of sessions": (
        "Die beste gespeicherte Runde auf {track} ist {time:lap}, Runde {lap} der Sitzung von {when}."
    ),
    "asked best of day": (
        "Deine beste Runde dieses Tages auf {track} war {time:lap}, Runde {lap} der Sitzung von {when}."
    ),
    "asked named": "Beste Runden der {kind} auf {track}: {values:and}.",
    "asked named value": "{name} {value} ({when})",
    "asked session count": (
        "{count:1 Sitzung|# Sitzungen} mit einer gestoppten Runde auf {track}: {values:and}."
    ),
    "asked laps of all": "{count:1 fliegende Runde|# fliegende Runden} auf {track}: {values:and}.",
    "asked session laps": "{count} ({when})",
    "asked of session": "Sitzung vom {when}: {rest}",
    "asked best of time": "{label}{place}, die beste von {count} Sitzungen: {value}, in der vom {when}.",
    "asked best of figure": "{label}{place}, größter Wert von {count} Sitzungen: {value}, in der vom {when}.",
    "asked session value": "{value} ({when})",
    "asked named best": "{name} {best:lap} ({when})",
    "asked no driver": (
        "Keine gespeicherte Sitzung auf {track} nennt einen Fahrer {driver}, also ist das nicht zu "
        "sagen."
    ),
    "asked none named": (
        "Die gespeicherten Sitzungen auf {track} nennen nicht zwei verschiedene {kind}, also sind sie "
        "nicht zu vergleichen."
    ),
    "asked pair faster": (
        "Deine beste Runde ist {by:.3f} s schneller als in der Sitzung vom {when}: {best:lap} (Runde "
        "{lap}) gegen "
        "{other_best:lap} (Runde {other})."
    ),
    "asked pair slower": (
        "Deine beste Runde ist {by:.3f} s langsamer als in der Sitzung vom {when}: {best:lap} (Runde "
        "{lap}) gegen "
        "{other_best:lap} (Runde {other})."
    ),
    "asked pair places": "Neben der Sitzung vom {when}: {rest}",
    "asked pair usual": (
        "Gewöhnliche Runde: {usual:lap} ({count:1 fliegende Runde|"
            "# fliegende Runden}) gegen {other_usual:lap} ({other})."
    ),
    "asked corners lost": "Beste Durchfahrten, jetzt langsamer: {corners:and}.",
    "asked no corner lost": "In keiner Kurve ist deine beste Durchfahrt jetzt langsamer.",
    "asked ranked near": (
        "Deiner besten Durchfahrt am nächsten, im Schnitt verloren je Runde{laps}: "
        "{values:and}."
    ),
    "asked ranked near lap": "Am nächsten an deiner besten Durchfahrt dort, verloren{laps}: {values:and}.",
    "asked ranked lost": (
        "{how} verlierst du je Runde im Schnitt über {count:1 fliegen"
        "de Runde|# fliegende Runden}{laps}: {values:and}."
    ),
    "asked ranked lost lap": "{how} verliert Runde {lap}{laps}: {values:and}.",
    "asked ranked way": "{label}{laps}: am meisten auf dem Weg zu und durch {values:and}.",
    "asked ranked way least": "{label}{laps}: am wenigsten auf dem Weg zu und durch {values:and}.",
    "asked best sectors": "Gegen deine beste Zeit in jedem Sektor",
    "asked best corners there": "Gegen deine beste Zeit in jeder Kurve vom Eingang bis zum Ausgang",
    "asked best straights": "Gegen deine beste Zeit auf jeder Geraden",
    "asked sector name": "Sektor {sector}",
    "asked straight name": "vor {corner}",
    "asked among slow": " in der langsameren Hälfte der Kurven (bis {value} am langsamsten Punkt)",
    "asked among fast": " in der schnelleren Hälfte der Kurven (über {value} am langsamsten Punkt)",
    "asked among left": " in den Linkskurven",
    "asked among right": " in den Rechtskurven",
    "asked among sector": " in Sektor {value}",
    "asked among half": " in Hälfte {value} der Runde",
    "asked among not": " ohne {names:and}",
    "asked group": "Im Schnitt je Kurve{kind}, {count:es gibt eine|es gibt #}: {values:and}.",
    "asked laps nearest": "{label}{place}: {limit} am nächsten ist {value}, {by} davon entfernt.",
    "asked laps beyond": "{label}{place}: über {limit} in {count} von {all} fliegenden Runden: {values:and}.",
    "asked laps below": "{label}{place}: unter {limit} in {count} von {all} fliegenden Runden: {values:and}.",
    "asked laps none": (
        "{label}{place}: keine der {all} fliegenden Runden liegt auf dieser Seite von "
        "{limit}."
    ),
    "asked left-hander": "{corner} ist eine Linkskurve.",
    "asked right-hander": "{corner} ist eine Rechtskurve.",
    "asked corners won": "Beste Durchfahrten, jetzt schneller: {corners:and}.",
    "asked mean pair": "{label}{place}, Mittel der fliegenden Runden: {value} in dieser Sitzung, {other} "
                       "in der von {when}.",
    "asked spread pair": (
        "{label}{place}, Standardabweichung über die fliegenden Runden: {value} in dieser Sitzung, {other} "
        "in der von "
        "{when}."
    ),
    "asked figure pair": "{label}{place}: {value} in dieser Sitzung, {other} in der vom {when}.",
    "asked nothing said": (
        "Für diese Sitzung ist kein Wort des Trainers gespeichert: sie wurde ohne ihn gefahren."
    ),
    "asked nothing said there": (
        "In dieser Sitzung wurde{place}{laps} kein Rat{kind} gesprochen; im Ganzen {count:war es einer|"
            "waren es #}."
    ),
    "asked callouts": "Gesagt wurde{place}: {values}{more}.",
    "asked latest": "Der letzte Rat{place}: {values}{more}.",
    "asked foremost": "Der erste Rat{place}: {values}{more}.",
    "asked ignored": "Nicht befolgt{place}: {values}{more}.",
    "asked followed": "Befolgt{place}: {values}{more}.",
    "asked none followed": "Keinen Rat{place} zeigt die nächste Durchfahrt als befolgt.",
    "asked none ignored": "Keinen Rat{place} zeigt die nächste Durchfahrt als nicht befolgt.",
    "asked of that kind": " dieser Art",
    "asked advice count": (
        "{count:1 Rat{kind} wurde|# Ratschläge{kind} wurden} gesprochen{place}{laps}."
    ),
    "asked callouts in lap": "{count} in Runde {lap}",
    "asked callouts by lap": "Gesprochene Ansagen{place}: {values:and}.",
    "asked callouts most": "Am häufigsten ging es um {values:and}.",
    "asked ignored most": "Am häufigsten nicht befolgt: {values:and}.",
    "asked followed most": "Am häufigsten befolgt: {values:and}.",
    "asked said most": "Am meisten gesagt wurde in {laps:laps}: {count:ein Rat|# Ratschläge}.",
    "asked told often": "{corner} ({count:einmal|#-mal}, zuletzt „{text}“)",
    "asked callout count": (
        "{count:1 Ansage wurde|# Ansagen wurden}{place}{laps} in dieser Sitzung gesprochen."
    ),
    "asked callout": "Runde {lap}, „{text}“{followed}",
    "asked more callouts": "; und {count} weitere",
    "asked marks": "Markiert hast du {values:and}{more}.",
    "asked mark": "Runde {lap} bei {time:lap}{kind}{place}",
    "asked mark in": " in {corner}",
    "asked mark after": " {by:.1f} s nach {corner}",
    "asked no mark": "In dieser Sitzung hast du{laps} nichts markiert. Das tut beim Fahren der Knopf Mark.",
    "asked heeded": "Befolgt hast du {count} von {all}, bei denen die nächste Durchfahrt es zeigt.",
    "asked drawing": "Eine Antwort ist Text: pitwall report zeichnet Runden, pitwall export schreibt sie.",
    "asked strange": (
        "Was {words:and} heißen soll, weiß ich nicht; darum kann ich das aus den Daten nicht sagen. "
        "Frag nach Zeiten, Tempo, Bremsen, Gas, Gängen oder Temperaturen, in einer Runde, einem "
        "Sektor, einer Kurve oder der ganzen Sitzung."
    ),
    "asked rest": "Den Rest deiner Frage kann ich nicht aus den Daten sagen.",
    "asked rest strange": (
        "Was {words:and} heißen soll, weiß ich nicht; den Rest kann ich darum nicht aus den Daten sagen."
    ),
    "asked not told": (
        "Du fragst danach: {what:and}. So habe ich darauf keine Antwort. Frag nach einem Wert auf einmal, "
        "in einer Runde, einem Sektor, einer Kurve oder der ganzen Sitzung."
    ),
    "asked straights list": "{label} je Gerade, üblicher Wert{laps}: {values:and}.",
    "asked straights lap": "{label} je Gerade in Runde {lap}: {values:and}.",
    "asked no straight": "Zwischen keinen zwei Kurven liegt hier ein Weg, der für eine Gerade reicht.",
    "asked straight value": "vor {corner} {value}",
    "asked nothing read": (
        "Das kann ich ohne Modell nicht aus den Daten sagen. Frag nach Runden- und Sektorzeiten, Tempo, "
        "Bremsen, Gas, "
        "Gängen oder Temperaturen, in einer Runde, einer Kurve oder der ganzen Sitzung."
    ),
    "asked no cause": "{label}: in keiner Kurve kostet dich das Runde für Runde Zeit. Was sonst: {rest}",
    "asked which corner": "Du hast keine Kurve genannt; dies ist die, an der am meisten zu holen ist. {rest}",
}  # fmt: skip
