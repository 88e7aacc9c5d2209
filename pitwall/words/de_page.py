"""German: what the page says beside the views of a session. The keys are those of `en_page`."""

from __future__ import annotations

PAGE: dict[str, str] = {
    # Der Rahmen.
    "Drive": "Fahrt", "Laps": "Runden", "Coach": "Coach", "Paddock": "Box", "System": "System",
    "views": "Ansichten", "skip": "Zum Inhalt", "close": "Schließen",
    "sign in": "Dieser Browser wurde noch nicht eingelassen.",
    "sign in help": (
        "Auf dem Gerät, auf dem Pitwall läuft, pitwall show eingeben und den Link öffnen, der dann dasteht."
    ),
    "old link": "Dieser Link wurde schon benutzt, oder er ist älter als zehn Minuten.",
    "no answer": "Pitwall antwortet nicht. Es wird wieder gefragt.",
    "loading": "Wird gelesen ...", "refused": "Das geht jetzt nicht",
    "while driven": "Das Auto wird gefahren. Sitzungen werden gelesen, wenn es steht.",
    "choose a session": "Sitzung",
    "no session": "Noch ist keine Sitzung gespeichert. Fahren, oder eine Aufzeichnung einlesen.",
    # Die Fahrt.
    "waiting": "Wartet auf das Auto", "lap": "Runde", "last": "Letzte", "best": "Beste",
    "predicted": "Erwartet",
    "next": "Nächste", "said": "Gesagt", "nothing said": "Noch nichts gesagt", "delta": "Abstand",
    "slower": "langsamer", "faster": "schneller", "no delta": "noch keine Runde zum Vergleich",
    "now": "jetzt", "straight": "Gerade", "GPS": "GPS", "CAN": "Auto", "sound": "Ton",
    "recording": "Speicher",
    "good": "gut", "lost": "weg", "none": "keins", "silent": "stumm", "unknown": "unbekannt",
    "night": "Nacht", "day": "Tag", "auto": "Auto", "look": "Helligkeit", "awake": "Bildschirm anlassen",
    "spared": "Das Telefon ist heiß oder sein Akku fast leer: diese Ansicht ruht. Der Coach macht weiter.",
    "no frames": "Es kommen keine Daten", "stale": "alt",
    "catching up": "Liest diese Sitzung nach einem Neustart wieder ein",
    "out lap": "Runde raus", "in lap": "Runde rein", "flying": "Gezeitete Runde", "paddock": "In der Box",
    "street": "Auf der Straße", "life none": "Keine Sitzung", "track unknown": "Strecke noch unbekannt",
    # Runden.
    "beside": "Mit einer anderen Sitzung vergleichen", "own session": "diese Sitzung",
    "their lap": "ihre Runde",
    "other track": "wurde auf einer anderen Strecke gefahren", "driven": "Gefahren", "track": "Strecke",
    "laps": "Runden",
    # Der Coach.
    "opportunities": "Wo Zeit liegt", "no opportunities": "Hier kostet nichts Runde für Runde Zeit.",
    "a lap": "s je Runde", "ledger": "Was gesagt wurde", "before": "davor",
    "lessons": "Was über dich gelernt wurde",
    "no lessons": "Noch hat sich nichts zweimal gezeigt.", "scripts": "Was an den Kurven gesprochen wird",
    "phrase": "Satz", "key": "Moment", "origin": "von", "yours": "dir", "shipped": "mitgeliefert",
    "plain": "einfache Erinnerung", "save": "Sichern",
    "saved": "Gesichert. Es wird gesprochen, sobald es vertont ist.",
    "undo": "Letzte Änderung zurücknehmen", "undone": "Zurückgenommen",
    "no scripts": "Eine Sitzung auf einer bekannten Strecke wählen.",
    "how": "Wie der Coach spricht", "mode": "Art", "level": "Stufe", "learn": "lernen", "coach": "Coach",
    "numbers": "Zahlen", "quiet": "still", "beginner": "Einsteiger", "intermediate": "Fortgeschritten",
    "expert": "Experte", "sessions": "Sitzungen",
    # Die Box.
    "ask": "Fragen", "question": "Deine Frage", "brief": "Vorbesprechung", "debrief": "Nachbesprechung",
    "stop": "Halt", "asking": "Wird gefragt ...", "answer": "Antwort", "works": "arbeitet",
    "looks at": "schaut nach:",
    "jobs": "Aufträge", "no jobs": "Kein Auftrag wartet oder wurde erledigt.", "cancel": "Abbrechen",
    "unverified": "Ungeprüft:", "took": "brauchte", "composed": "auf diesem Gerät verfasst",
    "waiting job": "wartet", "running": "läuft", "done": "fertig", "failed": "gescheitert",
    "cancelled": "abgebrochen",
    # Das System.
    "to do": "Was zu tun ist", "all well": "Nichts fehlt, nichts ist zu tun.", "lost now": "Fehlt gerade",
    "sources": "Quellen", "store": "Speicher", "capabilities": "Was gerade geht", "version": "Version",
    "yes": "ja", "no": "nein", "notes": "Hinweise", "up": "läuft seit", "memory": "Arbeitsspeicher",
    "free": "frei",
    "minutes": "min", "hours": "h",
}  # fmt: skip
