"""What a statement could do inside one call, read from the parser's tree before it runs.

The interrupt and DuckDB's memory limit act between calls: one `repeat`, a text joined with itself over four
levels, or `levenshtein` of two long texts knows neither. So such calls are refused unless what they make is
seen to be small.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Tree = dict[str, Any]

# Table functions that only look. The others read files, run text as SQL, or change settings even in a
# read-only transaction (`checkpoint()` writes the file).
TABLE_FUNCTIONS = frozenset({
    "range", "generate_series", "unnest", "json_each", "json_tree", "histogram", "histogram_values",
    "duckdb_tables", "duckdb_columns", "duckdb_views", "duckdb_types", "duckdb_functions", "duckdb_keywords",
    "duckdb_constraints", "duckdb_indexes", "pragma_table_info", "pragma_show", "pragma_version", "summary",
})  # fmt: skip

_FILLS = "one row of it can fill the memory"
_SLOW = "one call of it can't be stopped"
_ACTS = "it does or tells something outside the answer"
REFUSED = {
    **dict.fromkeys(("list_resize", "array_resize", "bitstring", "list_reduce", "array_reduce", "reduce",
                     "list_select", "array_select", "equi_width_bins", "unpivot_list"), _FILLS),
    **dict.fromkeys(("levenshtein", "editdist3", "damerau_levenshtein", "jaro_similarity",
                     "jaro_winkler_similarity"), _SLOW),
    **dict.fromkeys(("nextval", "currval", "setval", "setseed", "write_log", "sleep_ms", "pg_sleep", "error",
                     "getenv", "getvariable", "current_setting", "set_config", "query", "query_table"),
                    _ACTS),
}  # fmt: skip
# Aggregates that gather many rows into one value.
GATHER = frozenset({
    "string_agg", "group_concat", "listagg", "list", "array_agg", "bitstring_agg", "json_group_array",
    "json_group_object", "json_group_structure", "histogram", "histogram_exact", "map_from_entries",
    "approx_top_k", "array",
})  # fmt: skip
GATHER_TEXT = frozenset({"string_agg", "group_concat", "listagg"})
# These make much of a long text, or take long over it, in one call.
WORK_ON_TEXT = frozenset({
    "replace", "regexp_replace", "regexp_matches", "regexp_full_match", "regexp_extract",
    "regexp_extract_all", "regexp_split_to_array", "regexp_split_to_table", "string_split", "str_split",
    "split", "string_to_array", "string_split_regex", "str_split_regex", "split_part", "strftime", "json",
    "json_valid", "json_extract", "json_extract_string", "json_extract_path", "json_extract_path_text",
    "json_structure", "json_transform", "json_transform_strict", "from_json", "from_json_strict",
    "json_merge_patch", "json_deep_merge", "json_pretty", "json_keys", "json_contains", "json_value", "->",
    "->>", "json_each", "json_tree", "~~", "~~*", "!~~", "!~~*", "~~~", "like_escape", "ilike_escape",
    "overlay", "hamming", "mismatches", "jaccard", "url_encode", "hex", "to_hex", "bin", "to_binary",
})  # fmt: skip
# Several columns in one of these make a value as long as all of them.
JOIN = frozenset({
    "||", "concat", "concat_ws", "list_concat", "array_concat", "list_cat", "array_cat", "list_append",
    "array_append", "list_prepend", "array_prepend", "list_value", "list_pack", "array_value", "struct_pack",
    "struct_insert", "row", "map", "json_array", "json_object", "list_zip", "array_zip",
})  # fmt: skip
# Of lists it joins, of numbers it does not: it counts only where something gathered may come in.
PLUS = "+"
SERIES = frozenset({"range", "generate_series"})
# Text functions by which of their arguments is a length.
LENGTH_AT = {"repeat": 1, "lpad": 1, "rpad": 1, "bar": 3}

# A text or list may become so many times as long by all the statement does with it; DuckDB has 2,048 rows of
# it in hand at a time.
MOST_GROWTH = 1_000
MOST_TEXT = 4_000
MOST_GROWN_TEXT = 20_000
# What was gathered from many rows is up to 8 MB already, and each join makes one more of it.
MOST_GATHERED_GROWTH = 2
MOST_GATHERED_TEXT_GROWTH = 3
MOST_PADDING = 1_000
MOST_REPLACED_BY = 100
MOST_TEXT_IN_LAMBDA = 50
_WIDE = re.compile(r"\d{4}|\*|\{[^}]*\{|\{\d*:[^}]*\d{3}")
_FILE_MARKS = frozenset("/\\:*?[")


class _Place(NamedTuple):
    node: Any
    inside: frozenset[int] = frozenset()  # gatherings that this node is an argument of
    recursive: bool = False
    outermost: bool = True  # of no SELECT inside another
    column: Tree | None = None  # of a SELECT, that this node is a part of
    lambda_names: frozenset[str] | None = None


class _Call(NamedTuple):
    name: str
    arguments: list[Tree]
    gathers: bool
    place: _Place


class _Found(NamedTuple):
    """What a statement holds. `referred`: every name that is used as a column's."""

    calls: list[_Call]
    gatherings: dict[int, _Place]
    referred: set[str]
    longest_text: int


def objection(tree: Tree) -> str:
    """Why a statement (the output of `json_serialize_sql`) must not run; "" where it may."""
    found = _Found([], {}, set(), 0)
    for place in _places(tree):
        if reason := _forbidden(place):
            return reason
        found = _noted(found, place)
    if found.longest_text > MOST_TEXT:
        return f"a text of {found.longest_text} characters: at most {MOST_TEXT}"
    return _too_grown(found)


def _forbidden(place: _Place) -> str:
    """Why this node alone is refused."""
    node, kind = place.node, place.node.get("type")
    if kind == "TABLE_FUNCTION" and (name := _name(node.get("function", {}))) not in TABLE_FUNCTIONS:
        return f"the table function {name}() is not allowed"
    if kind == "BASE_TABLE" and _FILE_MARKS & set(str(node.get("table_name", ""))):
        return f"{node['table_name']!r} is no table: files can't be read"
    if kind == "OPERATOR_CAST" and _type_of(node) in ("BIGNUM", "VARINT"):
        return f"BIGNUM is not allowed: {_SLOW}"
    if reason := REFUSED.get(_name(node)):
        return f"the function {_name(node)}() is not allowed: {reason}"
    return _in_lambda(place)


def _noted(found: _Found, place: _Place) -> _Found:
    node, name = place.node, _name(place.node)
    if node.get("type") == "SUBQUERY" and node.get("subquery_type") == "ARRAY":
        found.gatherings[id(node)] = place
    if node.get("type") == "COLUMN_REF":
        found.referred.add(str(node["column_names"][-1]).lower())
    if name:
        gathers = name in GATHER or (place.recursive and name in JOIN)
        if gathers:
            found.gatherings[id(node)] = place
        arguments = [argument["expression"] for argument in node.get("arguments") or []]
        found.calls.append(_Call(name, arguments, gathers, place))
    return found._replace(longest_text=max(found.longest_text, len(_text(node) or "")))


def _too_grown(found: _Found) -> str:
    """Why all the calls together could make too much of one value."""
    columns: dict[int, _Grown] = {}
    for call in found.calls:
        factor, reason = _factor(call.name, call.arguments)
        if reason:
            return reason
        gathered = any(_comes_in(call.place, at, found.referred) for at in found.gatherings.values())
        if gathered and call.name in WORK_ON_TEXT:
            return f"{call.name}() of what was gathered from many rows is not allowed: work on the rows first"
        grown = columns.setdefault(id(call.place.column), _Grown(call.place, found.referred))
        grown.take(call, factor, gathered or call.gathers)
    growth = _product([(grown.feeds, grown.text * grown.series) for grown in columns.values()])
    text = _product([(grown.feeds, grown.text) for grown in columns.values()]) * found.longest_text
    gathered_growth = _product([(grown.feeds, grown.gathered) for grown in columns.values()])
    only_text = all(_name(place.node) in GATHER_TEXT for place in found.gatherings.values())
    most_gathered = MOST_GATHERED_TEXT_GROWTH if only_text else MOST_GATHERED_GROWTH
    if growth > MOST_GROWTH or text > MOST_GROWN_TEXT or gathered_growth > most_gathered:
        return "it joins texts or lists with themselves too often: one row of it can fill the memory"
    return ""


def _comes_in(place: _Place, gathering: _Place, referred: set[str]) -> bool:
    """Whether what is gathered there may be an argument here."""
    if place.node is gathering.node or id(gathering.node) in place.inside:
        return False
    return gathering.column is place.column or _feeds(gathering, referred)


def _feeds(place: _Place, referred: set[str]) -> bool:
    """Whether another column may take up what is made here."""
    return not place.outermost or str((place.column or {}).get("alias", "")).lower() in referred


class _Grown:
    """How much longer the calls of one column make its values. `feeds`: another column may take them up."""

    def __init__(self, place: _Place, referred: set[str]) -> None:
        self.feeds = _feeds(place, referred)
        self.text = self.series = self.gathered = 1.0

    def take(self, call: _Call, factor: float, gathered: bool) -> None:
        """Joins add up within a column; what repeats multiplies."""
        if call.name in SERIES:
            self.series *= factor
        elif call.name in JOIN:
            self.text += factor - 1.0
        elif call.name != PLUS:
            self.text *= factor
        if gathered:
            self.gathered += factor - 1.0


def _product(growths: list[tuple[bool, float]]) -> float:
    """Columns that feed others multiply; of those that nobody takes up, the largest counts."""
    alone = max((growth for feeds, growth in growths if not feeds), default=1.0)
    return math.prod((growth for feeds, growth in growths if feeds), start=alone)


def _factor(name: str, arguments: list[Tree]) -> tuple[float, str]:
    """(how many times as long as its longest argument the call's value may be, why it may not be called)."""
    if name in LENGTH_AT:
        length = _constant(arguments, LENGTH_AT[name], 80 if name == "bar" else 0)
        if length is None or abs(length) > MOST_PADDING:
            return 1.0, f"{name}() needs a plain length of at most {MOST_PADDING}: {_FILLS}"
        return (max(1.0, length) if name == "repeat" else 1.0), ""
    if name in SERIES:
        count = _series(arguments)
        if count is None or count > MOST_GROWTH:
            return (
                1.0,
                f"{name}() here needs plain bounds, at most {MOST_GROWTH} apart; or use FROM {name}(...)",
            )
        return max(1.0, count), ""
    if name in ("printf", "format"):
        pattern = _text(arguments[0]) if arguments else None
        if pattern is None or _WIDE.search(pattern):
            return 1.0, f"{name}() needs a plain pattern with widths under 100: {_FILLS}"
        return 1.0 + len(arguments) * 0.5, ""
    if name in ("replace", "regexp_replace"):
        by = _text(arguments[2]) if len(arguments) > 2 else None
        if by is None or len(by) > MOST_REPLACED_BY:
            return 1.0, f"{name}() needs a plain text of at most {MOST_REPLACED_BY} characters: {_FILLS}"
        return max(1.0, len(by) / max(1, len(_text(arguments[1]) or "") if name == "replace" else 1)), ""
    if name in JOIN or name == PLUS:
        return float(max(1, sum(not _is_constant(argument) for argument in arguments))), ""
    return 1.0, ""


def _in_lambda(place: _Place) -> str:
    """A lambda is called once for each element: what it brings along from outside is multiplied."""
    node, names = place.node, place.lambda_names
    if names is None:
        return ""
    if node.get("class") == "LAMBDA":
        return "a lambda in a lambda is not allowed: unnest the list instead"
    if node.get("type") == "COLUMN_REF" and str(node["column_names"][0]).lower() not in names:
        return f"a lambda can't use {node['column_names'][0]}, only its own parameters: unnest the list"
    if len(_text(node) or "") > MOST_TEXT_IN_LAMBDA:
        return f"a text in a lambda has at most {MOST_TEXT_IN_LAMBDA} characters"
    return ""


def _places(tree: Tree) -> Iterator[_Place]:
    """Every object of the tree, each before what is in it; a stack, since a statement may nest deeply."""
    todo = [_Place(tree)]
    while todo:
        place = todo.pop()
        node = place.node
        if isinstance(node, list):
            todo += [place._replace(node=child) for child in node]
            continue
        if not isinstance(node, dict):
            continue
        yield place
        below = place
        if _name(node) in GATHER:
            below = below._replace(inside=below.inside | {id(node)})
        if node.get("type") == "RECURSIVE_CTE_NODE":
            below = below._replace(recursive=True)
        if node.get("class") == "LAMBDA":
            names = frozenset(_lambda_names(node["lhs"]))
            todo.append(below._replace(node=node["expr"], lambda_names=names))
            continue
        if node.get("type") == "TABLE_FUNCTION":
            # `FROM range(...)` makes rows, not a list: only what is given to it is looked at.
            called = node.get("function", {}).get("arguments")
            todo += [below._replace(node=child) for child in (called, node.get("subquery"))]
            continue
        if node.get("type") == "SELECT_NODE":
            todo += [below._replace(node=column, column=column) for column in node["select_list"]]
            node = {key: child for key, child in node.items() if key != "select_list"}
            below = below._replace(outermost=False, column=None)
        todo += [
            below._replace(node=child, outermost=below.outermost and key != "cte_map")
            for key, child in node.items()
            if isinstance(child, dict | list)
        ]


def _lambda_names(left: Tree) -> Iterator[str]:
    """The parameters of a lambda: one column, or a row of them."""
    if left.get("type") == "COLUMN_REF":
        yield str(left["column_names"][0]).lower()
    for argument in left.get("arguments") or []:
        yield from _lambda_names(argument["expression"])


def _name(node: Tree) -> str:
    return str(node.get("function_name", "")).lower()


def _type_of(cast: Tree) -> str:
    return str(cast.get("type_expr", {}).get("type_name", "")).upper()


def _is_constant(node: Tree) -> bool:
    return node.get("class") == "CONSTANT"


def _text(node: Tree) -> str | None:
    literal = node.get("literal")
    return str(literal["text"]) if isinstance(literal, dict) and literal.get("kind") == "STRING" else None


def _number(node: Tree) -> float | None:
    literal = node.get("literal")
    try:
        return float(literal["text"]) if isinstance(literal, dict) else None
    except (KeyError, ValueError):
        return None


def _constant(arguments: list[Tree], at: int, default: float) -> float | None:
    return _number(arguments[at]) if at < len(arguments) else default


def _series(arguments: list[Tree]) -> float | None:
    """How many elements a scalar range() has; None where its bounds are not plain numbers."""
    numbers = [_number(argument) for argument in arguments]
    bounds = [number for number in numbers if number is not None]
    if len(bounds) != len(numbers) or not bounds:
        return None
    first, last = (0.0, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    step = bounds[2] if len(bounds) > 2 else 1.0
    return math.inf if step == 0 else abs(last - first) / abs(step)
