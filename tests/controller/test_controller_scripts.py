"""Voice scripts for all corners of Sonoma through the real ADK: written once, refused, cut off, resumed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from job_world import job_world
from long_runs import some
from model_server import Asked, Reply
from scripted_writer import corner_of, obedient_writer, script_for, written
from wire_trouble import LONG_KINDS

from pitwall.analysis.port import Facts
from pitwall.config import Home, shipped
from pitwall.contract.messages import JobState
from pitwall.paddock.controller.resources import JobWaits
from pitwall.store import jobs
from pitwall.store.store import Store
from pitwall.store.voice_scripts import take_back
from pitwall.track.library import load_track
from pitwall.track.model import Track

# Six corners of Sonoma: each corner more is a call more in each test.
CORNERS = ("turn_1", "turn_3a", "turn_4", "carousel", "turn_7", "turn_11")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    whole = load_track(shipped("track_data") / "sonoma.json")
    corners = tuple(corner for corner in whole.corners if corner.id in CORNERS)
    track = msgspec.structs.replace(whole, corners=corners)
    (home.track_data / "sonoma.json").write_bytes(msgspec.json.encode(track))
    with Store(home) as opened:
        opened.open()
        yield opened


def sonoma(store: Store) -> Track:
    track = Facts(store).track("sonoma")
    assert track is not None
    return track


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_corner_is_written_once_by_one_call_each(store: Store, kind: str) -> None:
    corners = [corner.id for corner in sonoma(store).corners]
    assert corners == list(CORNERS)
    async with job_world(store, obedient_writer, kind=kind) as world:
        state, result = await world.ended(world.add("voice_scripts", track="sonoma"))
    assert (state, result.why) == ("done", "")
    assert sorted(result.done) == sorted(corners) == sorted(world.facts.saved)
    assert [corner_of(asked) for asked in world.server.asked] == corners
    assert all(asked.schema and not asked.tools for asked in world.server.asked)
    assert '"default"' not in json.dumps(world.server.asked[0].body), "strict servers refuse such a schema"
    assert [(call.item, call.state) for call in result.ledger] == [(one, "answered") for one in corners]
    assert (result.used.model_calls, result.used.iterations) == (len(corners), len(corners))
    for corner in corners:
        path = store.home.audio_cache / f"{corner}.json"
        assert json.loads(path.read_text()) == script_for(corner)
    undone = take_back(store.home, sonoma(store))
    assert {change.corner for change in undone} == set(corners)
    assert {change.author.by for change in undone} == {"model"}
    assert not list(store.home.audio_cache.iterdir())


@pytest.mark.long
async def test_a_job_done_again_writes_nothing(store: Store) -> None:
    async with job_world(store, obedient_writer) as world:
        await world.ended(world.add("voice_scripts", track="sonoma"))
        world.facts.saved.clear()
        state, result = await world.ended(world.add("voice_scripts", track="sonoma"))
    assert (state, set(result.done.values()), world.facts.saved) == ("done", {"as it was"}, [])


async def test_a_refused_script_is_asked_for_again_with_the_reason(store: Store) -> None:
    seen: list[Asked] = []

    def careless(asked: Asked) -> Reply:
        if corner_of(asked) != "turn_7":
            return obedient_writer(asked)
        seen.append(asked)
        too_long = "Brake now and then a bit more but not all of it at once"
        return written("turn_7", **({"brake": too_long} if len(seen) < 3 else {}))

    async with job_world(store, careless) as world:
        state, result = await world.ended(world.add("voice_scripts", track="sonoma"))
    assert (state, result.given_up, len(seen)) == ("done", {}, 3)
    assert "refused" not in seen[0].text
    for again in seen[1:]:
        assert 'Your last reply was refused: brake: "Brake now and then' in again.text
        assert "is 14 words" in again.text
        assert "and then a bit more" in again.text
    assert world.facts.saved.count("turn_7") == 1


@pytest.mark.long
async def test_a_corner_that_is_never_right_is_given_up_and_the_others_are_written(store: Store) -> None:
    def one_bad(asked: Asked) -> Reply:
        corner = corner_of(asked)
        return written(corner, exit="[[inpt PHON]]") if corner == "turn_4" else written(corner)

    async with job_world(store, one_bad) as world:
        state, result = await world.ended(world.add("voice_scripts", track="sonoma"))
        shown = [asked for asked in world.server.asked if corner_of(asked) == "turn_4"]
    assert (state, len(shown), "turn_4" in world.facts.saved) == ("done", 3, False)
    assert "can't speak" in result.given_up["turn_4"]
    assert len(result.done) == len(sonoma(store).corners) - 1
    assert not (store.home.audio_cache / "turn_4.json").exists()


@pytest.mark.parametrize(
    ("reply", "problem"),
    some(
        [
            (Reply(text="Sure! Here are your phrases."), "not in the form it was asked for"),
            (written("turn_1", brake="Brake at the 150 board"), 'the nearest that can: "Brake'),
            (Reply(text=""), "The model said nothing."),
            (Reply(text="{}"), "is empty"),
            (Reply(text='{"brake": "Brake now"}'), "approach, turn_in, apex, exit is missing"),
            (written("turn_1", brake="Full throttle"), "is to tell where to brake or lift"),
        ],
        2,
    ),
)
async def test_a_useless_reply_costs_an_attempt_and_not_the_job(
    store: Store, reply: Reply, problem: str
) -> None:
    bad: list[Asked] = []

    def once(asked: Asked) -> Reply:
        if bad:
            return obedient_writer(asked)
        bad.append(asked)
        return reply

    async with job_world(store, once) as world:
        state, _ = await world.ended(world.add("voice_scripts", track="sonoma"))
        first, second = world.server.asked[:2]
    assert (state, corner_of(first)) == ("done", corner_of(second))
    assert problem in second.text


@pytest.mark.long
async def test_a_model_that_fails_lets_the_job_wait_at_its_checkpoint(store: Store) -> None:
    down = [False]

    def from_turn_4_on(asked: Asked) -> Reply:
        down[0] = down[0] or corner_of(asked) == "turn_4"
        return Reply(status=503) if down[0] else obedient_writer(asked)

    async with job_world(store, from_turn_4_on) as world:
        job = world.add("voice_scripts", track="sonoma")
        with pytest.raises(JobWaits, match=r"The model's server failed. \(HTTP 503\)"):
            await world.go_on(job)
        assert jobs.get(store, job.id).state == "waiting"
        assert world.facts.saved == ["turn_1", "turn_3a"]
        assert world.checkpoint(job).ledger[-1].state == "failed"
        world.server.script = obedient_writer
        asked_before = len(world.server.asked)
        state, result = await world.ended(job)
    assert (state, len(result.done)) == ("done", len(sonoma(store).corners))
    assert sorted(world.facts.saved) == sorted(result.done), "nothing committed was written again"
    again = [corner_of(asked) for asked in world.server.asked[asked_before:]]
    assert again == [corner.id for corner in sonoma(store).corners][2:]


@pytest.mark.long
async def test_the_car_moves_and_it_stops_at_its_checkpoint(store: Store) -> None:
    stuck = asyncio.Event()

    def slow_at_seven(asked: Asked) -> Reply:
        if corner_of(asked) == "turn_7":
            stuck.set()
            return Reply(wait_s=600)
        return obedient_writer(asked)

    async with job_world(store, slow_at_seven) as world:
        job = world.add("voice_scripts", track="sonoma")
        running = asyncio.create_task(world.go_on(job))
        async with asyncio.timeout(60):
            await stuck.wait()
        running.cancel()
        # The server would take ten minutes.
        await asyncio.wait({running}, timeout=300)
        assert running.cancelled()
        await world.server.gone()
        assert jobs.get(store, job.id).state == "waiting"
        assert json.loads(world.audited[-1].detail)["status"] == "lost"
        world.server.script = obedient_writer
        state, result = await world.ended(job)
    assert (state, len(result.done)) == ("done", len(sonoma(store).corners))
    assert len(world.audited) == result.used.model_calls
    assert [call.state for call in result.ledger].count("lost") == 1
    assert sorted(world.facts.saved) == sorted(result.done)


@pytest.mark.long
async def test_a_full_disk_lets_it_wait_and_the_draft_is_not_asked_for_again(store: Store) -> None:
    async with job_world(store, obedient_writer) as world:
        world.facts.fail_with = OSError(28, "No space left on device")
        job = world.add("voice_scripts", track="sonoma")
        with pytest.raises(JobWaits, match="turn_1 can't be written: No space left on device"):
            await world.go_on(job)
        world.facts.fail_with = None
        state, result = await world.ended(job)
        asked = [corner_of(one) for one in world.server.asked]
    assert (state, asked) == ("done", [corner.id for corner in sonoma(store).corners])
    assert sorted(world.facts.saved) == sorted(result.done)


async def test_a_wish_is_shown_to_the_writer(store: Store) -> None:
    async with job_world(store, obedient_writer) as world:
        job = world.add("voice_scripts", track="sonoma", wish="gently please")
        state, _ = await world.ended(job)
        shown = ["gently please" in asked.text for asked in world.server.asked]
    assert (state, all(shown), len(shown)) == ("done", True, len(CORNERS))


@pytest.mark.parametrize("given", [{"track": "atlantis"}, {}, {"track": "sonoma", "budget": {"calls": 1}}])
async def test_a_job_that_can_never_be_done_fails_with_a_sentence(
    store: Store, given: dict[str, Any]
) -> None:
    async with job_world(store, obedient_writer) as world:
        state, result = await world.ended(world.add("voice_scripts", **given))
    ended: JobState = "failed"
    assert (state, world.server.asked) == (ended, [])
    assert "atlantis" in result.why or "takes: track" in result.why
