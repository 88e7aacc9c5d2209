"""The types of /status, and the phone's state as the helper posts it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

CoachMode = Literal["learn", "coach", "numbers", "quiet"]
Hush = Literal["lap ended", "place proved", "session", "over"]
SessionLife = Literal["none", "paddock", "out lap", "flying", "in lap", "street"]
PartState = Literal["starting", "up", "restarting", "down", "off"]
SourceState = Literal["starting", "up", "down", "stopped"]
WriterState = Literal["good", "failing", "closed"]
Heat = Literal["unknown", "none", "light", "moderate", "severe", "critical", "emergency", "shutdown"]
ConnectionState = Literal["ready", "resting", "offline"]


class Health(msgspec.Struct, frozen=True):
    """All that is said without the token: the daemon answers. How it is stands in /status."""

    ok: bool
    name: str
    version: str


class ClockEstimate(msgspec.Struct, frozen=True):
    """A source's clock: the daemon's time = stamp + `offset_s` - `latency_s`.

    `drift_ppm`: how much faster this machine's clock runs. `jitter_s`: mean lateness against the
    least delayed reading. `jumps`: how often it was set, `wraps`: how often its counter restarted.
    """

    offset_s: float | None
    drift_ppm: float
    jitter_s: float
    jumps: int
    wraps: int
    latency_s: float


class ClockStatus(msgspec.Struct, frozen=True):
    """A clock, and whose readings it stamps."""

    source: str
    groups: tuple[str, ...]
    estimate: ClockEstimate


class SourceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A source's own view. `age_s`: since its last reading. `clocks`: a phone's GPS and IMU have
    two."""

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


class Capability(msgspec.Struct, frozen=True):
    """Whether one thing can be done now. `uses`: its signals, `confidence`: of the weakest;
    `reason`: what is missing and why, or the substitute."""

    name: str
    what: str
    available: bool
    confidence: float
    needs: tuple[str, ...]
    uses: tuple[str, ...]
    reason: str


class Provenance(msgspec.Struct, frozen=True):
    """A signal in its canonical unit. `confidence`: 0..1 (0: `value` is None), `age_s`: since it
    was measured, `reason`: why it has less confidence. `dead`: its sensor does not work."""

    signal: str
    value: float | None
    confidence: float
    source: str
    age_s: float | None
    reason: str = ""
    dead: bool = False


class Degradation(msgspec.Struct, frozen=True, kw_only=True):
    """Something lost now. `mend`: what a person can do. `told`: the loss in the driver's words,
    or its effect. `covered`: another loss explains it."""

    name: str
    since_t: float | None
    effect: str
    reason: str = ""
    mend: str = ""
    told: str = ""
    covered: bool = False


class SessionStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The open session, or life "none". `lap_s`: since this lap began. `caught_up`: how much of
    a session continued after a restart was read again, 0 to 1; until then nothing is said.
    `faults`: samples that the path failed on. `said`: the last callout. `hush`: until when the
    driver wants silence."""

    life: SessionLife = "none"
    id: str = ""
    track: str = ""
    t: float | None = None
    lap: int = 0
    lap_s: float | None = None
    best_s: float | None = None
    last_s: float | None = None
    continued: int = 0
    caught_up: float | None = None
    faults: int = 0
    said: str = ""
    hush: Hush | Literal[""] = ""


class StoreStatus(msgspec.Struct, frozen=True, kw_only=True):
    """DuckDB's writer, in items and rows. `rebuilding`: sessions waiting for their journal."""

    state: WriterState = "good"
    waiting: int = 0
    committed: int = 0
    shed: int = 0
    failures: int = 0
    last_error: str = ""
    rebuilding: tuple[str, ...] = ()


class MatchingStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The session being measured again, and how many are left with it."""

    session: str = ""
    left: int = 0


class DiskStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The room left on the disk (None: unknown yet), and the least that must be left."""

    free_bytes: int | None = None
    floor_bytes: int = 0


class JournalStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a journal's records. `durable_seq`: the last one on the disk (-1: none)."""

    state: WriterState
    written: int = 0
    shed: int = 0
    failures: int = 0
    durable_seq: int = -1
    bytes: int = 0
    crc: int = 0
    last_error: str = ""


class PlayerState(msgspec.Struct, frozen=True):
    """Health of a player. `up`: a clip would be heard now. `dropped`: clips never started."""

    name: str
    up: bool
    playing: str
    waiting: int
    restarts: int
    dropped: int
    last_error: str


class VoiceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The voice and its clips. `heard`: None while unknown, or no sound is wanted; `trouble`:
    why not. `rendering`: sets of phrases that wait. `delay_s`: from the player to the ear.
    `unheard`: callouts that could not be played."""

    state: PartState = "starting"
    heard: bool | None = None
    trouble: str = ""
    player: PlayerState | None = None
    clips: int = 0
    rendering: int = 0
    unheard: int = 0
    restarts: int = 0
    delay_s: float | None = None
    last_error: str = ""


CoachLevel = Literal["beginner", "intermediate", "expert"]


class CoachChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the coach is to speak from now on; what is None stays as it is."""

    mode: CoachMode | None = None
    level: CoachLevel | None = None
    understood: bool = False
    """The driver has heard what the pit wall said last."""
    again: bool = False
    """The driver wants to hear the last callout again."""
    hush: Hush | None = None
    """Say nothing but danger until then: the driver wants the rest of this lap and one more, or hears
    calls of another place, or wants none in this session. `over`: speak again."""


class MarkNow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`traffic` and `yellow` exclude the running lap from judgement, `mark` notes the moment,
    `clear` undoes the lap's marks."""

    mark: Literal["traffic", "yellow", "mark", "clear"] = "mark"


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """A stored mark: session, second, and lap."""

    session: str
    t: float
    lap: int
    mark: str


class ForecastStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The network that forecasts. `why` it is off. `asked`: how often in this drive. `better`:
    in this drive it was nearer than the reference lap, and times calls."""

    state: Literal["off", "waiting", "on"] = "off"
    why: str = ""
    asked: int = 0
    better: bool | None = None


class CoachStatus(msgspec.Struct, frozen=True):
    """How the coach speaks. `level_from`: the session whose driving gave its level, or ""."""

    mode: CoachMode = "coach"
    level: CoachLevel = "intermediate"
    forecast: ForecastStatus = ForecastStatus()
    level_from: str = ""


class PhoneReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Holds what the phone helper tells, all of it optional: what is unknown stays as it was."""

    battery_pct: Annotated[float, msgspec.Meta(ge=0, le=100)] | None = None
    battery_c: Annotated[float, msgspec.Meta(ge=-50, le=150)] | None = None
    charging: bool | None = None
    heat: Heat | None = None
    network: Literal["none", "wifi", "mobile", "other"] | None = None
    metered: bool | None = None
    """The network is paid by volume; unknown: mobile data is, others are not."""
    captive: bool | None = None
    """Android says that this network wants a log-in first: the model is not asked through it."""
    notifications: Literal["shown", "denied", "off"] | None = None
    sound: Annotated[str, msgspec.Meta(max_length=80)] | None = None
    """What plays: PulseAudio's sink, or the program that speaks in its place."""
    route: Literal["speaker", "wired", "bluetooth"] | None = None
    """Where Android sends sound."""
    volume_pct: Annotated[float, msgspec.Meta(ge=0, le=100)] | None = None
    """Of Android's media volume."""
    call: bool | None = None
    """Somebody speaks through the phone: Android may mute callouts meanwhile."""
    helper_version: Annotated[str, msgspec.Meta(max_length=40)] | None = None


class PhoneStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The last that is known of the phone, and the age of the last report."""

    report: PhoneReport
    age_s: float


class ConnectivityStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the paddock's model may be asked, and `why` not. `rest_s`: until it is tried
    again."""

    state: ConnectionState
    why: str
    endpoint: str = ""
    rest_s: float = 0.0


class PaddockStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers in the paddock. `trouble`: what is wrong with the model's settings.
    `answered`: by tier. `job`: in work, `doing`: progress. `jobs_held`: why begun jobs wait
    again."""

    worker: Literal["none", "starting", "ready"]
    pid: int | None = None
    worker_starts: int = 0
    model: str = ""
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
    """A supervised part of the daemon (a source, the voice, the API): it is restarted alone."""

    name: str
    state: PartState
    restarts: int = 0
    last_error: str = ""


class LiveStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Viewers of /live: frames that a client did not get (`thinned`), callouts and events that
    it was too slow for (`missed`)."""

    clients: int = 0
    frames: int = 0
    thinned: int = 0
    missed: int = 0


class ProcessStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The daemon's process. `rss_bytes`: its memory in RAM."""

    version: str = ""
    pid: int = 0
    up_s: float = 0.0
    rss_bytes: int | None = None


class PushStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Batches received: stored, known already, refused."""

    taken: int = 0
    known: int = 0
    refused: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the daemon knows of itself: each part of the daemon gives its own figures."""

    process: ProcessStatus = ProcessStatus()
    session: SessionStatus = SessionStatus()
    sources: tuple[SourceStatus, ...] = ()
    pushes: PushStatus = PushStatus()
    signals: tuple[Provenance, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    degradations: tuple[Degradation, ...] = ()
    matching: MatchingStatus = MatchingStatus()
    store: StoreStatus = StoreStatus()
    disk: DiskStatus = DiskStatus()
    journal: JournalStatus | None = None
    coach: CoachStatus = CoachStatus()
    voice: VoiceStatus = VoiceStatus()
    phone: PhoneStatus | None = None
    connectivity: ConnectivityStatus | None = None
    paddock: PaddockStatus | None = None
    inbox: InboxStatus = InboxStatus()
    loop: LoopStatus = LoopStatus()
    live: LiveStatus = LiveStatus()
    parts: tuple[PartStatus, ...] = ()
    notes: tuple[str, ...] = ()


class StatusSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The daemon on one page. `lost`: current losses and their cost; `to_do`: what a person can
    do. `details`: the parts asked for by `?details=NAMES`, or all."""

    version: str
    pid: int
    up_s: float
    session: SessionStatus
    sources: dict[str, str]
    sound: str
    store: str
    paddock: str
    lost: tuple[str, ...]
    to_do: tuple[str, ...]
    details: Status | msgspec.UnsetType = msgspec.UNSET


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what the doctor found of one thing. `missing`: the daemon can't work without it."""

    name: str
    verdict: Literal["good", "note", "missing"]
    found: str
    mend: str = ""
