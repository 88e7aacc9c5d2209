"""English: what the page says beside the views of a session."""

from __future__ import annotations

PAGE: dict[str, str] = {
    # The frame.
    "Drive": "Drive", "Laps": "Laps", "Coach": "Coach", "Paddock": "Paddock", "System": "System",
    "views": "views", "skip": "To the content", "close": "Close",
    "sign in": "This browser has not been let in yet.",
    "sign in help": "Type pitwall show on the machine that runs Pitwall, and open the link that it prints.",
    "old link": "This link was used, or is older than ten minutes.",
    "no answer": "Pitwall does not answer. It is asked again.",
    "loading": "Reading ...", "refused": "This can't be done now",
    "while driven": "The car is being driven. Sessions are read when it stands.",
    "choose a session": "Session", "no session": "No session is stored yet. Drive, or import a recording.",
    # The drive.
    "waiting": "Waiting for the car", "lap": "Lap", "last": "Last", "best": "Best", "predicted": "Predicted",
    "next": "Next", "said": "Said", "nothing said": "Nothing said yet", "delta": "Delta",
    "slower": "slower", "faster": "faster", "no delta": "no lap to compare with yet",
    "now": "now", "straight": "Straight", "GPS": "GPS", "CAN": "Car", "sound": "Sound", "recording": "Disk",
    "good": "good", "lost": "lost", "none": "none", "silent": "silent", "unknown": "not known",
    "night": "Night", "day": "Day", "auto": "Auto", "look": "Brightness", "awake": "Keep the screen on",
    "spared": "The phone is hot or its battery low: this view is paused. The coach goes on.",
    "no frames": "No data comes in", "stale": "old",
    "catching up": "Reading this session again after a restart",
    "out lap": "Out lap", "in lap": "In lap", "flying": "Flying lap", "paddock": "In the paddock",
    "street": "On the road", "life none": "No session", "track unknown": "track not known yet",
    # Laps.
    "beside": "Compare with another session", "own session": "this session", "their lap": "its lap",
    "other track": "was driven on another track", "driven": "Driven", "track": "Track", "laps": "Laps",
    # The coach.
    "opportunities": "Where time is", "no opportunities": "Nothing costs you time lap after lap here.",
    "a lap": "s a lap", "ledger": "What was said", "before": "before",
    "lessons": "What was learned about you",
    "no lessons": "Nothing has shown twice yet.", "scripts": "What is spoken at the corners",
    "phrase": "phrase", "key": "moment", "origin": "from", "yours": "yours", "shipped": "shipped",
    "plain": "plain reminder", "save": "Save", "saved": "Saved. It is spoken when it has been rendered.",
    "undo": "Take back the last change", "undone": "Taken back",
    "no scripts": "Choose a session on a known track.",
    "how": "How the coach speaks", "mode": "mode", "level": "level", "learn": "learn", "coach": "coach",
    "numbers": "numbers", "quiet": "quiet", "beginner": "beginner", "intermediate": "intermediate",
    "expert": "expert", "sessions": "sessions",
    # The paddock.
    "ask": "Ask", "question": "Your question", "brief": "Brief", "debrief": "Debrief", "stop": "Stop",
    "asking": "Asking ...", "answer": "Answer", "works": "works", "looks at": "looks at", "jobs": "Jobs",
    "no jobs": "No job waits or was done.", "cancel": "Cancel", "unverified": "Unverified:",
    "took": "took", "composed": "composed on this machine",
    "waiting job": "waits", "running": "runs", "done": "done", "failed": "failed", "cancelled": "cancelled",
    # The system.
    "to do": "What to do", "all well": "Nothing is lost, nothing is to do.", "lost now": "Lost now",
    "sources": "Sources", "store": "Store", "capabilities": "What can be done now", "version": "Version",
    "yes": "yes", "no": "no", "notes": "Notes", "up": "up for", "memory": "memory", "free": "free",
    "minutes": "min", "hours": "h",
}  # fmt: skip
