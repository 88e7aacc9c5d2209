"""German: what the words of a coach's phrase mean."""

from __future__ import annotations

from pitwall.words.de import number_words, spoken_name
from pitwall.words.lexicon import Lexicon, sense_table, word_set

SENSES = sense_table("""
    brake: bremse, bremsen, brems, bremst, anbremsen, bremspedal, aufs bremspedal, bremspunkt, bremszone
    brake: auf bremse, ans bremspedal, tritt, treten, bremsdruck, bremskraft
    brake hard: voll auf bremse, voll auf die bremse, voll in die bremse, voll bremsen, vollbremsung
    brake less: weniger bremsen
    release: löse, lösen, lös, bremse lösen, von bremse, runter von bremse, von bremse runter, bremse los
    release: loslassen, bremse loslassen, lass bremse los, bremsfuß heben, bremsfuß, von bremse gehen
    release: bremse auf, lass bremse, lösen bremse, bremse weg, bremsdruck weg, bremskraft weg
    trail: hineinbremsen, hineinbremse, hinein bremsen, reinbremsen, weiterbremsen, bremse ziehen
    trail: beim einlenken weiterbremsen, bremse bis zum scheitelpunkt, bremse bis zum scheitel
    trail: bremse bis scheitelpunkt
    coast: rollen, rollen lassen, rollenlassen, rolle
    not coast: vom gas auf bremse, direkt vom gas auf bremse
    lift: lupfen, lupf, lupfe, lupfer, vom gas, gas weg, gas wegnehmen, gas lupfen, atmen, gas raus
    throttle: gas, ans gas, aufs gas, am gas, gaspedal, gas geben, gib gas, leistung, beschleunigen
    throttle: beschleunige
    throttle full: vollgas, volles gas, voll, voll drauf, durchgetreten, pedal durch
    throttle hold: draufbleiben, drauf bleiben, bleib drauf, am gas bleiben, bleib am gas, gas stehen lassen
    throttle hold: gas halten, halte gas, stützgas
    throttle smooth: gas aufziehen, gas weich aufziehen, aufziehen
    turn: lenken, lenk, lenke, lenkt, einlenken, einlenk, lenke ein, lenk ein, einlenkpunkt, eindrehen
    turn: in kurve, in die kurve
    apex: zweiten scheitel, zweiter scheitel, zweiten scheitelpunkt, zweiter scheitelpunkt, ersten scheitel
    apex: scheitel, scheitelpunkt, scheitelpunkte, innen, nach innen, innenrand, inneren rand, innerer rand
    clip: treffen, triff, treffe, berühre, berühren, streife, streifen, nimm mit
    kerb: randstein, randsteine, kerb, kerbs, curb, curbs, inneren randstein, innerer randstein
    out: hinaustragen, hinaustragen lassen, raustragen, raustragen lassen, rauslaufen lassen
    out: äußeren randstein, hinaus, raus, ganze breite, ganze strecke, ganze straße, volle breite
    out: hinauslaufen lassen, tragen lassen, treiben lassen, nach außen tragen lassen
    free steer: lenkrad loslassen, lenkung loslassen, lenkrad los, lass lenkrad los, hände weg
    free: laufen lassen, lass laufen, lass es laufen, lass ihn laufen
    unwind: lenkung öffnen, lenkung auf, lenkrad öffnen, öffnen, öffne lenkung, öffne lenkrad, aufmachen
    unwind: lenkung gerade, lenkrad gerade, lenkrad gerade werden lassen, hände auf, lenkung aufmachen
    unwind: gerade stellen
    steer: lenkung, lenkrad, hände, lenkeinschlag, lenkwinkel
    steer smooth: ruhige hände, ruhigen händen, sanfte hände
    correct: korrekturen, korrektur, korrigieren, sägen
    speed: tempo, schwung, geschwindigkeit, mindesttempo
    speed hold: tempo mitnehmen, schwung mitnehmen, rollspeed
    speed more: weniger tempo herausnehmen, weniger tempo raus
    slow: langsamer, verlangsamen, tempo raus, tempo herausnehmen, abbremsen
    gear: gang, gänge, schalten, schalte
    gear up: hochschalten, hoch schalten, schalte hoch, schalt hoch
    gear down: gang tiefer, gang runter, herunterschalten, runterschalten, zurückschalten, schalte runter
    gear down: schalte zurück
    position: fahr, position, ordne ein, einordnen, rüber, mitte der strecke
    position wide: außen, nach außen, weit außen, ganz außen, weit, weiter außen
    position tight: eng, enger, nah, nahe, näher, weiter innen
    look: blick, blicke, schau, schauen, augen, sieh, such, suche, suchen, ziel, ziele, zielen, achte auf
    look: voraus, anpeilen
    wait: warte, warten, abwarten, wart, geduld, geduldig, noch nicht
    calm: ruhig, ruhe, sauber, locker, rhythmus, fließen, flüssig, entspannt, vertrau, vertraue, präzise
    calm: ruhige, verzichte, opfere, opfern
    sooner: früher, früh, eher, zeitig, zeitiger
    later: später, spät, tiefer, tief, späten, späterer, später treffen, spätem, später dran
    before: vor, bevor
    after: nach, hinter, nachdem
    until: bis
    more: mehr, fester, stärker, härter, kräftiger, zusätzlich, weiter aufs
    hard: fest, hart, stark, kräftig, kräftige, energisch
    less: weniger, sanfter, weicher, weicherem, leichter, schwächer, kleiner, reduziere, tiefer schalten
    light: leicht, leichte, leichter lupfer, leichtes, zart, klein, kleine, kleiner lupfer
    short: kurz, kurze, kurzer, kurzes, kürzer
    longer: länger, lange, lang, doppelt so lange
    hold: halte, halten, halt, bleib, bleibe, bleiben, behalte, behalten, konstant, gleichmäßig
    smooth: bis zwei zählen, sanft, sanfte, weich, weiche, langsam, gefühlvoll, gefühl, progressiv, dosiert
    smooth: dosieren, behutsam
    once: ein zug, einem zug, einmal, eine, einen, einem, ein, nur einmal, eine bewegung
    again: noch einmal, nochmal, wieder, zweimal
    full: ganz durch, maximal
    fast: schnell, schneller, zügig, zügiger
    up: hoch, höher, höheres, anheben
    down: runter, herunter
    left: links, linke, linken, linker
    right: rechts, rechte, rechten, rechter
    straight: gerade, geradeaus, in gerader linie
    from: von
    into: gegen
    too: zu, so
    not: nicht, kein, keine, keinen, nie, niemals, ohne, nichts, vermeide, stopp, vergiss, ignoriere
    not: lass bleiben
    extreme: so spät wie, so früh wie, so fest wie, möglichst, allerletzten, letzten moment, viel, spätestens
    hill: hügel, bergauf, bergab, steigung, gefälle, anstieg, fällt ab
    crest: kuppe
    dip: senke, kompression
    beyond: ende, ausgang, am ausgang, mitte, in mitte, am ziel, nächste runde, nächsten runde, in runde
    -: ein tick, einen tick, einem tick, tick, etwas länger, ein wenig, wenig, ein bisschen, bisschen, hauch
    -: moment, einen moment, nur, noch, erst, dann, jetzt, hier, da, dort, gleich, direkt, sofort, beim
    -: schon, bereits, bloß, wagenlänge, eine wagenlänge, halbe wagenlänge, eine halbe wagenlänge
    -: zwei wagenlängen, an, am, im, in, ins, auf, aufs, ans, zum, zur, mit, für, durch, bei, über, aus, um
    -: unter, ab, heraus, hinein, rein, es, du, dich, dir, dein, deine, deinen, deinem, ihn, sie, ist, sind
    -: wird, werden, lass, lassen, kannst, geht, gehen, das geht, diese, dieser, diesen, dieses, alle, alles
    -: jede, jeder, jeden, als, wo, wenn, wie, sein, gleicher, selben, derselbe, nächste, nächsten, nächstes
    -: als nächstes, erste, ersten, letzte, letzten, kommt, folgt, auto, wagen, vorderachse, heck, grip
    -: gewicht, fuß, druck, pedal, marke, marker, punkt, zone, anfang, am anfang, zu beginn, beginn, beginnen
    -: kurve, kurven, eingang, strecke, rand, spitzkehre, linie, ideallinie
    -: gerade linie, runde, runden, weg, blind, nimm, nehmen, mitnehmen, mitnimm, nutze, nutzen, komm, kommen
    -: gehe, geh, ziehen, zieh, bring, setz, setze, stell, mach, versuche, versuchen, denk, daran, zähl
    -: zählt, spür, anfahren, abstand, gut, bereit, fahren, stehen, herausnehmen, hineinnehmen, gar
    -: etwas, gar nicht erst, seite, setzen, geradestück, weiter, heben, ganz, ganze, ganzen, auf gerade
    -: lange gerade
""")

LEXICON = Lexicon(
    name="German",
    senses=SENSES,
    articles=word_set("der die das dem den des"),
    joints=word_set("und dann aber oder während sobald wenn als erst"),
    landmarks=word_set("""
        brücke schild tafel tafeln brett buchstabe buchstaben mauer wand reifen reifenstapel stapel baum
        bäume pylone pylonen hütchen pfosten mast fahne streckenposten posten tribüne turm gebäude haus
        hütte schuppen zaun tor leitplanke plakat banner naht fleck schatten farbe bodenwelle welle tunnel
        kirche lampe laterne ampel kamera zufahrt box boxen boxenmauer boxeneinfahrt gully gras kies busch
        fels sand fluss see k stufe knick streifen pfeil geländer werbetafel
    """),
    figures=word_set("""
        null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
        sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig
        hundert tausend halb halbe drittel viertel prozent doppelt meter metern kilometer kmh
        stundenkilometer bar sekunden zehntel zweite zweiten dritte dritten vierte vierten fünfte fünften
    """),
    corner_words=("kurve",),
    names_after=word_set("für zu zur in durch richtung vor"),
    kinds={
        "bridge": "brücke",
        "wall": "mauer wand",
        "board": "schild tafel",
        "bump": "bodenwelle welle",
        "sign": "schild",
        "tyres": "reifen reifenstapel stapel",
        "crest": "kuppe",
        "tree": "baum",
        "cone": "hütchen pylone",
    },
    endings=("en", "n", "s", "e"),
    forms=lambda number: (str(number), number_words(number), *_with_one(number)),
    spoken_name=spoken_name,
    examples={
        "approach": "Blick auf deinen Bremspunkt",
        "brake": "Geradeaus bremsen",
        "turn_in": "Geduld, dann einlenken",
        "apex": "Später Scheitelpunkt, Blick voraus",
        "exit": "Gas weich aufziehen, Lenkung öffnen",
        "brake_earlier": "Eine Wagenlänge früher bremsen",
        "brake_later": "Eine Wagenlänge später bremsen",
        "brake_lighter": "Weniger fest bremsen",
        "brake_harder": "Am Anfang fester bremsen",
        "brake_once": "In einem Zug bremsen",
        "release_sooner": "Die Bremse früher lösen",
        "release_smoother": "Die Bremse weich lösen",
        "trail_longer": "Länger hineinbremsen",
        "no_coasting": "Nicht rollen lassen",
        "turn_in_earlier": "Einen Tick früher einlenken",
        "turn_in_later": "Einen Tick später einlenken",
        "wider_entry": "Weiter außen anfahren",
        "later_apex": "Den Scheitelpunkt später treffen",
        "clip_apex": "Bis an den Scheitelpunkt",
        "more_apex_speed": "Mehr Tempo am Scheitelpunkt",
        "over_slowed": "Mehr Tempo behalten",
        "understeer": "Weniger lenken, Vorderachse abwarten",
        "oversteer": "Ruhige Hände, sanft ans Gas",
        "fewer_corrections": "Einmal lenken, ruhig halten",
        "throttle_sooner": "Einen Tick früher ans Gas",
        "throttle_fully": "Früher Vollgas",
        "throttle_smoother": "Das Gas weich aufziehen",
        "throttle_once": "Einmal Gas, dann draufbleiben",
        "use_exit": "Am Ausgang die ganze Breite nutzen",
        "unpinch_exit": "Lenkung öffnen",
        "less_lift": "Hier weniger lupfen",
        "flat_possible": "Das geht voll",
        "gear_up": "Einen Gang höher",
        "gear_down": "Einen Gang tiefer",
    },
)


def _with_one(number: int) -> tuple[str, ...]:
    """A hundred is also said "einhundert"."""
    return (f"ein{number_words(number)}",) if 100 <= number < 200 else ()
