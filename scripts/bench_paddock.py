"""Benchmark of the paddock against a model server on this machine. One JSON on standard output.

`kinds`: what a question, a brief, a debrief and an analysis of four stages cost at the model.
`start`: from asking an owner that has no worker until the first request is at the model;
`first_request_cpu_ms` is the worker's processor time until then.
`turn`: one question through the worker. `rest_ms` is what is left of it beside the model server's own time
and the tools': ADK, HTTP, the channel and ours. `ours`: a turn of ours in one process, less ADK's own turn of
the same agent, tool and model; `cpu_ms` counts processor time, which other programs disturb less.
`debrief`: three data agents of 300 ms each; `ratio` is the time until the narrative is asked for over the
slowest agent's own.
`cancel`: a debrief whose agents' requests are open at the model, broken off: until the last request is
closed, and until nothing of the run is left (`answering` is 0, the worker's process is gone).
`client_closes` counts from the client's hanging up, `car_moves` from the change of speed, which the next fix
tells up to 40 ms later, in a session that is open; `car_drives_off` is the first move, at whose second fix
the paddock falls silent, before it is a session.
`daemon`: `pitwall run`, standing at 25 Hz GPS, once alone and once asked for one debrief after the other:
resident memory, how late the event loop runs, and how long a fix takes through the path.
The machine's load average stands beside.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "paddock"), str(ROOT / "scripts")]

import aiohttp  # noqa: E402
from bench_beside import print_measured  # noqa: E402
from bench_drive import sound_server  # noqa: E402
from bench_live import Daemon, Drive, Receiver, of_counts, prepared, ticks  # noqa: E402
from model_server import Asked, ModelServer, Reply, serving  # noqa: E402
from pit_facts import FIRST_TOOL, answered, first_call, obedient  # noqa: E402

from pitwall.config import Home  # noqa: E402
from pitwall.contract.events import Answer, Done  # noqa: E402
from pitwall.contract.jobs import AT_ONCE  # noqa: E402
from pitwall.contract.messages import AskRun, Hello  # noqa: E402
from pitwall.contract.settings import ModelSettings, PaddockSettings  # noqa: E402
from pitwall.daemon.paddock.calls import CallTable  # noqa: E402
from pitwall.daemon.paddock.jobs import JobRunner  # noqa: E402
from pitwall.daemon.paddock.worker import WorkerProcess  # noqa: E402
from pitwall.drive.replay import import_file  # noqa: E402
from pitwall.store.store import Store  # noqa: E402

DRIVEN = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
AGENT_S = 0.3
DATA_AGENTS = ("HighlightFinderAgent", "TelemetryAgent", "PedagogyAgent")
GPS_HZ = 25.0
SETTLES_S, LOOK_S, POLL_S = 15.0, 0.25, 0.005
# No budget may cut a figure short.
LONG_S = 600.0


def ms(seconds: list[float]) -> dict[str, float]:
    """Median and largest, in milliseconds."""
    return {"median": round(statistics.median(seconds) * 1e3, 1), "max": round(max(seconds) * 1e3, 1)}


def settings(server: ModelServer) -> PaddockSettings:
    model = ModelSettings(kind="gemini", base_url=server.url, api_key="bench")
    return PaddockSettings(model=model, brief_s=LONG_S, answer_s=LONG_S, idle_s=LONG_S)


@asynccontextmanager
async def owned(store: Store, server: ModelServer) -> AsyncIterator[WorkerProcess]:
    hello = Hello(home=str(store.home.root), settings=settings(server))
    worker = WorkerProcess(lambda: hello, CallTable(store))
    try:
        yield worker
    finally:
        await worker.aclose()


async def ask(worker: WorkerProcess, prompt: str, kind: Any = "ask") -> Answer:
    async with aclosing(worker.run(lambda run: AskRun(run=run, kind=kind, prompt=prompt))) as events:
        async for event in events:
            if isinstance(event, Done):
                return event.answer
    raise RuntimeError("no answer came")


async def start(store: Store, times: int) -> dict[str, Any]:
    took: list[float] = []
    ready: list[float] = []
    cpu: list[float] = []
    for _ in range(times):
        async with serving(obedient) as server, owned(store, server) as worker:
            began_s = time.monotonic()
            asking = asyncio.create_task(ask(worker, "any incident"))
            while worker.state != "ready":  # noqa: ASYNC110, there is nothing to wait on
                await asyncio.sleep(0.005)
            ready.append(time.monotonic() - began_s)
            await server.arrived.wait()
            cpu.append(ticks(Path(f"/proc/{worker.pid}/stat")))
            await asking
            took.append(server.asked[0].started_s - began_s)
    return {"ready_ms": ms(ready), "first_request_ms": ms(took), "first_request_cpu_ms": ms(cpu)}


async def turn(store: Store, turns: int) -> dict[str, Any]:
    whole: list[float] = []
    rest: list[float] = []
    tools: list[float] = []
    async with serving(obedient) as server, owned(store, server) as worker:
        for _ in range(3):
            await ask(worker, "any incident")
        for _ in range(turns):
            server.asked.clear()
            began_s = time.monotonic()
            answer = await ask(worker, "any incident")
            whole.append(time.monotonic() - began_s)
            tools.append(sum(call.latency_s for call in answer.audit))
            served_s = sum(asked.ended_s - asked.started_s for asked in server.asked)
            rest.append(whole[-1] - served_s - tools[-1])
        rss_mb = memory_mb(worker.pid or 0)
    return {
        "turns": turns,
        "whole_ms": ms(whole),
        "tools_ms": ms(tools),
        "rest_ms": ms(rest),
        "worker_rss_mb": rss_mb,
    }


FOUR_TOOLS = ("lap_delta", "corner_history", "reference_lap_comparison", "incidents")


def analysed(asked: Asked) -> Reply:
    """Four stages of one tool each, worked on from what code has fetched; the pipelines as `obedient`."""
    found = asked.text.rpartition('{"query_id":"')[2].partition('"')[0]
    claims = [{"queries": [found or "Q1"]}]
    stages = [
        {
            "goal": f"What {tool} tells",
            "tools": [tool],
            "criteria": [{"statement": "known", "tool": tool, "field": ""}],
        }
        for tool in FOUR_TOOLS
    ]
    forms: dict[str, dict[str, Any]] = {
        "PlanMakerAgent": {"stages": stages},
        "PlanReviewerAgent": {"problems": []},
        "StageWorkerAgent": {"claims": claims},
        "StageReviewerAgent": {"judgements": []},
        "SummaryAgent": {"claims": [{"queries": ["Q1"]}]},
    }
    if asked.agent not in forms:
        return obedient(asked)
    form = forms[asked.agent]
    if "set_model_response" in asked.tools:
        return Reply(calls=[("set_model_response", form)])
    return Reply(text=json.dumps(form))


async def kinds(store: Store) -> dict[str, Any]:
    """What one question of each kind costs at the model: calls, kB sent, time to first event and end."""
    asked: dict[str, Any] = {
        "ask": "any incident",
        "brief": "",
        "debrief": "",
        "analyze": "why was lap 3 slower in turn 11",
    }
    cost: dict[str, Any] = {}
    async with serving(analysed) as server, owned(store, server) as worker:
        await ask(worker, "any incident")
        runner = JobRunner(store, worker, lambda: ())
        for kind, prompt in asked.items():
            server.asked.clear()
            began_s, first_s = time.monotonic(), 0.0
            async with AsyncExitStack() as stack:
                if kind == "analyze":
                    working = runner.working("analysis", {"question": prompt}, AT_ONCE, lambda: False)
                    _, events = await stack.enter_async_context(working)
                else:
                    question = lambda run, kind=kind, prompt=prompt: AskRun(run=run, kind=kind, prompt=prompt)  # noqa: E731
                    events = await stack.enter_async_context(aclosing(worker.run(question)))
                async for event in events:
                    first_s = first_s or time.monotonic() - began_s
                    if isinstance(event, Done):
                        answer = event.answer
            cost[kind] = {
                "calls": len(server.asked),
                "kB": round(sum(len(json.dumps(each.body)) for each in server.asked) / 1e3, 1),
                "first_event_ms": round(first_s * 1e3, 1),
                "answer_ms": round((time.monotonic() - began_s) * 1e3, 1),
                "tier": answer.tier,
            }
    return cost


async def ours(turns: int) -> dict[str, dict[str, float]]:
    """The same agent, tool and model in one process: through the orchestrator, and by ADK alone."""
    from google.adk.runners import InMemoryRunner
    from google.genai import types
    from pit_facts import TOOLBOX

    from pitwall.paddock.adk.crew import build_agent
    from pitwall.paddock.adk.model_client import open_model
    from pitwall.paddock.adk.orchestrator import CrewChief
    from pitwall.paddock.roster import DUTIES

    async with serving(obedient) as server, open_model(settings(server).model) as model:
        assert model is not None
        crew = CrewChief(model, TOOLBOX, compose=lambda agent, question: "")
        agent = build_agent(DUTIES["IncidentReviewAgent"], model, TOOLBOX)
        runner = InMemoryRunner(agent=agent, app_name="bare")

        async def bare(number: int) -> None:
            await runner.session_service.create_session(app_name="bare", user_id="u", session_id=str(number))
            message = types.UserContent(parts=[types.Part(text="any incident")])
            async for _ in runner.run_async(user_id="u", session_id=str(number), new_message=message):
                pass

        async def orchestrated(_: int) -> None:
            await crew.run("any incident")

        figures = {}
        for name, once in (("adk", bare), ("pitwall", orchestrated)):
            for number in range(3):
                await once(-1 - number)
            figures[name] = await timed(once, turns)
        await crew.aclose()
        await runner.close()
    own = {key: round(figures["pitwall"][key] - figures["adk"][key], 1) for key in ("wall_ms", "cpu_ms")}
    return {**figures, "ours": own}


async def timed(once: Callable[[int], Any], turns: int) -> dict[str, float]:
    """The median turn."""
    wall, cpu = [], []
    for number in range(turns):
        began_s, cpu_began_s = time.monotonic(), time.process_time()
        await once(number)
        wall.append(time.monotonic() - began_s)
        cpu.append(time.process_time() - cpu_began_s)
    return {"wall_ms": ms(wall)["median"], "cpu_ms": ms(cpu)["median"]}


async def debrief(store: Store, times: int) -> dict[str, Any]:
    tools = FIRST_TOOL | {"TelemetryAgent": "agent_telemetry"}

    def slow(asked: Asked) -> Reply:
        reply = first_call(asked, tools) or answered(asked)
        # Two requests an agent: the call of its tool, then its findings.
        reply.wait_s = AGENT_S / 2 if asked.agent in DATA_AGENTS else 0.0
        return reply

    ratios, whole = [], []
    async with serving(slow) as server, owned(store, server) as worker:
        await ask(worker, "", "debrief")
        for _ in range(times):
            server.asked.clear()
            began_s = time.monotonic()
            await ask(worker, "", "debrief")
            whole.append(time.monotonic() - began_s)
            slowest_s = max(
                server.of(agent)[-1].ended_s - server.of(agent)[0].started_s for agent in DATA_AGENTS
            )
            ratios.append((server.of("NarrativeAgent")[0].started_s - server.asked[0].started_s) / slowest_s)
    return {
        "whole_ms": ms(whole),
        "ratio": {"median": round(statistics.median(ratios), 3), "max": round(max(ratios), 3)},
    }


async def daemon(folder: Path, seconds: float, asked: bool) -> dict[str, Any]:
    receiver = Receiver(Drive(folder), int(GPS_HZ), stands=True)
    async with receiver.listening(), serving(obedient) as server:
        home = prepared_with_model(folder, "asked" if asked else "alone", receiver, server)
        running = await asyncio.to_thread(Daemon, home, "--probe")
        fixes = asyncio.create_task(receiver.play(LONG_S))
        try:
            async with aiohttp.ClientSession(running.address, headers=running.headers) as client:
                await asyncio.sleep(SETTLES_S)
                asking = asyncio.create_task(debriefs(client) if asked else asyncio.sleep(LONG_S))
                await asyncio.sleep(SETTLES_S)
                found = await watched(client, running, seconds)
                asking.cancel()
                await asyncio.wait({asking})
        finally:
            fixes.cancel()
            told = await asyncio.to_thread(running.end)
    path = of_counts({int(place) / 10.0: count for place, count in told["to_path"].items()})
    return {**found, "fix_to_path": path, "model_calls": len(server.asked)}


async def cancel(folder: Path, times: int) -> dict[str, Any]:
    receiver = Receiver(Drive(folder), int(GPS_HZ), stands=True)
    closes: list[tuple[float, float]] = []
    moves: list[tuple[float, float]] = []
    first: list[tuple[float, float]] = []
    async with receiver.listening(), serving(lambda asked: Reply(wait_s=LONG_S)) as server:
        home = prepared_with_model(folder, "cancel", receiver, server)
        running = await asyncio.to_thread(Daemon, home)
        fixes = asyncio.create_task(receiver.play(LONG_S))
        try:
            async with aiohttp.ClientSession(running.address, headers=running.headers) as client:
                for _ in range(times):
                    response, _pid = await hanging(client, server)
                    began_s = time.monotonic()
                    response.close()
                    while await answering(client):  # noqa: ASYNC110, there is nothing to wait on
                        await asyncio.sleep(POLL_S)
                    closes.append((last_s(server) - began_s, time.monotonic() - began_s))
                for number in range(1 + times):
                    response, pid = await hanging(client, server)
                    began_s, receiver.stands = time.monotonic(), False
                    while is_there(pid):  # noqa: ASYNC110, there is nothing to wait on
                        await asyncio.sleep(POLL_S)
                    gone_s = time.monotonic()
                    await server.all_gone.wait()
                    (moves if number else first).append((last_s(server) - began_s, gone_s - began_s))
                    response.close()
                    receiver.stands = True
        finally:
            fixes.cancel()
            await asyncio.to_thread(running.end)
    return {
        name: {"request_ms": ms([one for one, _ in took]), "run_ms": ms([one for _, one in took])}
        for name, took in (("client_closes", closes), ("car_moves", moves), ("car_drives_off", first))
    }


async def hanging(client: aiohttp.ClientSession, server: ModelServer) -> tuple[aiohttp.ClientResponse, int]:
    """A debrief whose three agents wait for the model, once the daemon lets it in; and the worker's pid."""
    while True:
        response = await client.post("/coach/debrief", json={})
        if response.status == 200:
            break
        response.close()
        await asyncio.sleep(LOOK_S)
    while server.open_requests < len(DATA_AGENTS):
        # A model that was not known to be reachable yet is not asked: the answer was composed.
        if response.content.at_eof():
            response = await client.post("/coach/debrief", json={})
        elif server.open_requests == 0:
            await response.content.readany()
        await asyncio.sleep(POLL_S)
    async with client.get("/status?details=paddock") as status:
        return response, (await status.json())["details"]["paddock"]["pid"]


async def answering(client: aiohttp.ClientSession) -> int:
    async with client.get("/status?details=paddock") as response:
        return int((await response.json())["details"]["paddock"]["answering"])


def last_s(server: ModelServer) -> float:
    """When the last request was closed, of all so far."""
    return max(asked.ended_s for asked in server.asked)


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def prepared_with_model(folder: Path, name: str, receiver: Receiver, server: ModelServer) -> Home:
    """A home with a driven session, that receiver, and a model at this server."""
    home = prepared(folder, name, {"gps": f'uri = "nmea:tcp://127.0.0.1:{receiver.port}"'})
    with Store(home) as store:
        store.open()
        import_file(DRIVEN, home, store)
    with (home.root / "pitwall.toml").open("a") as file:
        file.write(f"[paddock]\nbrief_s = {LONG_S}\nanswer_s = {LONG_S}\n")
        file.write(f'[paddock.model]\nkind = "gemini"\nbase_url = "{server.url}"\napi_key = "bench"\n')
    return home


async def debriefs(client: aiohttp.ClientSession) -> None:
    while True:
        async with client.post("/coach/debrief", json={}) as response:
            response.raise_for_status()
            await response.read()


async def watched(client: aiohttp.ClientSession, running: Daemon, seconds: float) -> dict[str, Any]:
    """The daemon for so long: its memory, its processor time, and its loop's lag as it measures it."""
    lags, rss = [], []
    before_s = running.spent_s()["daemon"]
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        async with client.get("/status?details=loop") as response:
            lags.append((await response.json())["details"]["loop"]["lag_s"])
        rss.append(running.rss_mb())
        await asyncio.sleep(LOOK_S)
    spent_s = running.spent_s()["daemon"] - before_s
    return {
        "loop_lag_ms": ms(lags),
        "rss_mb": {"median": round(statistics.median(rss), 1), "max": round(max(rss), 1)},
        "cpu_pct": round(100.0 * spent_s / seconds, 1),
    }


def memory_mb(pid: int) -> float:
    """Resident memory of one process."""
    with open(f"/proc/{pid}/statm") as statm:
        return round(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


async def measure(quick: bool) -> dict[str, Any]:
    turns, times = (5, 1) if quick else (40, 5)
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        home = Home(Path(folder) / "home")
        with Store(home) as store:
            store.open()
            import_file(DRIVEN, home, store)
        with Store(home) as store:
            store.open(to_drive=True)  # as the daemon, whose memory is less than an import's
            figures = {
                "kinds": await kinds(store),
                "start": await start(store, times),
                "turn": await turn(store, turns),
                "in_process": await ours(turns),
                "debrief": await debrief(store, times),
            }
        with sound_server():
            figures["cancel"] = await cancel(Path(folder), 2 if quick else 10)
            seconds = 5.0 if quick else 60.0
            figures["daemon"] = {
                "alone": await daemon(Path(folder), seconds, asked=False),
                "asked": await daemon(Path(folder), seconds, asked=True),
            }
    return {**figures, "load_average": os.getloadavg()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    found = asyncio.run(measure(parser.parse_args().quick))
    print_measured(found, "daemon.alone.cpu_pct", "daemon.asked.cpu_pct")


if __name__ == "__main__":
    main()
