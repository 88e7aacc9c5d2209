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
        "gear": "Gang", "gear_time": "Zeit eingelegt", "gear most": "Höchster Gang",
        "gear least": "Niedrigster Gang",
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
}  # fmt: skip

SENTENCES: dict[str, str] = {
    "asked in gear": " im Gang {gear}",
    "asked at corner": " in {corner}",
    "asked in piece": " im {piece} von {count}",
    "asked no piece": "die Runde hat hier {count} Minisektoren",
    "asked car": "Das Auto dieser Sitzung heißt {car}.",
    "asked car unnamed": "Welches Auto es war, ist nicht bekannt: diese Sitzung nennt keines.",
    "asked track name": "Gefahren wurde auf {track}.",
    "asked in sector": " in Sektor {sector}",
    "asked span": " vom Eingang von {first} bis zum Ausgang von {last}",
    "asked span to line": " vom Ausgang von {corner} bis zur Startlinie",
    "asked span from line": " von der Startlinie bis zum Eingang von {corner}",
    "asked straight before": " auf der Geraden vor {corner}",
    "asked straight after": " auf der Geraden nach {corner}",
    "asked yes over": "Ja. {label}{place}: {value}, in Runde {lap}. Über {limit} in {laps:laps}.",
    "asked yes under": "Ja. {label}{place}: {value}, in Runde {lap}. Unter {limit} in {laps:laps}.",
    "asked counted over": "{label}{place} über {limit}: {count:einmal|#-mal}, zusammen {time:.1f} s{laps}.",
    "asked counted under": "{label}{place} unter {limit}: {count:einmal|#-mal}, zusammen {time:.1f} s{laps}.",
    "asked corners over": "{label} über {limit} in den meisten Runden: {corners:and} ({count}/{total}).",
    "asked corners under": "{label} unter {limit} in den meisten Runden: {corners:and} ({count}/{total}).",
    "asked no limit": "Nein. {label}{place}: {value}, in Runde {lap}.",
    "asked no stop": "Zwischen erster und letzter Runde hast du nicht gehalten, es ist also ein Stint.",
    "asked stop": "{time:.0f} s in Runde {lap}",
    "asked stops": "Du hast {count:einmal|#-mal} gehalten: {values:and}.",
    "asked stint": "Stint {stint}, {laps:laps}: beste {best:lap} (Runde {lap}), im Schnitt {mean:lap}.",
    "asked at start": " am Anfang der Session",
    "asked at end": " am Ende der Session",
    "asked at lap start": " am Anfang",
    "asked at lap end": " am Ende",
    "asked on line": " an der Startlinie",
    "asked at place": " {place:m.0f} nach der Startlinie",
    "asked in laps": " in {laps:laps}",
    "asked point": "{label} {point}",
    "asked one": "{label}{place} in Runde {lap}: {value}.",
    "asked list": "{label}{place}: {values:and}.",
    "asked two usual": "{label}, gewöhnlich: {value}{place}, {other}{other_place}, {by} Unterschied.",
    "asked extreme": "{label}{place}: {value}, in Runde {lap}{among}.",
    "asked mean": "{label}{place}, Durchschnitt von {count:1 fliegenden Runde|# fliegenden Runden}: {value}.",
    "asked median": "{label}{place}, Median von {count:1 fliegenden Runde|# fliegenden Runden}: {value}.",
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
        "{label}{place}: {value} in Runde {lap}, {other_value} in Runde {other}: {by} mehr in Runde {lap}."
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
    "asked sector of lap": "Sektor {sector} {time} (Runde {lap})",
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
    "asked lap when": (
        "Runde {lap} ({time:lap}) begann {minutes} min {seconds} s nach dem Beginn der Aufzeichnung: "
        "fliegende Runde {at} von {count}."
    ),
    "asked nth": "{label}{place}, Nummer {rank} von {count}: {value} in Runde {lap}.",
    "asked mean over": (
        "{label}{place}: {value} in Runde {lap}, {by} über dem Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({mean})."
    ),
    "asked mean under": (
        "{label}{place}: {value} in Runde {lap}, {by} unter dem Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({mean})."
    ),
    "asked lap began": "Runde {lap} begann {minutes} min {seconds} s nach dem Beginn der Aufzeichnung.",
    "asked where": "{label}: {value} in Runde {lap}, {place}.",
    "asked in corner": "in {corner}, {place:m.0f} nach der Startlinie",
    "asked between": "zwischen {first} und {last}, {place:m.0f} nach der Startlinie",
    "asked best sector": "Dein bester Sektor {sector} war {time}, in Runde {lap}.",
    "asked worst sector": "Dein langsamster Sektor {sector} war {time}, in Runde {lap}.",
    "asked piece straight": "Minisektor {number}",
    "asked ideal": (
        "Deine besten Sektoren ergeben {time:lap}, {gain:.3f} s unter deiner besten Runde ({best:lap}, "
        "Runde {lap}): {values:and}."
    ),
    "asked faster than mean": (
        "Runde {lap} war {by:.3f} s schneller als der Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({time:lap} gegen {mean:lap})."
    ),
    "asked slower than mean": (
        "Runde {lap} war {by:.3f} s langsamer als der Durchschnitt "
        "{count:deiner fliegenden Runde|deiner # fliegenden Runden} ({time:lap} gegen {mean:lap})."
    ),
    "asked ideal of lap": (
        "Deine besten Sektoren ergeben {time:lap}: Runde {lap} ({own:lap}) war {by:.3f} s langsamer."
    ),
    "asked ideal driven": (
        "Deine beste Runde, Runde {lap} ({best:lap}), enthält schon deine besten Sektoren: {values:and}."
    ),
    "asked most of laps": "Von {laps:laps} war Runde {lap} die schnellste: {time:lap}.",
    "asked least of laps": "Von {laps:laps} war Runde {lap} die langsamste: {time:lap}.",
    "asked laps under": "{count:1 fliegende Runde|# fliegende Runden} von {all} unter {limit:lap}{which}.",
    "asked laps over": "{count:1 fliegende Runde|# fliegende Runden} von {all} über {limit:lap}{which}.",
    "asked laps within": (
        "{count:1 andere fliegende Runde|# andere fliegende Runden} innerhalb von {by:.2f} s deiner besten "
        "({best:lap}, Runde {lap}){which}."
    ),
    "asked half 1": " in der ersten Hälfte der Runde",
    "asked half 2": " in der zweiten Hälfte der Runde",
    "asked part spread": "{label}{place}, Standardabweichung: {sd} in {laps:laps}, {other} in {others:laps}.",
    "asked part figure": "{label}{place}: im Schnitt {value} in {laps:laps}, {other} in {others:laps}.",
    "asked total": "{label}{place}, zusammen über {count:1 fliegende Runde|# fliegende Runden}: {value}.",
    "asked part faster": (
        "Schneller: {mean:lap} im Schnitt in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s weniger."
    ),
    "asked part slower": (
        "Langsamer: {mean:lap} im Schnitt in {laps:laps}, {other:lap} in {others:laps}, {by:.3f} s mehr."
    ),
    "asked these": ": {laps:laps}",
    "asked lap count": "{count:1 fliegende Runde|# fliegende Runden}{others}.",
    "asked others": "; daneben {others:and}",
    "asked other lap": "Runde {lap} ({kind})",
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
    "asked when": (
        "Gefahren wurde sie {when} (UTC, wo ein Tag dabeisteht), die Aufzeichnung endet {minutes} min "
        "{seconds} s später; die Sitzung ist {session}."
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
    "asked open": "{track} wird vom Start zum Ziel gefahren.",
    "asked only session": (
        "Es ist keine andere Sitzung auf {track} gespeichert; diese wurde {when} gefahren, also gibt es "
        "nichts zum Vergleichen."
    ),
    "asked sector name": "Sektor {sector}",
    "asked straight name": "vor {corner}",
    "asked left-hander": "{corner} ist eine Linkskurve.",
    "asked right-hander": "{corner} ist eine Rechtskurve.",
    "asked nothing said": (
        "Für diese Sitzung ist kein Wort des Trainers gespeichert: sie wurde ohne ihn gefahren."
    ),
    "asked nothing said there": (
        "In dieser Sitzung wurde{place}{laps} kein Rat{kind} gesprochen; im Ganzen {count:war es einer|"
            "waren es #}."
    ),
    "asked callouts": "Gesagt wurde{place}: {values}{more}.",
    "asked none followed": "Keinen Rat{place} zeigt die nächste Durchfahrt als befolgt.",
    "asked advice count": (
        "{count:1 Rat{kind} wurde|# Ratschläge{kind} wurden} gesprochen{place}{laps}."
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
    "asked nothing read": (
        "Das kann ich ohne Modell nicht aus den Daten sagen. Frag nach Runden- und Sektorzeiten, Tempo, "
        "Bremsen, Gas, Gängen oder Temperaturen, in einer Runde, einer Kurve oder der ganzen Sitzung."
    ),
}  # fmt: skip
