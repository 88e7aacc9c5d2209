"""The one way to wait in a test: for a state, never for a time.

`await until(lambda: x.state == "good")` returns once the condition holds. `wait_until` is the same for a test
without an event loop. A condition that never holds fails the test, with the condition's own source and the
values of its parts.
"""

from __future__ import annotations

import ast
import asyncio
import linecache
import time
from collections.abc import Callable

# Some tests put other clocks in these modules' place.
_now, _sleep, _async_sleep = time.monotonic, time.sleep, asyncio.sleep

# A guard against a wait without an end, for a loaded machine: no test says by it how fast something is.
DEADLOCK_S = 120.0
LOOK_EVERY_S = 0.005


async def until(condition: Callable[[], object], within_s: float = DEADLOCK_S) -> None:
    """Return once the condition is true."""
    deadline_s = _now() + within_s
    while not condition():
        _check(condition, deadline_s, within_s)
        await _async_sleep(LOOK_EVERY_S)


def wait_until(condition: Callable[[], object], within_s: float = DEADLOCK_S) -> None:
    """Return once the condition is true; other threads run meanwhile."""
    deadline_s = _now() + within_s
    while not condition():
        _check(condition, deadline_s, within_s)
        _sleep(LOOK_EVERY_S)


def _check(condition: Callable[[], object], deadline_s: float, within_s: float) -> None:
    if _now() > deadline_s:
        raise AssertionError(f"waited {within_s:g} s for:\n  {describe(condition)}")


def describe(condition: Callable[[], object]) -> str:
    """The source of a lambda and the present values of its parts; of a function its name and its answer."""
    text = _source_of_lambda(condition)
    if text is None:
        return f"{getattr(condition, '__qualname__', condition)}(), which gave {condition()!r}"
    names = dict(condition.__globals__)  # type: ignore[attr-defined]
    code = condition.__code__  # type: ignore[attr-defined]
    names |= zip(code.co_freevars, (cell.cell_contents for cell in condition.__closure__ or ()), strict=True)  # type: ignore[attr-defined]
    names |= zip(code.co_varnames, condition.__defaults__ or (), strict=False)  # type: ignore[attr-defined]
    lines = [text]
    for part in _parts(ast.parse(f"({text})", mode="eval").body):
        try:
            saw = repr(eval(part, names))
        except Exception as error:
            saw = f"{type(error).__name__}: {error}"
        lines.append(f"saw {part} = {saw[:500]}")
    return "\n  ".join(lines)


def _source_of_lambda(condition: Callable[[], object]) -> str | None:
    code = getattr(condition, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return None
    places = [place for place in code.co_positions() if place[2] is not None and place[3] != place[2]]
    (line, column), (end_line, end_column) = (
        min((p[0], p[2]) for p in places),
        max((p[1], p[3]) for p in places),
    )
    source = [each.encode() for each in linecache.getlines(code.co_filename)[line - 1 : end_line]]
    if not source:
        return None
    source[-1] = source[-1][:end_column]
    source[0] = source[0][column:]
    return " ".join(b"".join(source).decode().split())


def _parts(node: ast.expr) -> list[str]:
    """The expressions whose values tell why the condition does not hold."""
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in _parts(value)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _parts(node.operand)
    if isinstance(node, ast.Compare):
        return [part for value in (node.left, *node.comparators) for part in _parts(value)]
    try:
        ast.literal_eval(node)
    except ValueError:
        return [ast.unparse(node)]
    return []
