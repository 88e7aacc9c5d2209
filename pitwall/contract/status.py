"""What the daemon tells of itself, and what the phone helper tells the daemon."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

SessionLife = Literal["none", "paddock", "out lap", "flying", "in lap", "street"]
PartState = Literal["starting", "up", "restarting", "down", "off"]
SourceState = Literal["starting", "up", "down", "stopped"]
WriterState = Literal["good", "trouble", "failed", "closed"]
Heat = Literal["unknown", "none", "light", "moderate", "severe", "critical", "emergency", "shutdown"]
MetricKind = Literal["counter", "gauge"]
ConnectionState = Literal["offline", "captive", "metered", "online"]


class Health(msgspec.Struct, frozen=True):
    """All that is said without the token: the daemon answers. How it is stands in /status."""

    ok: bool
    name: str
    version: str


class ClockStatus(msgspec.Struct, frozen=True):
    """One clock against the daemon's, whose time = stamp + `offset_s` - `latency_s`. `source` and `groups`:
    whose readings it stamps. `jitter_s` of the arrivals; `jumps`: times it was set, `wraps`: began again."""

    source: str
    groups: tuple[str, ...]
    offset_s: float | None = None
    drift_ppm: float | None = None
    jitter_s: float | None = None
    jumps: int = 0
    wraps: int = 0
    latency_s: float = 0.0


class SourceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One source as it sees itself. `age_s`: since its last reading (None: none yet). `rate_hz`: lately.
    `clocks`: every one of its own; a phone's GPS and IMU have two."""

    name: str
    uri: str
    state: SourceState
    readings: int = 0
    rate_hz: float | None = None
    age_s: float | None = None
    shed: int = 0
    errors: int = 0
    reconnects: int = 0
    restarts: int = 0
    last_error: str = ""
    clocks: tuple[ClockStatus, ...] = ()
    details: dict[str, int] = {}


class CapabilityStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Something a rule or a page can do or not. `reason` says why not, or what it is made from."""

    name: str
    available: bool
    needs: tuple[str, ...] = ()
    reason: str = ""


class SignalStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One fused signal: its value (None: not believed), how sure 0..1, from which source, how old."""

    name: str
    unit: str
    value: float | None
    confidence: float
    source: str
    age_s: float | None


class Degradation(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is lost at this moment. `since_t` is session time, s."""

    name: str
    since_t: float | None
    effect: str
    reason: str = ""


class SessionStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The session that is open, or life "none". `lap_s` is the time since this lap began. `caught_up`: how
    much of a session that goes on after a restart was read again, 0 to 1; till then what comes is kept, and
    nothing is said. None: nothing is read again."""

    life: SessionLife
    id: str = ""
    track: str = ""
    t: float | None = None
    lap: int = 0
    lap_s: float | None = None
    best_s: float | None = None
    last_s: float | None = None
    continued: int = 0
    caught_up: float | None = None


class StoreStatus(msgspec.Struct, frozen=True, kw_only=True):
    """DuckDB's writer, and the room left on the disk. `rebuilding`: sessions that wait for their journal."""

    state: WriterState
    waiting: int = 0
    committed: int = 0
    shed: int = 0
    failures: int = 0
    last_error: str = ""
    free_bytes: int | None = None
    floor_bytes: int | None = None
    rebuilding: tuple[str, ...] = ()


class JournalStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The open session's journal. `durable_seq`: the last record that is on the disk (-1: none)."""

    state: WriterState
    written: int = 0
    shed: int = 0
    failures: int = 0
    durable_seq: int = -1
    bytes: int = 0
    last_error: str = ""


class VoiceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The player and its clips. `rendering`: phrases that wait to be rendered. `delay_s`: write to sound."""

    state: PartState
    player: str = ""
    playing: str = ""
    waiting: int = 0
    clips: int = 0
    rendering: int = 0
    dropped: int = 0
    restarts: int = 0
    delay_s: float | None = None
    last_error: str = ""


class PhoneReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the phone helper tells of the phone, all of it optional: what is not known stays as it was."""

    battery_pct: Annotated[float, msgspec.Meta(ge=0, le=100)] | None = None
    battery_c: Annotated[float, msgspec.Meta(ge=-50, le=150)] | None = None
    charging: bool | None = None
    heat: Heat | None = None
    network: Literal["none", "wifi", "mobile", "other"] | None = None
    metered: bool | None = None
    """Whether the network is paid by volume; not told: mobile data is, others are not."""
    notifications: Literal["shown", "denied", "off"] | None = None
    sound: Annotated[str, msgspec.Meta(max_length=80)] | None = None
    """Where sound goes: a name such as `speaker`, `wired`, `bluetooth:Arai`."""
    helper_version: Annotated[str, msgspec.Meta(max_length=40)] | None = None


class PhoneStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The last that is known of the phone, and the age of the last report."""

    report: PhoneReport
    age_s: float


class ConnectionChange(msgspec.Struct, frozen=True):
    """The state became this one, `age_s` ago."""

    age_s: float
    state: ConnectionState
    why: str


class ConnectivityStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the paddock's model can be reached. `model_fails`: its server answers with errors only.

    `age_s`: since the last probe; `next_probe_s`: until the next one, None while none is planned.
    """

    state: ConnectionState
    why: str
    endpoint: str = ""
    model_fails: bool = False
    probes: int = 0
    age_s: float | None = None
    next_probe_s: float | None = None
    changes: tuple[ConnectionChange, ...] = ()


class PaddockStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers in the paddock. `worker`: its process, `none` while nobody asks. `trouble`: what is wrong
    with the model's settings. `answered`: by tier, since the start. `job`: worked on, `doing`: how far.
    `jobs_held`: why jobs that were begun wait again."""

    worker: Literal["none", "starting", "ready"]
    pid: int | None = None
    worker_starts: int = 0
    model: str = ""
    local_model: bool = False
    trouble: str = ""
    answering: int = 0
    answered: dict[str, int] = {}
    job: str = ""
    doing: str = ""
    jobs_waiting: int = 0
    jobs_held: dict[str, str] = {}
    jobs_ended: dict[str, int] = {}
    last_error: str = ""


class LoopStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The event loop: how late it runs now and at its worst, and how often it was stalled."""

    lag_s: float = 0.0
    most_lag_s: float = 0.0
    stalls: int = 0


class InboxStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Readings between the sources and the in-drive path."""

    waiting: int = 0
    capacity: int = 0
    taken: int = 0
    shed: int = 0


class PartStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One supervised part of the daemon (a source, the voice, the API): it is restarted alone."""

    name: str
    state: PartState
    restarts: int = 0
    last_error: str = ""


class LiveStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Those that look on at /live. `thinned`: frames that a client did not get, because he asked for fewer
    or was slow; `missed`: callouts and events, because he was slow."""

    clients: int = 0
    frames: int = 0
    thinned: int = 0
    missed: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the daemon knows of itself. `rss_bytes`: its memory in RAM."""

    version: str
    pid: int
    started_utc_s: float
    up_s: float
    rss_bytes: int | None = None
    session: SessionStatus
    sources: tuple[SourceStatus, ...] = ()
    signals: tuple[SignalStatus, ...] = ()
    capabilities: tuple[CapabilityStatus, ...] = ()
    degradations: tuple[Degradation, ...] = ()
    store: StoreStatus
    journal: JournalStatus | None = None
    voice: VoiceStatus
    phone: PhoneStatus | None = None
    connectivity: ConnectivityStatus | None = None
    paddock: PaddockStatus | None = None
    inbox: InboxStatus = InboxStatus()
    loop: LoopStatus = LoopStatus()
    live: LiveStatus = LiveStatus()
    parts: tuple[PartStatus, ...] = ()
    notes: tuple[str, ...] = ()


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One figure for /metrics. `name` without the `pitwall_`; a counter's ends in `_total`."""

    name: str
    kind: MetricKind
    help: str
    value: float
    labels: dict[str, str] = {}
