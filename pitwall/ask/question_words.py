"""A question as symbols: its words and numbers by the lexicon, its corners by their names; the text out of
which patterns take what they understand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from pitwall.ask.corner_names import CornerNames
from pitwall.ask.lexicon import Item, Lexicon, tokens

# Two of what was asked about before, not turn 2.
_TWO = re.compile(
    r"\b(?:of )?(?:those|these|the|den) (?:two|zwei)(?=\W*$|\W+(?:was|were|is|are|had|laps?|war|waren)\b)",
    re.IGNORECASE,
)
# "One" is more often a pronoun.
_ONE = frozenset(("one", "eins", "zero", "null"))


class Text:
    """The symbols of a question, out of which each slot takes what it understands. `used` says which slot
    took the symbol at each place; one that a slot put there stands for a part of the query and has no
    place."""

    def __init__(self, items: Sequence[Item]) -> None:
        found = [(symbol, each.typed) for each in items for symbol in each.symbols.split() if symbol != "THE"]
        self._typed = [re.sub(r"^[NOTU](?=\d)", "", typed) for _, typed in found]
        self._tokens = [(symbol, at) for at, (symbol, _) in enumerate(found)]
        self.used: dict[int, str] = {}
        self.whole = self.left = ""
        self._join()
        self.whole = self.left

    def _join(self) -> None:
        self.left = " " + " ".join(symbol for symbol, _ in self._tokens) + " "

    @property
    def symbols(self) -> list[str]:
        """The symbols that are left, without what parts them."""
        return [symbol for symbol, _ in self._tokens if symbol != "|"]

    def has(self, pattern: str) -> re.Match[str] | None:
        return _compiled(pattern).search(self.left)

    def take(self, slot: str, pattern: str, put: str = "|", keep: int = 0) -> re.Match[str] | None:
        """Give what matches to the slot, but for the group `keep`, which stays to be read; `put` takes its
        place."""
        found = self.has(pattern)
        if found is None:
            return None
        first, end = self._span(found, 0)
        stay = self._tokens[slice(*self._span(found, keep))] if keep and found[keep] else []
        for token in self._tokens[first:end]:
            if token not in stay and token[1] >= 0:
                self.used[token[1]] = slot
        self._tokens[first:end] = [(put, -1), *stay]
        self._join()
        return found

    def _span(self, found: re.Match[str], group: int) -> tuple[int, int]:
        start, end = found.span(group)
        inside = found[group][:1] != " "
        return self.left.count(" ", 0, start) - inside, self.left.count(" ", 0, end)

    def put(self, symbol: str) -> None:
        """A symbol of a part of the query that is found already."""
        self._tokens.append((symbol, -1))
        self._join()

    def left_over(self, claimed: Collection[str]) -> list[tuple[str, str]]:
        """(symbol, word) of what no slot took and none of `claimed` explains."""
        return [
            (symbol, self._typed[at])
            for symbol, at in self._tokens
            if at >= 0 and symbol not in claimed and symbol != "|"
        ]

    def taken(self, slot: str) -> list[tuple[str, str]]:
        """(symbol, word) of what a slot took."""
        return [(self.whole.split()[at], self._typed[at]) for at, each in self.used.items() if each == slot]

    def typed(self, symbol: str) -> list[str]:
        return [self._typed[at] for each, at in self._tokens if at >= 0 and each == symbol]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\s)(?:{pattern})(?=\s)")


def items_of(
    question: str, names: CornerNames, words: Lexicon, corners: list[tuple[str, ...]]
) -> Iterator[Item]:
    question = re.sub(r"(?<=\d)(?:['’]s|er)\b", "", re.sub(r"(?<=\d)\s*-\s*(?=\d)", " to ", question))
    question = words.in_one_word(_TWO.sub("bothofthem", question))
    question = re.sub(
        r"\b(?:zweit|dritt)(?=[a-z]{4})",
        lambda found: "2nd " if found[0] == "zweit" else "3rd ",
        question.lower(),
    )
    raw = _ordinals(question, tokens(re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"#\1", question)))
    raw = [each if each[0] == "#" or each in names.words else words.mended(each) for each in raw]
    raw = [words.numbers[each] if each in words.numbers and each not in _ONE else each for each in raw]
    marked: list[str] = []
    at = 0
    spelled = names.spelled(raw, words.means)
    for mention in names.mentions(spelled):
        marked += raw[at : mention.first]
        if mention.corners or _is_numbered(spelled[mention.first : mention.end]):
            alone = mention.end - mention.first == 1 and spelled[mention.first].isdigit()
            corners.append(mention.corners or (f"?{' '.join(spelled[mention.first : mention.end])}",))
            marked.append(f"<C{len(corners) - 1}{'L' if alone else ''}>")
        else:
            marked += raw[mention.first : mention.end]
        at = mention.end
    marked += raw[at:]
    yield from words.items(list(_numbered(marked, words, names)))


def _is_numbered(words: Sequence[str]) -> bool:
    return any(word[-1:].isdigit() or word[:-1].isdigit() for word in words) or words[-1:] == ["carousel"]


def _ordinals(question: str, raw: list[str]) -> list[str]:
    """Tokens with "#3" for "3rd", which the tokens have without its mark."""
    marks = re.findall(r"#\d+", re.sub(r"\b(\d+)(?:st|nd|rd|th)\b|\b(\d+)\.(?= [a-z])", r"#\1\2", question))
    wanted = [each[1:] for each in marks]
    out = []
    for each in raw:
        if wanted and each.rstrip(".") == wanted[0]:
            out.append(f"#{wanted.pop(0)}")
        else:
            out.append(each)
    return out


def _numbered(words: list[str], lexicon_: Lexicon, names: CornerNames) -> Iterator[str]:
    """Numbers, units and ordinals as symbols of their own."""
    before = ""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        symbol = word
        if word[0] == "<":
            pass
        elif word[0] == "#":
            symbol = f"<O{word[1:]}>"
        elif ":" in word:
            minutes, seconds = word.replace(",", ".").split(":")
            symbol = f"<T{int(minutes) * 60 + float(seconds):.3f}>"
        elif word[0].isdigit() and re.fullmatch(r"\d+(?:[.,]\d+)?", word):
            symbol = f"<N{word.replace(',', '.')}>"
        elif word in lexicon_.units and (
            before[:2] == "<N" or (before in ("in", "im") and word not in ("g", "m"))
        ):
            symbol = f"<U{lexicon_.units[word]}>"
        elif word in lexicon_.numbers and (
            word not in ("one", "eins") or before in ("lap", "sector", "gear")
        ):
            symbol = f"<N{lexicon_.numbers[word]}>"
        elif word in lexicon_.ordinals and lexicon_.ordinals[word] != "1" and before != "a":
            symbol = f"<O{lexicon_.ordinals[word]}>"
        elif re.fullmatch(r"[ls]\d{1,2}", word):
            symbol = f"<{'LAP' if word[0] == 'l' else 'SECTOR'} N{word[1:]}>"
        elif word == "%":
            symbol = "percent"
        elif word == ",":
            symbol = "<COMMA>"
        elif word in (";", "?", "&"):
            symbol = "<AND>" if word == "&" else "<|>"
        elif (word in names.track_words and word not in lexicon_.known) or (
            after[:1] == "<" and word in ("t",)
        ):
            symbol = "<THE>"
        yield symbol
        before = symbol if symbol[0] == "<" else word
