"""Finds strings in source code that a driver would read: what reads like words and is no key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pitwall.words.texts import tables

# Two words in a row, or a word beside a value in an f-string.
_WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? [A-Za-z]")
_PART = re.compile(r"[A-Za-z]{2,}|km/h")
# SQL and patterns are no words.
_CODE = re.compile(r"\b(?:SELECT|FROM|GROUP BY|ORDER BY|AND lap IN|ASC|DESC)\b|\(\?:|^\^")
# What is given to these is read by no driver: keys, patterns, the vocabulary of questions, prompts.
_UNREAD = {
    "say", "term", "has_term", "compile", "frozenset", "split", "_recorded", "sub", "findall", "search",
    "match", "get", "replace", "partition", "rpartition", "endswith", "startswith", "removeprefix",
    "Duty", "Pipeline", "DataPart",
}  # fmt: skip
# Read by a model alone: the tool in which it makes a query, and that tool's description.
_FOR_A_MODEL = {"figure_tool", "_DESCRIPTION"}
_READ = tables("read") | tables("asked")
KEYS = {*_READ, *tables("read")["sentences"], *(word for terms in _READ.values() for word in terms)}


def plain_strings(tree: ast.Module) -> list[str]:
    """Every sentence or part of one in the module, with its line."""
    unread = {id(node) for node in _unread(tree)}
    found = []
    for node in ast.walk(tree):
        if id(node) in unread or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            text = "{}".join(map(str, parts))
            reads = any(_PART.search(str(part)) for part in parts) and not text.startswith("/")
        else:
            text = str(node.value)
            reads = isinstance(node.value, str) and bool(_WORDS.search(text)) and text not in KEYS
        if reads and not _CODE.search(text):
            found.append(f"line {node.lineno}: {text!r}")
    return found


def keys_said(tree: ast.Module, keys: set[str]) -> set[str]:
    """The keys of sentences that the module names, whole or as an f-string."""
    nodes = list(ast.walk(tree))
    named = {node.value for node in nodes if isinstance(node, ast.Constant)} & keys
    lines = "\n".join(keys)
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            pattern = "".join(map(_pattern, node.values))
            if re.search("[A-Za-z]{3}", pattern):
                named.update(re.findall(f"(?m)^{pattern}$", lines))
    return named


def _pattern(part: ast.expr) -> str:
    match part:
        case ast.Constant(value=text):
            return re.escape(str(text))
        case ast.FormattedValue(
            value=ast.IfExp(body=ast.Constant(value=one), orelse=ast.Constant(value=two))
        ):
            return f"(?:{one}|{two})"
    return ".+"


def _unread(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of strings that nobody reads: docstrings, Literals, what is given to `_UNREAD`."""
    # A vocabulary that is written as one string, and split where it is used.
    split = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "split" and isinstance(node.value, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in split:
                yield node.value
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]) if name in _FOR_A_MODEL:
                yield from ast.walk(node)
            case ast.Expr(value=ast.Constant()):
                yield node.value
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)) if (
                name in _UNREAD
            ):
                # Only the key of a sentence: its values are read.
                given = node.args[:2] if name in ("term", "has_term") else node.args[:1]
                if name not in ("say", "term", "has_term"):
                    given = [*node.args, *(keyword.value for keyword in node.keywords)]
                    if isinstance(node.func, ast.Attribute):
                        given.append(node.func.value)
                for argument in given:
                    yield from ast.walk(argument)
            case ast.keyword(arg="help"):
                yield from ast.walk(node.value)
            case ast.Subscript(value=ast.Name(id="Literal")):
                yield from ast.walk(node.slice)
            case ast.JoinedStr():
                # Its parts are judged with it; what stands in its braces is judged by itself.
                yield from (part for part in node.values if isinstance(part, ast.Constant))
                for part in node.values:
                    if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                        yield from ast.walk(part.format_spec)
