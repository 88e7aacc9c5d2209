"""Export the traces of agents and jobs as JSON lines without secrets, names and places.

Known secrets, and what has the shape of one.
Rather removes too much: a trace is read for its order and figures, not its words."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Literal

import _duckdb as duckdb
import msgspec

from pitwall import __version__
from pitwall.store.errors import StoreError
from pitwall.store.queries import Readable

TraceKind = Literal["agent_event", "job", "turn"]

_FETCH_ROWS = 200
# Newest first, so that a bound leaves out the oldest; returned in order of time.
_QUERIES: dict[TraceKind, str] = {
    "agent_event": (
        "SELECT job, at_utc_s, agent, kind, detail FROM (SELECT * FROM agent_events "
        "WHERE $job IN ('', job) ORDER BY at_utc_s DESC LIMIT $most) ORDER BY at_utc_s"
    ),
    "job": (
        "SELECT id, kind, state, created_utc_s, updated_utc_s, input, checkpoint, result FROM (SELECT * "
        "FROM jobs WHERE $job IN ('', id) ORDER BY created_utc_s DESC LIMIT $most) ORDER BY created_utc_s"
    ),
    "turn": (
        "SELECT at_utc_s, role, session, text, detail FROM (SELECT * FROM conversations "
        "WHERE $job = '' ORDER BY at_utc_s DESC LIMIT $most) ORDER BY at_utc_s"
    ),
}


class Known(msgspec.Struct, frozen=True):
    """Names in sessions and lessons: of drivers, and of cars and files."""

    drivers: tuple[str, ...]
    things: tuple[str, ...]


def trace_rows(store: Readable, kind: TraceKind, job: str = "", most: int = 1000) -> Iterator[dict[str, Any]]:
    """Return the newest `most` rows of one kind in order of time. StoreError."""
    with closing(store.cursor()) as cursor:
        try:
            cursor.execute(_QUERIES[kind], {"job": job, "most": most})
            columns = [str(column[0]) for column in cursor.description or []]
            while rows := cursor.fetchmany(_FETCH_ROWS):
                for row in rows:
                    yield dict(zip(columns, row, strict=True))
        except duckdb.Error as error:
            raise StoreError(f"the agents' traces can't be read: {error}") from error


def known_names(store: Readable) -> Known:
    """List every driver, car and file that is named anywhere. StoreError."""
    with closing(store.cursor()) as cursor:
        try:
            rows = cursor.execute("SELECT DISTINCT driver, vehicle, source_name FROM sessions").fetchall()
            learned = cursor.execute("SELECT DISTINCT driver FROM lessons").fetchall()
        except duckdb.Error as error:
            raise StoreError(f"the sessions' names can't be read: {error}") from error
    drivers = {str(row[0]) for row in (*rows, *learned) if row[0]}
    stems = {str(row[2]).rpartition("/")[2].partition(".")[0] for row in rows if row[2]}
    cars = {str(row[1]) for row in rows if row[1]}
    return Known(tuple(sorted(drivers)), tuple(sorted(stems | cars)))


MOST_ROWS = 10_000
# Held as JSON in a text column.
_JSON_COLUMNS = ("detail", "input", "checkpoint", "result")
# What a driver or a model wrote, even where it is one word.
_WORD_KEYS = frozenset({
    "question", "prompt", "wish", "text", "turns", "answer", "claim", "summary", "phrases", "say", "note",
})  # fmt: skip
# An id, a state's or a tool's name; anything else is somebody's words.
_ID = re.compile(r"[\w.:/+-]{0,64}")


def export_lines(
    store: Readable,
    secrets: Sequence[str] = (),
    *,
    job: str = "",
    with_words: bool = False,
    most: int = MOST_ROWS,
) -> Iterator[bytes]:
    """Yield JSON lines: a head, then jobs, agents' events and, `with_words`, the conversation.
    `job`: of this one only. Without words, texts of a driver or model show only their length.
    StoreError."""
    known = known_names(store)
    redactor = Redactor(known.drivers, known.things, secrets, home=str(store.home.root))
    head = {"what": "traces", "version": __version__, "with_words": with_words, "job": job}
    yield _line(redactor.value(head))
    kinds: tuple[TraceKind, ...] = ("job", "agent_event", "turn") if with_words else ("job", "agent_event")
    for kind in kinds:
        for row in trace_rows(store, kind, job, most):
            shown: Any = {
                name: _opened(held) if name in _JSON_COLUMNS else held
                for name, held in row.items()
                if held not in (None, "")
            }
            if not with_words:
                # Sentences in agents' events are ours; in a job, what it was given and gave.
                shown = _wordless(shown, sentences=kind == "agent_event")
            yield _line(redactor.value({"what": kind, **shown}))


def _wordless(value: Any, key: str = "", *, sentences: bool = False) -> Any:
    """Replace words by their length; `sentences` stay where no key is somebody's."""
    if isinstance(value, str):
        plain = key not in _WORD_KEYS and (sentences or _ID.fullmatch(value))
        return value if plain else f"[words: {len(value)} characters]"
    if isinstance(value, Mapping):
        return {
            name: _wordless(held, key if key in _WORD_KEYS else str(name), sentences=sentences)
            for name, held in value.items()
        }
    if isinstance(value, Sequence):
        return [_wordless(each, key, sentences=sentences) for each in value]
    return value


def _opened(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"


# Tenths of a degree are some 10 km: the country, not the house.
COARSE_DIGITS = 1
SECRET, NAME = "[secret]", "[name]"
# A shorter one would take common words with it.
_LEAST_SECRET_CHARS = 6
# Keys, states and tools' names repeat, and forty patterns take 40 us.
_SHORT_CHARS, _MOST_SEEN = 64, 2_000
_SECRET_KEY = re.compile(
    r"(?:^|[_\W])(?:api_?key|key|token|secret|pass(?:word|phrase|code|wd)?|pwd|credentials?|cookie|"
    r"authorization)$",
    re.IGNORECASE,
)
_PLACE_KEY = re.compile(r"^(?:lat|lon|lng|latitude|longitude)(?:_|$)", re.IGNORECASE)
_HEMISPHERE = r"\s*[NSEW]?"


def _coarse(match: re.Match[str]) -> str:
    """Round every decimal number in a match until it shows no more than the region."""
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.{COARSE_DIGITS}f}", match[0])


# In this order: a header before the token in it, an e-mail address before the name in it, telephone
# numbers with spaces before the key that would match their first digits.
_SHAPES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"(?<![\w.])\+\d{1,3}\s(?:[\s()./-]{0,2}\d){6,44}(?![\d°])", "[phone]"),
    (r"(?<![\w./-])\(?0\d{1,4}\)?\s{1,2}\d{3,4}\s?\d{2,48}(?:\s\d{2,48}){0,7}(?![\w°]|[/-]\d)", "[phone]"),
    # Keys and tokens.
    (r"(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", SECRET),
    (
        r"(?i)\b((?:proxy-)?authorization|x-(?:goog-)?api-key|(?:set-)?cookie)\b[\"']?\s*[:=]\s*[\"']?[^\r\n\"'}]+",
        rf"\1: {SECRET}",
    ),
    (r"(?i)\bbearer\s+(?:[^\s\"']+?(?=bearer\b|basic\b)|[\w.~+/=-][^\s\"']*)", f"Bearer {SECRET}"),
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
    # Whatever is joined to it goes with it.
    (r"(?<![\w.])[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*::[\w:.,+°'/=-]*", "[address]"),
    (r"(?<!\w)(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?!\w)", "[address]"),
    (r"(?i)\btel:[+\d().-]+", "[phone]"),
    # The id of a job or a session of the hour after midnight, as 20261126-004119-363966, is none.
    (
        r"(?<!20\d\d[01]\d[0-3]\d-(?=\d{6}-[0-9a-f]{6}(?!\w)))(?<![\w.])(?:\+|00)\d(?:[\s()./-]{0,2}\d){7,44}"
        r"(?![\d°])",
        "[phone]",
    ),
    (r"(?<![\w.])\(?0\d{1,4}\)?[\s/-]{1,2}\d{3,4}[\s/-]?\d{2,48}(?:[\s/-]\d{2,48}){0,7}(?![\w°])", "[phone]"),
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
        """Redact `names` of people word by word, `things` (cars, files) whole; `home`: a path
        with an owner."""
        known = [secret for secret in secrets if len(secret) >= _LEAST_SECRET_CHARS]
        self._known = [(_normal(secret), SECRET) for secret in sorted(known, key=len, reverse=True)]
        if len(home) > 1:
            self._known.append((_normal(home), "[home]"))
        patterns = {pattern for name in names for pattern in _name_patterns(name, parts=True)}
        patterns |= {pattern for name in things for pattern in _name_patterns(name, parts=False)}
        # The longest first, so that no part of a name is left.
        either = "|".join(sorted(patterns, key=lambda each: (-len(each), each)))
        self._seen: dict[str, str] = {}
        self._names = re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE) if either else None

    def text(self, text: str) -> str:
        """Redact a text; JSON in a string as JSON."""
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
        """Redact a JSON value, keys too; figures stay, but for coordinates."""
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
    """Return whether two or three numbers could be degrees, finer than one would round figures."""
    if not 2 <= len(value) <= 3 or not all(isinstance(each, float) for each in value):
        return False
    fine = all(len(repr(each).partition(".")[2]) >= 4 for each in value[:2])
    return fine and all(abs(each) <= 180.0 for each in value[:2])


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _name_patterns(name: str, *, parts: bool) -> Iterable[str]:
    """Make patterns for a name with other or no separators or accents."""
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
