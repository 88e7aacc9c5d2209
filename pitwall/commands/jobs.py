"""`pitwall jobs`: list, show, add, run or cancel work for the paddock."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from typing import Any, cast, get_args

import msgspec

from pitwall.commands.ask import answer_lines
from pitwall.commands.common import SESSION_HELP, Column, add_json, minute, note, print_json, print_table, say
from pitwall.commands.paddock_access import Own, Paddock, with_paddock
from pitwall.commands.settings_file import add_config, checked_settings
from pitwall.commands.stored_or_served import Wanted, read_all, segment
from pitwall.config import Home
from pitwall.contract.events import Answer
from pitwall.contract.jobs import JobRow
from pitwall.contract.messages import JobKind
from pitwall.contract.problems import UserError
from pitwall.words.language import Language

# A push is asked for by `pitwall fleet push`.
KINDS = {kind.replace("_", "-"): kind for kind in get_args(JobKind) if kind != "fleet_push"}
_SHOWN_CHARS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "what",
        nargs="*",
        metavar="ACTION",
        help=f"nothing: list all jobs; ID: show one job; run: run the waiting jobs now; add KIND: add a job, "
        f"KIND is one of {', '.join(KINDS)}",
    )
    parser.add_argument("--cancel", metavar="ID", help="end this job; the parts that are done stay")
    parser.add_argument("--track", help="voice-scripts: for the corners of this track")
    parser.add_argument("--wish", help="voice-scripts: how the phrases should be, in your words")
    parser.add_argument("--session", help=f"all others: {SESSION_HELP}")
    parser.add_argument("--question", help="answer and analysis: the question")
    add_json(parser, "one JSON list, or one object")
    add_config(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0; 1 where a job that was run did not come to its end."""
    from pitwall.api import answers  # knows the whole in-drive path, which the parser does not need

    what = arguments.what
    if not arguments.cancel and len(what) < 2 and what not in (["run"], ["add"]):
        asked = Wanted(lambda store: msgspec.json.encode(answers.jobs(store)), "/jobs")
        if what:
            one, job = f"/jobs/{segment(what[0])}", what[0]
            asked = Wanted(lambda store: msgspec.json.encode(answers.job(store, job)), one)
        [found] = read_all(home, asked)
        if what:
            show_job(msgspec.json.decode(found, type=JobRow), home.words, as_json=arguments.json)
        else:
            _list(msgspec.json.decode(found, type=list[JobRow]), arguments.json)
        return 0

    async def work(paddock: Paddock) -> int:
        if arguments.cancel:
            show_job(await paddock.cancel_job(arguments.cancel), home.words, as_json=arguments.json)
            return 0
        match what:
            case ["run"]:
                return await run_waiting(paddock, home.words, as_json=arguments.json)
            case ["add", kind] if kind in KINDS:
                given = _given(arguments)
                show_job(
                    await paddock.add_job(cast(JobKind, KINDS[kind]), given),
                    home.words,
                    as_json=arguments.json,
                )
            case ["add", *_]:
                raise UserError(f"name what to add: pitwall jobs add {' | '.join(KINDS)}")
            case _:
                raise UserError("name one job, or none to list them; see pitwall jobs --help")
        return 0

    settings = checked_settings(arguments.config, home)[0].settings.paddock
    return with_paddock(home, settings, work)


async def run_waiting(paddock: Paddock, words: Language, *, as_json: bool) -> int:
    """Run what waits, each once, one after the other."""
    from pitwall.api import answers

    if not isinstance(paddock, Own):
        raise UserError("the daemon runs the jobs by itself; pitwall jobs shows how far they are")
    runner, code = paddock.part.jobs, 0
    done: set[str] = set()
    await runner.begin()
    while job := await runner.step(done):
        done.add(job)
        row = await asyncio.to_thread(answers.job, paddock.store, job)
        show_job(row, words, as_json=as_json)
        if row.state == "waiting":
            note(f"{row.id} waits: {runner.held.get(row.id, 'it was stopped')}")
        code = code if row.state == "done" else 1
    if runner.waiting and not done:
        what = paddock.part.status().trouble or "set one under [paddock.model] in pitwall.toml"
        note(f"waiting for a model: {runner.waiting}; {what}")
    return code


def _given(arguments: argparse.Namespace) -> Mapping[str, Any]:
    names = ("track", "wish", "session", "question")
    return {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}


def _list(rows: list[JobRow], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    print_table(
        ("job", "kind", "state", Column("changed", spare=True), Column("about", wrap=True)),
        [(row.id, _kind(row), row.state, minute(row.updated_utc_s), _of(row)) for row in rows],
    )


def show_job(row: JobRow, words: Language, *, as_json: bool) -> None:
    """Print a job with what came of it."""
    if as_json:
        print_json(row)
        return
    say(f"{row.id}  {_kind(row)}  {row.state}  {_of(row)}")
    result = row.result or {}
    if result.get("answer"):
        for line in answer_lines(msgspec.convert(result["answer"], Answer), words):
            say(line)
    for corner, place in result.get("done", {}).items():
        say(f"  {corner}: {place}")
    for corner, why in result.get("given_up", {}).items():
        say(f"  {corner}: given up: {why}")
    for why in (result.get("why"), result.get("error")):
        if why:
            say(f"  {why}")
    if result.get("there"):
        say(f"  {result['there']} were there already")


def _kind(row: JobRow) -> str:
    return row.kind.replace("_", "-")


def _of(row: JobRow) -> str:
    text = str(
        row.input.get("question")
        or row.input.get("track")
        or row.input.get("session")
        or row.input.get("lake")
        or ""
    )
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."
