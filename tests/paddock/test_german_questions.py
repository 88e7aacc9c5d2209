"""Questions in German read as the English ones do, and English ones are left as they are."""

from __future__ import annotations

import pytest
from labelled_questions import PRACTICE, SCRAPS, home_track, labelled

from pitwall.ask.conversation import read_after
from pitwall.ask.corner_names import CornerNames, names_of
from pitwall.ask.lexicon import in_english
from pitwall.ask.reader import read
from pitwall.paddock.intents import route
from pitwall.paddock.question_kind import asks_for_change, courtesy
from pitwall.words.language import language

# German, and the English question that asks for the same.
PAIRS = [
    ("Was war meine schnellste Runde?", "what was my fastest lap?"),
    ("Wie schnell war ich in Kurve 5 in Runde 6?", "how fast was I in turn 5 in lap 6?"),
    ("Höchstgeschwindigkeit in Runde 3", "top speed in lap 3"),
    ("hoechstgeschwindigkeit", "top speed"),
    ("Wie heiß wurde das Öl?", "how hot was the oil?"),
    ("maximaler Bremsdruck Runde 5", "highest brake pressure lap 5"),
    ("Wo bremse ich für Kurve 11?", "where do I brake for turn 11?"),
    ("Bremspunkt Kurve 11 in Runde 4 gegen Runde 6", "brake point turn 11 in lap 4 against lap 6"),
    ("Vergleiche Runde 4 mit Runde 6", "compare lap 4 with lap 6"),
    ("Wie viele Runden bin ich gefahren?", "how many laps did I drive?"),
    ("Wie viele Runden unter 1:53?", "how many laps under 1:53?"),
    ("zweitschnellste Runde", "second fastest lap"),
    ("die dritte Runde", "the third lap"),
    ("3. Runde", "3rd lap"),
    ("Durchschnittliche Rundenzeit", "average lap time"),
    ("Ideale Rundenzeit aus den Sektoren", "ideal lap time from the sectors"),
    ("Drehzahl am Scheitelpunkt von Kurve 7", "rpm at the apex of turn 7"),
    ("Kurvenausgangsgeschwindigkeit Kurve 7", "corner exit speed turn 7"),
    ("Querbeschleunigung in Kurve 6", "lateral g in turn 6"),
    ("Vollgas in Runde 6", "full throttle in lap 6"),
    ("Hat es geregnet?", "did it rain?"),
    ("Reifendruck?", "tyre pressure?"),
    ("Ist Kurve 7 nach Runde 3 schneller als gestern?", "is turn 7 after lap 3 faster than yesterday?"),
    ("Welcher Gang in Kurve 7?", "which gear in turn 7?"),
    ("War ich je über 190 km/h?", "was I ever over 190 km/h?"),
    ("Wie oft habe ich angehalten?", "how often did I stop?"),
    ("In welchem Minisektor verliere ich am meisten?", "in which mini sector do I lose most?"),
    ("Wie lange war ich am Stück über 150?", "how long was I over 150 in one go?"),
    ("Kurve 7 in Runde 5 verglichen mit meinem Durchschnitt", "turn 7 in lap 5 compared to my average"),
    ("beste Zeit in Kurve 5", "best time in turn 5"),
    ("die besten 3 Runden in Folge", "the best 3 consecutive laps"),
    ("die niedrigste", "the lowest"),
    ("Höchstgeschwindigkeit in Knoten", "top speed in knots"),
    ("Bremspunkt Kurve 4 in Fuß", "brake point turn 4 in feet"),
    ("Drehzahl am Ende der Geraden", "revs at the end of the straight"),
    ("wo geh ich vor Kurve 7 vom Gas", "where do I get off the throttle before turn 7"),
    ("wieviel Druck hab ich vor Kurve 7 auf der Bremse", "how much pressure on the brakes before turn 7"),
    ("wie lang steh ich pro Runde voll aufm Gas", "how long full throttle per lap"),
    ("wie schnell war ich auf Start-Ziel", "how fast was I on the main straight"),
    ("in welchem Gang fahr ich durch Kurve 3", "in which gear through turn 3"),
    ("Welcher Gang in der Sieben?", "which gear in turn 7?"),
    ("wie stark streuen meine Bremspunkte in Kurve 1", "how hard vary my brake points in turn 1"),
    ("Wie schnell bin ich am Ausgang der 11?", "how fast am I at the exit of turn 11?"),
    ("Wie lange hat der zweite Stopp gedauert?", "how long did the second stop last?"),
    ("wie schnell komm ich in die 7 rein", "how fast do I come into turn 7 entry"),
    ("wo bremse ich härter, Kurve 7 oder 11", "where do I brake harder, turn 7 or 11"),
    ("Was ist mit Runde 5?", "what about lap 5?"),
    ("Wie sieht's in Runde 5 aus?", "what about in lap 5?"),
    ("Wie stark schwankt das?", "how much does that vary?"),
    ("Bin ich schneller geworden?", "am I getting faster?"),
    ("Wie lange ging die Session?", "how long was the session?"),
    ("War ich am Anfang oder am Ende schneller?", "was I faster at the start or at the end?"),
    ("Bremse ich jetzt später als am Anfang?", "do I brake later now than at the beginning?"),
    ("Wo wurde ich langsamer?", "where did I get slower?"),
    ("Meine drei konstantesten Runden", "my 3 most consistent laps"),
    ("In welchen Kurven bremse ich später als in Runde 6", "in which corners do I brake later than in lap 6"),
    ("Runde 5 und 6 gegen 7 und 8", "laps 5 and 6 against 7 and 8"),
    ("Habe ich in Kurve 10 etwas dazugelernt?", "did I learn anything in turn 10?"),
    ("Was hat sich am meisten verbessert?", "what improved most?"),
    ("Wurde mein Tempo in Kurve 6 besser?", "did my speed in turn 6 get better?"),
    ("welche Runden waren gut", "which laps were good"),
    ("Was wurde aufgezeichnet?", "what was recorded?"),
    ("In welche Richtung fahren wir?", "which way round?"),
    ("Wer ist gefahren?", "who drove?"),
]  # fmt: skip


@pytest.mark.parametrize(("german", "english"), PAIRS)
def test_it_is_read_as_the_english_question_is(german: str, english: str) -> None:
    names = names_of(home_track())
    own, other = read(german, names), read(english, names)
    assert (own.query, own.untold) == (other.query, other.untold)
    assert own.query or own.untold


@pytest.mark.parametrize("file", ["questions.json", PRACTICE, SCRAPS, "questions_held_back.json"])
def test_english_questions_stay_as_they_are(file: str) -> None:
    foreign = ("kurve", "wie ", "bremspunkt")
    asked = [each.question for each in labelled(file)]
    changed = [each for each in asked if in_english(each) != each]
    assert [each for each in changed if not any(word in each.lower() for word in foreign)] == []


def test_a_follow_up_keeps_what_was_asked() -> None:
    from pitwall.contract.messages import Turn

    said = [Turn("driver", "Wie schnell war ich in Kurve 5 in Runde 6?"), Turn("coach", "120 km/h")]
    reading = read_after("und in Kurve 7?", said, names_of(home_track()))
    assert reading.query is not None
    assert (reading.query.measure, reading.query.scope.laps) == ("min_speed", ("6",))
    assert reading.query.scope.places == ("turn_7",)


def test_names_of_the_track_stay() -> None:
    names = CornerNames(home_track())
    assert in_english("wie war das Karussell", names.words) == "how was the carousel"
    assert in_english("wie war das Karussell", {"karussell"}) == "how was the karussell"


def test_agents_effects_and_courtesies_know_german() -> None:
    track = home_track()
    assert route("Vergleiche Runde 3 mit Runde 5", track).agent == "LapComparisonAgent"
    assert route("Wie war das Wetter?", track).agent == "WeatherAdaptationAgent"
    assert asks_for_change("Bitte ändere die Ansage für Kurve 7")
    assert asks_for_change("Schreib eine neue Ansage für Kurve 3")
    for asked in (
        "Was sagst du in Kurve 7?",
        "Zeig mir die Ansage für Kurve 7",
        "Ist die Ansage in Kurve 7 gut?",
        "Der Instruktor sagte: „ändere die Ansage“. Was meint er?",
    ):
        assert not asks_for_change(asked), asked
    assert courtesy("Vielen Dank!", language("de"))
