"""Takes secrets, names and places out of what leaves the phone: known ones, and what has the shape of one.

Rather too much than too little: who reads a trace needs its order and its figures, not its words.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# Tenths of a degree are some 10 km: the country, not the house.
COARSE_DIGITS = 1
SECRET, NAME = "[secret]", "[name]"
# A shorter one would take common words with it.
_LEAST_SECRET_CHARS = 6
# Keys, states and names of tools come again and again, and forty patterns take 40 us.
_SHORT_CHARS, _MOST_SEEN = 64, 2_000
_SECRET_KEY = re.compile(
    r"(?:^|[_\W])(?:api_?key|key|token|secret|pass(?:word|phrase|code|wd)?|pwd|credentials?|cookie|"
    r"authorization)$",
    re.IGNORECASE,
)
_PLACE_KEY = re.compile(r"^(?:lat|lon|lng|latitude|longitude)(?:_|$)", re.IGNORECASE)
_HEMISPHERE = r"\s*[NSEW]?"


def _coarse(match: re.Match[str]) -> str:
    """A match with every decimal number in it rounded to where it says no more than the region."""
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.{COARSE_DIGITS}f}", match[0])


# In this order: a header before the token in it, an e-mail address before the name in it, a telephone number
# with spaces before the key that would take its first digits and leave the others.
_SHAPES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"(?<![\w.])\+\d{1,3}\s(?:[\s()./-]{0,2}\d){6,14}(?!\d)", "[phone]"),
    # Keys and tokens.
    (r"(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", SECRET),
    (
        r"(?i)\b((?:proxy-)?authorization|x-(?:goog-)?api-key|(?:set-)?cookie)\b[\"']?\s*[:=]\s*[\"']?[^\r\n\"'}]+",
        rf"\1: {SECRET}",
    ),
    (r"(?i)\bbearer\s+[\w.~+/=-]+", f"Bearer {SECRET}"),
    (r"\b[Bb]asic\s+(?=\S*[A-Z0-9=])[A-Za-z0-9+/]{8,}={0,2}", f"Basic {SECRET}"),
    (r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*://)[^\s/@]+@", rf"\1{SECRET}@"),
    (
        r"(?i)((?:api[_-]?)?(?:key|token|secret|pass(?:word|phrase|code|wd)|pwd))(\"?'?\s*(?:[:=]|\bis\b|\bwas\b)"
        r"\s*[\"']?)[^\s\"'&,;{}]+",
        rf"\1\2{SECRET}",
    ),
    (
        r"\b(?:AIza|AQ\.|ya29\.|sk-|gh[opusr]_|github_pat_|glpat-|xox[a-z]-|AKIA|hf_|gsk_|pplx-)[\w.-]{10,}",
        SECRET,
    ),
    (r"\beyJ[\w-]{8,}(?:\.[\w-]*){1,2}", SECRET),
    (r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_-]{32,}", SECRET),
    # People and their devices.
    (r"(?i)(?<![\w.+-])[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+", "[email]"),
    (r"(?i)(/(?:home|users|media)/)[^\s/\"':,;]+", r"\1[user]"),
    (r"(?i)([a-z]:\\+users\\+)[^\\/\"'<>|\r\n]+", r"\1[user]"),
    (r"(?<![\w/])~[a-z_][\w-]*", "~[user]"),
    (r"(?<!\w)(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?!\w)", "[address]"),
    (r"(?<![\d.])(?!127\.)(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)", "[address]"),
    (r"(?<!\w)[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*::(?:[0-9A-Fa-f]{1,4}:?)*", "[address]"),
    (r"(?<!\w)(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?!\w)", "[address]"),
    (r"(?i)\btel:[+\d().-]+", "[phone]"),
    (r"(?<![\w.])(?:\+|00)\d(?:[\s()./-]{0,2}\d){7,14}(?!\d)", "[phone]"),
    (r"(?<![\w.])\(?0\d{1,4}\)?[\s/-]{1,2}\d{3,4}(?:[\s/-]?\d{2,6}){1,2}(?!\w)", "[phone]"),
    (r"(?<![\w.])(?:0\d{9,10}|\(?\d{3}\)?[\s.-]{1,2}\d{3}[\s.-]\d{4})(?![\w-])", "[phone]"),
    # Places.
    (
        r"\d{1,3}\s*°\s*\d{1,2}(?:\.\d+)?\s*['′](?:\s*\d{1,2}(?:\.\d+)?\s*(?:\"|″|''))?" + _HEMISPHERE,
        "[place]",
    ),
    (r"\d{4,5}\.\d+\s*,\s*[NSEW]\b", "[place]"),
    (r"(?i)\bgeo:[-\d.]+,[-\d.]+", _coarse),
    (r"[-+]?\d{1,3}\.\d+\s*°" + _HEMISPHERE, _coarse),
    (r"\b[NSEW]\s?\d{1,3}\.\d{2,}|(?<![\w.])\d{1,3}\.\d{3,}\s?[NSEW]\b", _coarse),
    (r"(?i)\b(?:lat|lon|lng)(?:itude|gitude)?(?:_deg)?[\"']?\s*(?:[:=]|is)?\s*[-+]?\d{1,3}\.\d+", _coarse),
    (r"(?<![\w.])[-+]?\d{1,3}\.\d{4,}[\s,;/]+[-+]?\d{1,3}\.\d{4,}(?!\w)", _coarse),
    (r"(?<![\w.])[-+]?\d{1,3}\.\d{5,}(?!\w)", _coarse),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), by) for pattern, by in _SHAPES)


class Redactor:
    """Redacts text and JSON values."""

    def __init__(
        self,
        names: Iterable[str] = (),
        things: Iterable[str] = (),
        secrets: Iterable[str] = (),
        home: str = "",
    ) -> None:
        """`names` of people go word by word too; `things` (cars, files) only whole. `home`: a path that may
        name its owner."""
        known = [secret for secret in secrets if len(secret) >= _LEAST_SECRET_CHARS]
        self._known = [(_normal(secret), SECRET) for secret in sorted(known, key=len, reverse=True)]
        if len(home) > 1:
            self._known.append((_normal(home), "[home]"))
        patterns = {pattern for name in names for pattern in _name_patterns(name, parts=True)}
        patterns |= {pattern for name in things for pattern in _name_patterns(name, parts=False)}
        # The longest first, so that no part of a name is left beside the other part's mark.
        either = "|".join(sorted(patterns, key=lambda each: (-len(each), each)))
        self._seen: dict[str, str] = {}
        self._names = re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE) if either else None

    def text(self, text: str) -> str:
        """The text without them. JSON in a string is redacted as JSON."""
        if len(text) > _SHORT_CHARS:
            return self._text(text)
        if text not in self._seen:
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen[text] = self._text(text)
        return self._seen[text]

    def _text(self, text: str) -> str:
        stripped = text.strip()
        if stripped[:1] in ("{", "["):
            try:
                return json.dumps(self.value(json.loads(stripped)), ensure_ascii=False)
            except (ValueError, RecursionError):
                pass
        text = _normal(text)
        for known, mark in self._known:
            text = text.replace(known, mark)
        for pattern, by in _COMPILED:
            text = pattern.sub(by, text)
        return text if self._names is None else self._names.sub(NAME, text)

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value without them, keys too; figures stay, but for coordinates."""
        if isinstance(value, str):
            return SECRET if value and _SECRET_KEY.search(key) else self.text(value)
        if isinstance(value, float):
            return round(value, COARSE_DIGITS) if _PLACE_KEY.search(key) else value
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.value(held, str(name)) for name, held in value.items()}
        if isinstance(value, Sequence):
            if _is_position(value):
                return [round(each, COARSE_DIGITS) for each in value]
            return [self.value(each, key) for each in value]
        return value


def _is_position(value: Sequence[Any]) -> bool:
    """Two or three numbers of which the first two could be degrees, finer than one would round figures."""
    if not 2 <= len(value) <= 3 or not all(isinstance(each, float) for each in value):
        return False
    fine = all(len(repr(each).partition(".")[2]) >= 4 for each in value[:2])
    return fine and all(abs(each) <= 180.0 for each in value[:2])


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _name_patterns(name: str, *, parts: bool) -> Iterable[str]:
    """Patterns for a name as people write it: with other or no separators, without its accents."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    for spelled in (_normal(name), plain):
        words = re.findall(r"[^\W_]+", spelled)
        if sum(map(len, words)) >= 2:
            yield r"[\W_]{0,3}".join(map(re.escape, words))
        for word in words if parts else ():
            if len(word) > 2:
                yield re.escape(word)
            elif len(word) == 2 and word[0].isupper():
                # "Jo" is a name, "jo" may be the end of anything.
                yield f"(?-i:{re.escape(word)})"
