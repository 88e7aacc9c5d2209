"""German phrases that go on with an answer, ask what the session is, or are said beside questions.

They come before those of `german_words`.
"""

from __future__ import annotations

TALK: tuple[tuple[str, str], ...] = (
    # What points at the answer before.
    (r"(?:war|ist|kam|kommt|lag|liegt) (?:das|es) (?:eher |mehr )?(?:an der|an dem|am|vom|von der|beim|durch|"
     r"auf der|aus der)(?= (?:brems|gas|ein|aus|kurven|mitte|scheitel))", "was that from"),
    (r"bist du (?:dir )?(?:da )?(?:ganz )?sicher|(?:ist das|ganz) sicher|stimmt das|ist das (?:wirklich|"
     r"echt) so|echt jetzt|kann (?:man|ich) "
     r"(?:das|dir|dem) (?:glauben|trauen)|woher (?:weisst|"
     r"willst) du "
     r"(?:das|es)(?: wissen)?|wie kommst du (?:dar?auf|drauf)", "are you sure"),
    (r"was mach\w* ich (?:da |dort )?(?:so )?falsch", "what am i doing wrong"),
    (r"und (?:dann|danach|als nachstes)(?=[ ?.!]*$)", "and what about the next one"),
    (r"(?<=und )um wie ?viel(?=[ ?.!]*$)", "by how much"),
    (r"(?:werde?|bin) ich (?:(.*) )?(?:besser|schneller) geworden", r"am i getting faster \1"),
    (r"ist das (?:jetzt |denn )?(?:sehr )?viel(?=[ ?.!]*$)", "is that a lot"),
    (r"(?:wie|was) (?:behebe?|verbesser\w*|mach\w*|kann|soll|muss) ich (?:das|da|dagegen|daran|es)"
     r"(?: (?:besser|andern|anders|machen|tun|verbessern|beheben|abstellen|loswerden|vermeiden|"
     r"hin))*(?=[ ?.!]*$)|"
     r"wie (?:krieg|bekomm)\w* ich das (?:weg|hin|in den griff)", "how do i fix that"),
    (r"(?:warum|wieso|weshalb) (?:gerade |genau |ausgerechnet )?(?:da|dort|die|der|diese\w*)(?=[ ?.!]*$)",
     "why there"),
    (r"wie ?viel (?:ist|sind|war|fehlt|fehlen) (?:das|da|mir da) (?:auf|zu[mr]?|unter|uber|hinter) "
     r"(?:meiner?|die|der) beste\w*", "how much is that off my best"),
    (r"(?:das|die) eine(?: sache| ding)?,? (?:woran|an der|an dem|die|was) ich .*?(?:soll\w*|muss\w*|kann)|"
     r"woran (?:soll|sollte|muss) ich (?:am meisten|zuerst|als erstes) arbeiten",
     "the one thing i should work on"),
    (r"was kann ich am (?:leichtesten|einfachsten|ehesten|meisten) (?:verbessern|andern|holen)",
     "the one thing i should change"),
    (r"wie ?viel (?:bringt|brachte|wurde) (?:mir )?das(?: bringen)?", "how much would that give me"),
    (r"bist du zufrieden(?: mit mir)?", "how did i do"),
    (r"was (?:soll|sollte|muss) ich (?:als erstes|zuerst) (?:andern|machen|tun|verbessern)",
     "the one thing i should change"),
    (r"fass\w* (?:(?:es|das|alles|mir|bitte|mal|kurz) )*(?:in einem satz )?zusammen|in einem satz|"
     r"kurz (?:und knapp|gesagt|zusammengefasst)", "sum it up in one sentence"),
    # What the session is.
    (r"was (?:war|ist) (?:das|es) fur ein (auto|wagen|kart)|was fur ein (auto|wagen|kart) (?:war|ist) das",
     r"which car is this"),
    (r"wo bin ich (?:da )?gefahren", "where was i driving"),
    (r"war(?:en)? (?:das|es)(?= und\b|,)", "was that"),
    (r"welche[sr]? (auto|wagen|kart) (?:war|ist) (?:das|es)", r"which \1 is this"),
    (r"wer (?:ist|hat) (?:(?:da|das|es) )?gefahren|wer (?:sass|war) am steuer", "who drove"),
    (r"was (?:wurde|ist|hast du) (?:alles )?(nicht )?(?:alles )?(?:aufgezeichnet|erfasst|gemessen|"
     r"aufgenommen)",
     r"what was \1recorded"),
    (r"(?:womit|wer|was) (?:wurde|hat|ist)(?: das| es)? (?:aufgezeichnet|aufgenommen)", "what recorded this"),
    (r"(?:hast du|gibt es)(?= \w*(?:daten|druck|signal))", "do you have"),
    (r"(?:in )?welche[r]? richtung (?:fahren wir|bin ich gefahren|geht (?:es|die strecke))|(?:ging es |"
     r"fahren wir )?"
     r"im oder gegen den uhrzeigersinn|rechts ?(?:rum|herum) oder links ?(?:rum|herum)", "which way round"),
    (r"wie lang\w* war ich (?:da )?(?:draussen|unterwegs|auf der strecke)", "how long was i out"),
    (r"(\w+) zehntel (?:holen|finden|gut ?machen|rausholen|sparen)", r"find \1 tenths"),
    (r"halbe[nr]? sekunde", "half a second"),
    # What is said beside questions.
    (r"(?:das |es )?hat (?:mir )?(?:\w+ )?spass gemacht|(?:das )?(?:macht|war ein) spass", "that was fun"),
    (r"bist du (?:noch |schon )?(?:wach|da|dran)|(?:horst|verstehst) du mich", "are you there"),
    (r"alles klar|^verstanden|^na gut", "ok"),
    (r"vergiss es|^schon gut|^(?:ist )?(?:auch )?egal(?=[ ?.!]*$)|macht nichts|nicht so wichtig",
     "never mind"),
    (r"gut(?:e)? (?:gemacht|arbeit|leistung)|saubere arbeit", "good job"),
)  # fmt: skip
