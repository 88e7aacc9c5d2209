"""Whether the model can be reached: the machine, the probe against every role, the part as it runs."""

from __future__ import annotations

import asyncio
import socket

import pytest
from web_roles import Role, answering, hanging_up, role_server, silent

from pitwall.contract.settings import ModelSettings
from pitwall.contract.status import PhoneReport
from pitwall.daemon.paddock import prober
from pitwall.daemon.paddock.prober import Probed, ProbeTarget, probe, target_of
from pitwall.daemon.paddock.reach import (
    BAD_PROBES,
    CHANGES_KEPT,
    GOOD_PROBES,
    REPORT_S,
    STALE_S,
    Connectivity,
    ModelReach,
    ProbePace,
)
from pitwall.daemon.watch import Phone
from pitwall.helpers.backoff import Retry

OK, AWAY = Probed("ok", "it answers"), Probed("unreachable", "no answer")
PORTAL, FAILING = Probed("captive", "a log-in page"), Probed("refused", "HTTP 503")
QUICK = ProbePace(confirm_s=0.005, away=Retry(0.005, 0.02), good_s=0.01, metered_s=0.01)


def probes(machine: Connectivity, *found: Probed, start_s: float = 0.0) -> float:
    """Feed probes at the machine's own pace; the time of the last one."""
    now_s = start_s
    for each in found:
        now_s += machine.wait_s(now_s)
        machine.probed(each, now_s)
    return now_s


def online() -> Connectivity:
    machine = Connectivity()
    probes(machine, *[OK] * GOOD_PROBES)
    assert machine.state == "online"
    return machine


# The machine.


def test_online_takes_good_probes_in_a_row() -> None:
    machine = Connectivity()
    probes(machine, OK)
    assert (machine.state, machine.reachable) == ("offline", False)
    probes(machine, AWAY, OK, start_s=10.0)
    assert machine.state == "offline", "one good, one bad, one good is an edge of the net"
    probes(machine, OK, start_s=20.0)
    assert (machine.state, machine.reachable, machine.may_run_jobs(False)) == ("online", True, True)


def test_one_lost_packet_ends_nothing_a_second_does() -> None:
    machine = online()
    now_s = probes(machine, *[AWAY] * (BAD_PROBES - 1), start_s=60.0)
    assert machine.state == "online"
    assert machine.wait_s(now_s) == ProbePace().confirm_s, "a doubt is checked soon"
    probes(machine, AWAY, start_s=now_s)
    assert (machine.state, machine.why) == ("offline", "no answer")


def test_after_a_stint_on_the_track_one_failure_is_enough() -> None:
    machine = online()
    probes(machine, AWAY, start_s=STALE_S + 60.0)
    assert machine.state == "offline"


def test_a_portal_is_believed_at_once_and_left_by_good_probes() -> None:
    machine = online()
    now_s = probes(machine, PORTAL, start_s=40.0)
    assert (machine.state, machine.reachable, machine.may_run_jobs(True)) == ("captive", False, False)
    now_s = probes(machine, OK, start_s=now_s)
    assert machine.state == "captive"
    probes(machine, OK, start_s=now_s)
    assert machine.state == "online"


def test_the_phone_without_a_network_is_offline_at_once_and_not_probed() -> None:
    machine = online()
    assert machine.phone("none", None, 100.0)
    assert machine.state == "offline"
    assert machine.wait_s(100.0) == REPORT_S
    assert not machine.probed(OK, 101.0), "an answer that was on its way counts no more"
    assert machine.state == "offline"
    assert not machine.phone("wifi", None, 110.0)
    assert machine.wait_s(110.0) == 0.0, "a new network is probed at once"
    probes(machine, OK, OK, start_s=110.0)
    assert machine.state == "online"


def test_a_network_that_wants_a_log_in_is_not_asked_until_it_is_open() -> None:
    machine = online()
    assert machine.phone("wifi", None, 100.0, captive=True)
    assert (machine.state, machine.reachable, machine.may_run_jobs(True)) == ("captive", False, False)
    assert machine.wait_s(100.0) == REPORT_S
    assert not machine.probed(OK, 101.0), "an answer that was on its way counts no more"
    assert not machine.phone("wifi", None, 130.0, captive=False)
    assert machine.wait_s(130.0) == 0.0, "the driver has logged in"
    probes(machine, OK, OK, start_s=130.0)
    assert machine.state == "online"


def test_a_phone_helper_that_died_is_not_believed_for_ever() -> None:
    machine = Connectivity()
    machine.phone("none", None, 0.0)
    assert machine.wait_s(REPORT_S + 1.0) == 0.0
    probes(machine, OK, OK, start_s=REPORT_S + 1.0)
    assert machine.state == "online"


@pytest.mark.parametrize(
    ("network", "metered", "state"),
    [
        ("mobile", None, "metered"), ("mobile", False, "online"), ("wifi", None, "online"),
        ("wifi", True, "metered"), ("other", None, "online"),
    ],
)  # fmt: skip
def test_what_the_network_costs(network: str, metered: bool | None, state: str) -> None:
    machine = Connectivity()
    machine.phone(network, metered, 0.0)
    probes(machine, OK, OK)
    assert machine.state == state
    assert machine.reachable
    assert machine.may_run_jobs(False) == (state == "online")
    assert machine.may_run_jobs(True)


def test_from_wifi_to_mobile_data_at_once_back_only_when_proven() -> None:
    machine = online()
    assert machine.phone("mobile", None, 50.0)
    assert machine.state == "metered"
    machine.phone("wifi", None, 60.0)
    now_s = probes(machine, OK, start_s=60.0)
    assert machine.state == "metered", "the new network answered once"
    probes(machine, OK, start_s=now_s)
    assert machine.state == "online"


def test_what_one_network_costs_is_not_told_of_the_next() -> None:
    phone = Phone()
    phone.tell(PhoneReport(network="wifi", metered=False))
    phone.tell(PhoneReport(battery_pct=80.0))
    assert phone.report == PhoneReport(network="wifi", metered=False, battery_pct=80.0)
    phone.tell(PhoneReport(network="mobile"))
    assert phone.report == PhoneReport(network="mobile", metered=None, battery_pct=80.0)


def test_a_report_that_says_nothing_of_the_network_changes_nothing() -> None:
    machine = online()
    assert not machine.phone(None, True, 50.0)
    assert machine.state == "online"


def test_a_model_on_this_machine_needs_no_network() -> None:
    machine = Connectivity(needs_network=False)
    machine.phone("none", None, 0.0)
    probes(machine, OK, OK)
    machine.phone("mobile", True, 5.0)
    assert (machine.state, machine.may_run_jobs(False)) == ("online", True)


def test_a_server_that_fails_is_there_but_gets_no_jobs() -> None:
    machine = Connectivity()
    now_s = probes(machine, FAILING, FAILING)
    assert (machine.state, machine.reachable, machine.may_run_jobs(True)) == ("online", True, False)
    first_s = machine.wait_s(now_s)
    machine.probed(FAILING, now_s + first_s)
    assert machine.wait_s(now_s + first_s) > first_s
    probes(machine, OK, start_s=now_s + 60.0)
    assert machine.may_run_jobs(True)


def test_the_pauses_double_up_to_the_most_and_start_anew_after_a_good_time() -> None:
    machine, pace, waits, now_s = Connectivity(), ProbePace(), [], 0.0
    for _ in range(7):
        machine.probed(AWAY, now_s)
        waits.append(machine.wait_s(now_s))
        now_s += waits[-1]
    assert waits == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    now_s = probes(machine, OK, OK, start_s=now_s)
    assert machine.wait_s(now_s) == pace.good_s
    now_s = probes(machine, AWAY, AWAY, start_s=now_s)
    assert machine.wait_s(now_s) == pace.away.first_s


def test_wanting_to_know_hastens_a_good_state_not_a_back_off() -> None:
    machine = online()
    machine.want(10.0)
    assert machine.wait_s(10.0) == 0.0
    machine.probed(OK, 10.0)
    machine.want(10.5)
    assert machine.wait_s(10.5) > 0.0, "just seen"
    probes(machine, AWAY, AWAY, start_s=100.0)
    before_s = machine.wait_s(110.0)
    machine.want(110.0)
    assert machine.wait_s(110.0) == before_s


def test_the_history_is_bounded_and_says_why() -> None:
    machine = Connectivity()
    for turn in range(CHANGES_KEPT):
        start_s = turn * 1000.0
        now_s = probes(machine, OK, OK, start_s=start_s)
        probes(machine, PORTAL, start_s=now_s)
    assert len(machine.changes) == CHANGES_KEPT
    last = machine.changes[-1]
    assert (last.state, last.why) == ("captive", "a log-in page")
    assert [each.state for each in machine.changes][-2:] == ["online", "captive"]


# The probe.

ROLES: dict[str, tuple[Role, str]] = {
    "an API that lists its models": (answering(200, '{"data": []}'), "ok"),
    "plain text": (answering(200, "ok", "text/plain"), "ok"),
    "nothing to say": (answering(204, ""), "ok"),
    "no key": (answering(403, '{"error": {}}'), "ok"),
    "not found, as a page": (answering(404, "<html></html>", "text/html"), "ok"),
    "busy": (answering(429), "ok"),
    "a path of its own": (answering(307, "", Location="/v1beta/models/"), "ok"),
    "a portal's page": (answering(200, "<html>log in</html>", "text/html"), "captive"),
    "a page that calls itself JSON": (answering(200, "  <!doctype html>"), "captive"),
    "a portal's redirect": (answering(302, "", Location="http://portal.example/login"), "captive"),
    "a redirect to nowhere": (answering(302, "", Location="http://[bad"), "captive"),
    "log in first": (answering(511, "<html></html>", "text/html"), "captive"),
    "a proxy that wants a password": (answering(407), "captive"),
    "failing": (answering(500), "refused"),
    "loading its model": (answering(503, '{"error": "loading"}'), "refused"),
    "hanging up": (hanging_up, "unreachable"),
}


@pytest.mark.parametrize("who", ROLES)
async def test_who_answers(who: str) -> None:
    role, outcome = ROLES[who]
    async with role_server(role) as server:
        target = target_of(ModelSettings(kind="gemini", base_url=server.url, api_key="AIza-very-secret"))
        assert target is not None
        assert (await probe(target)).outcome == outcome
        # aiohttp itself asks once more where a server hangs up.
        assert len({request.path for request in server.requests}) == 1, "no redirect is followed"
        assert len(server.requests) == (2 if role is hanging_up else 1)


async def test_a_probe_carries_no_key_no_password_and_no_cookie() -> None:
    async with role_server(answering(200)) as server:
        base = server.url.replace("http://", "http://ann:sesame@") + "/v1?key=AIza-very-secret"
        target = target_of(ModelSettings(kind="openai", base_url=base, api_key="sk-very-secret"))
        assert target is not None
        await probe(target)
        (request,) = server.requests
        sent = f"{request.raw_path} {dict(request.headers)}"
        assert "secret" not in sent
        assert "sesame" not in sent
        assert not {"Authorization", "Cookie"} & set(request.headers)


async def test_nobody_listens() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        found = await probe(ProbeTarget(f"http://127.0.0.1:{port}/v1/models", "127.0.0.1", True))
    assert found.outcome == "unreachable"
    assert "127.0.0.1 can't be reached" in found.detail


async def test_who_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prober, "PROBE_S", 0.05)
    async with role_server(silent) as server:
        found = await probe(ProbeTarget(server.url, "127.0.0.1", True))
        assert (found.outcome, "did not answer" in found.detail) == ("unreachable", True)
        async with asyncio.timeout(10):
            await server.left.wait()


def google(**where: str) -> ModelSettings:
    return ModelSettings(kind="gemini", **where)  # type: ignore[arg-type]


def compatible(base_url: str) -> ModelSettings:
    return ModelSettings(kind="openai", base_url=base_url)


@pytest.mark.parametrize(
    ("model", "url", "local"),
    [
        (google(), "https://generativelanguage.googleapis.com/v1beta/models", False),
        (
            google(project="p", location="europe-west4"),
            "https://europe-west4-aiplatform.googleapis.com/",
            False,
        ),
        (google(project="p", location="global"), "https://aiplatform.googleapis.com/", False),
        (google(project="p", location="eu"), "https://aiplatform.eu.rep.googleapis.com/", False),
        (compatible("http://127.0.0.1:8080/v1"), "http://127.0.0.1:8080/v1/models", True),
        (compatible("http://[::1]:8080/v1/"), "http://[::1]:8080/v1/models", True),
        (compatible("http://localhost:1/v1"), "http://localhost:1/v1/models", True),
        (compatible("http://192.168.1.7:8080/v1"), "http://192.168.1.7:8080/v1/models", False),
    ],
)
def test_the_endpoint_is_the_models_own(model: ModelSettings, url: str, local: bool) -> None:
    target = target_of(model)
    assert target is not None
    assert (target.url, target.local) == (url, local)


@pytest.mark.parametrize(
    "model",
    [
        ModelSettings(),
        ModelSettings(kind="openai"),
        ModelSettings(kind="openai", base_url="ftp://somewhere/v1"),
        ModelSettings(kind="openai", base_url="http://[bad/v1"),
        ModelSettings(kind="openai", base_url="not an address"),
    ],
)
async def test_without_an_endpoint_nothing_is_probed_and_it_says_why(model: ModelSettings) -> None:
    part = ModelReach(model)
    part.in_paddock(True)
    running = asyncio.create_task(part.run())
    await asyncio.sleep(0)
    assert (part.state, part.status().next_probe_s) == ("offline", None)
    assert "paddock.model" in part.status().why
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


# The part.


class Watching:
    """A part that runs, and the states it came to."""

    def __init__(self, url: str) -> None:
        self.states: list[str] = []
        self._changed = asyncio.Event()
        model = ModelSettings(kind="openai", base_url=f"{url}/v1", api_key="k")
        self.part = ModelReach(model, self._note, pace=QUICK)

    def _note(self, state: str) -> None:
        self.states.append(state)
        self._changed.set()

    async def until(self, state: str) -> None:
        async with asyncio.timeout(20):
            while self.part.state != state:
                self._changed.clear()
                await self._changed.wait()

    async def __aenter__(self) -> Watching:
        self.task = asyncio.create_task(self.part.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def test_the_part_follows_what_happens_to_the_net() -> None:
    async with role_server(answering(200)) as server, Watching(server.url) as watching:
        watching.part.in_paddock(True)
        await watching.until("online")
        server.role = answering(302, "", Location="http://portal.example/")
        await watching.until("captive")
        server.role = hanging_up
        await watching.until("offline")
        server.role = answering(401)
        await watching.until("online")
        assert watching.states == ["online", "captive", "offline", "online"]
        status = watching.part.status()
        assert [each.state for each in status.changes] == watching.states
        assert (status.endpoint, status.model_fails) == ("127.0.0.1", False)
        assert status.probes >= 6


async def test_nothing_is_asked_outside_the_paddock() -> None:
    async with role_server(answering(200)) as server, Watching(server.url) as watching:
        watching.part.want()
        watching.part.phone(PhoneReport(network="wifi"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert server.requests == []
        assert watching.part.status().next_probe_s is None
        watching.part.in_paddock(True)
        await watching.until("online")
        watching.part.in_paddock(False)
        assert watching.part.state == "online", "what was last seen stands"


async def test_a_probe_under_way_ends_when_the_car_moves() -> None:
    async with role_server(silent) as server, Watching(server.url) as watching:
        watching.part.in_paddock(True)
        async with asyncio.timeout(20):
            await server.arrived.wait()
            watching.part.in_paddock(False)
            watching.part.in_paddock(False)
            await server.left.wait()
        assert watching.part.status().probes == 0
        server.role = answering(200)
        watching.part.in_paddock(True)
        await watching.until("online")


async def test_a_model_in_the_same_phone_is_reached_in_flight_mode() -> None:
    async with role_server(answering(200)) as server, Watching(server.url) as watching:
        watching.part.phone(PhoneReport(network="none"))
        watching.part.in_paddock(True)
        await watching.until("online")
        assert watching.part.may_run_jobs(False)
