"""What the paddock needs, looked at as the doctor does: nobody is asked anything, no key is sent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pitwall.contract.settings import ModelSettings, PaddockSettings, model_trouble
from pitwall.daemon.paddock.connectivity import Outcome
from pitwall.daemon.paddock.prober import probe, target_of
from pitwall.doctor import Check, Look, is_there, looked_at

WITHOUT = "questions are answered with composed sentences"
_SET = 'set kind, and what it needs, under [paddock.model] in pitwall.toml; see "In the paddock" in README.md'

_MEND: Mapping[Outcome, str] = {
    "unreachable": "start it, or go where there is a network; the daemon looks again by itself",
    "captive": "open a page in the phone's browser and log in to the network",
    "refused": "look at that server; the daemon tries again by itself",
}


def examine_paddock(settings: PaddockSettings) -> list[Check]:
    """The model's terms, its endpoint, and the model on this machine."""
    looks: list[tuple[str, Look]] = [
        ("paddock model", lambda: _model(settings.model)),
        ("paddock endpoint", lambda: _endpoint(settings.model)),
        ("local model", lambda: _local(settings.local_model)),
    ]
    return looked_at(looks)


def _model(model: ModelSettings) -> Iterable[Check]:
    name = "paddock model"
    if model.kind == "none":
        yield Check(name=name, verdict="note", found=f"none is set: {WITHOUT}", mend=_SET)
        return
    trouble = model_trouble(model)
    if trouble:
        yield Check(name=name, verdict="note", found=f"{trouble}; {WITHOUT}", mend=_SET)
        return
    if not is_there("google.adk"):
        mend = 'pip install "pitwall[paddock]"'
        found = f"{model.name} is set, but the extra paddock is not installed: {WITHOUT}"
        yield Check(name=name, verdict="note", found=found, mend=mend)
        return
    key = "with a key" if model.api_key else "by Vertex" if model.project else "without a key"
    yield Check(name=name, verdict="good", found=f"{model.kind} {model.name}, {key}")


def _endpoint(model: ModelSettings) -> Iterable[Check]:
    target = target_of(model)
    if target is None:
        return
    found = asyncio.run(probe(target))
    if found.outcome == "ok":
        yield Check(name="paddock endpoint", verdict="good", found=found.detail)
        return
    yield Check(
        name="paddock endpoint", verdict="note", found=f"{found.detail}; {WITHOUT}", mend=_MEND[found.outcome]
    )


def _local(path: str) -> Iterable[Check]:
    name = "local model"
    if not path:
        return
    if not is_there("litert_lm"):
        mend = 'pip install "pitwall[llm]"'
        yield Check(name=name, verdict="note", found="the extra llm is not installed", mend=mend)
        return
    file = Path(path).expanduser()
    readable = file.is_file() and os.access(file, os.R_OK)
    yield Check(
        name=name,
        verdict="good" if readable else "note",
        found=f"{file}, {file.stat().st_size / 1e6:,.1f} MB" if readable else f"{file} can't be read",
        mend="" if readable else "set paddock.local_model to a .litertlm file of yours",
    )
