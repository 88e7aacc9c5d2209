"""Every command of the README and the pages for drivers works as it is written, and shows what they show."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from readme_pages import NOT_RUN, PAGES, ROOT, alike, blocks, commands, followed, is_run

from pitwall.cli import make_parser
from pitwall.settings import load_settings

MOST_LINES = 120


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_works_as_it_is_written(
    page: str, tmp_path: Path, sonoma_clips: Path
) -> None:
    for block, real in followed(page, tmp_path / "work", sonoma_clips):
        assert alike(block.text, real), f"{page} shows otherwise; scripts/readme --renew writes this:\n{real}"


@pytest.mark.parametrize("page", PAGES)
def test_what_stands_in_sentences_is_there_too(page: str, tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).replace("\n", " ")
    typed = re.findall(r"`(pitwall [a-z][^`]*)`", outside)
    for line in [
        *typed,
        *(line for block in blocks(text) for line in commands(block) if line.startswith("pitwall ")),
    ]:
        words = shlex.split(re.split(r" [|>] ", line)[0])[1:]
        # Its parser prints the table and ends.
        if words != ["import", "--formats"]:
            make_parser(words[0]).parse_args(words)
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target
    for block in blocks(text):
        if block.kind == "toml":
            tomllib.loads(block.text)
            settings = tmp_path / "pitwall.toml"
            settings.write_text(block.text, encoding="utf-8")
            load_settings(settings, {})


def test_the_readme_is_short_and_what_is_not_run_is_a_short_list() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < MOST_LINES
    lines = [
        line for page in PAGES for block in blocks((ROOT / page).read_text()) for line in commands(block)
    ]
    assert {words for words in NOT_RUN if any(line.startswith(words) for line in lines)} == {*NOT_RUN}
    assert sum(map(is_run, lines)) > 50
