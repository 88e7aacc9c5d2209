"""Deutsch: was ein See aus vielen Fahrten antwortet, so wie es gelesen wird."""

from __future__ import annotations

# Köpfe von Spalten und Namen von Größen.
FLEET: dict[str, str] = {
    "place": "Platz",
    "driver": "Fahrer",
    "class": "Klasse",
    "conditions": "Verhältnisse",
    "time": "Zeit",
    "gap": "Rückstand",
    "date": "Tag",
    "laps": "Runden",
    "sessions": "Fahrten",
    "figure": "Größe",
    "p10": "10 %",
    "p25": "25 %",
    "p50": "Hälfte",
    "p75": "75 %",
    "p90": "90 %",
    "fast": "schnelles Viertel",
    "others": "die anderen",
    "own": "Fahrer",
    "time_s": "Zeit, s",
    "entry_speed_mps": "Tempo am Eingang",
    "min_speed_mps": "kleinstes Tempo",
    "exit_speed_mps": "Tempo am Ausgang",
    "brake_m": "bremst vor dem Scheitel",
    "coast_s": "Rollen, s",
    "peak_brake_bar": "Bremsdruck",
    "release_s": "Bremse lösen, s",
    "throttle_m": "Gas nach dem Scheitel",
    "track": "Strecke",
    "best": "beste",
    "target": "Ziel",
    "corner": "Kurve",
    "loss": "verloren",
    "earlier": "bremst früher",
    "slower": "langsamer",
    "cause": "Ursache",
    "advice": "Rat",
    "spoken": "gesagt",
    "judged": "beurteilt",
    "heeded": "befolgt",
    "gain": "gewonnen",
    "after": "nach Runden",
    "worth": "Wert",
    "piece": "aus",
    "apex": "Scheitel verschoben",
    "brake": "Bremspunkt verschoben",
    "part": "Teil",
    "drivers": "Fahrer",
    "rows": "Zeilen",
    "tracks": "Strecken",
    "dry": "trocken",
    "wet": "nass",
}

FLEET_SENTENCES: dict[str, str] = {
    "fleet best laps": "Beste Runden: {track}",
    "fleet nobody": "Dort ist niemand eine fliegende Runde gefahren.",
    "fleet corner": "{corner}, {track}",
    "fleet corner of": "{passes} Durchfahrten von {drivers} Fahrern in {sessions} Fahrten.",
    "fleet fast brakes later": "Das schnelle Viertel bremst {by:m.0f} später als die anderen.",
    "fleet fast brakes earlier": "Das schnelle Viertel bremst {by:m.0f} früher als die anderen.",
    "fleet fast carries": "Es ist am langsamsten Punkt {by:m/s.1f} schneller.",
    "fleet standing": (
        "{driver} ist dort schneller als {share:.0%} aller Durchfahrten, nach dem Median von {passes} "
        "Durchfahrten."
    ),
    "fleet analysed": "Was die Füße tun, ist aus {count:einer ausgewerteten Fahrt|# ausgewerteten Fahrten}.",
    "fleet driver": "Fahrer {driver}",
    "fleet gains": "{track}: gewinnt {by:.2f} s je Fahrt.",
    "fleet loses": "{track}: wird je Fahrt {by:.2f} s langsamer.",
    "fleet plateau": "{track}: Stillstand; die letzten Fahrten haben nichts Neues gebracht.",
    "fleet weakest": "{track}: {corner} kostet {loss:.2f} s je Runde gegen das schnelle Viertel der Klasse.",
    "fleet advice": "Was ein Rat wert ist",
    "fleet no advice": "Im See ist kein Rat, der gesagt wurde.",
    "fleet advice saved": "Ab der nächsten Sitzung ordnet der Coach nach dem, was befolgt wird: {path}",
    "fleet reference": "Eine Runde von {time:lap} aus den besten Stücken: {track}",
    "fleet reference gain": "Die beste gefahrene Runde ist eine {best:lap}, {gain:.2f} s langsamer.",
    "fleet reference file": "Gegen sie fahren: pitwall run --reference {path}",
    "fleet track": "{track}, wie {sessions} Fahrten sie fahren",
    "fleet line moved": (
        "Die Linie liegt bis zu {moved:m.1f} neben der alten; die Runde ist {length:m.0f} lang."
    ),
    "fleet track file": (
        "Geschrieben nach {path}. Liegt sie in track_data des Heims, wird von da an nach ihr gefahren."
    ),
    "fleet train": "Ein Datensatz in {path}, {rate} Werte je Sekunde",
    "fleet held track": "{track} ist nur in der Prüfung.",
    "fleet page": "Seite geschrieben: {path}",
    "fleet progress": "{done} von {total} Fahrten, {rate:.1f} je Sekunde, noch etwa {left:.0f} s",
    "fleet analysed all": (
        "{count:Eine Fahrt|# Fahrten} ausgewertet in {seconds:.1f} s; {known} waren bekannt."
    ),
    "fleet left out": "Fahrt {session} von {driver} bleibt weg: {why}",
}
