"""GPS and IMU of an Android phone through the app SensorServer, over WebSockets.

    sensorserver:ws://127.0.0.1:8080

Options, in the source's table of `pitwall.toml` or behind the `?` (the table wins):

    mount       how the phone sits: auto (the default: by gravity, its screen towards the driver),
                portrait, landscape-left, landscape-right, portrait-down, or flat (on its back, top forward)
    gps, imu    true; false leaves that half out
    latency_s   how old a GPS fix is at its stamp; else by the rate that is seen (GnssStream)

Known from the app's description (UmerCodez/SensorServer): the paths `/gps` and
`/sensors/connect?types=[...]`, and stamps in nanoseconds. As its messages are remembered and not
yet seen on a phone: sensors `{"type", "values": [x, y, z], "timestamp": ns, "accuracy"}`, values in
Android's units (m/s2 with gravity, rad/s); GPS `{"latitude", "longitude", "altitude", "bearing",
"speed", "accuracy", "time": unix ms}`, degrees, metres and m/s; a repeated fix is marked
`"lastKnowLocation": true`. Fields that are missing are blank, others are not looked at.

Sideways and lengthways g are given once the car has stood still for 2 s (Leveller); yaw rate as
soon as the mount is known."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, NamedTuple

import aiohttp
import msgspec

from pitwall.telemetry.recordings.columns import G_MPS2
from pitwall.telemetry.sample import Channel, Values, channels_of
from pitwall.telemetry.sources.base import (
    CONNECT_S,
    SILENT_S,
    Allowance,
    Inbox,
    Options,
    Source,
    SourceError,
    SourceHealth,
    SourceUri,
    fault,
    keep_connected,
    parse_address,
    parse_uri,
    read_options,
    received,
    within,
)
from pitwall.telemetry.sources.nmea import GnssStream

Vector = tuple[float, float, float]

# Android's axes with the screen upright: x right, y up, z out of the screen. Rows: the car's
# forward, left and up (ISO 8855) in the phone's axes, whose z is to the rear. Fusion compares the
# signs with GPS.
MOUNTS: dict[str, tuple[Vector, Vector, Vector]] = {
    "portrait": ((0, 0, -1), (-1, 0, 0), (0, 1, 0)),
    # Turned to the left, as most cradles hold it.
    "landscape-left": ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    "landscape-right": ((0, 0, -1), (0, -1, 0), (-1, 0, 0)),
    "portrait-down": ((0, 0, -1), (1, 0, 0), (0, -1, 0)),
    # On its back, its top to the front.
    "flat": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
}
AUTO = "auto"
# The car stands when nothing moved this long: a smooth straight is not so still. An idling engine
# shakes a phone by 0.03 g.
STILL_S = 2.0
STILL_G = 0.06
STILL_DPS = 1.5
# Gravity on a phone's sensor; more off is no rest.
GRAVITY_TOLERANCE_G = 0.08
# Faster is no standing; an older speed is unknown.
STAND_MPS = 0.5
SPEED_AGE_S = 3.0
# A mount whose up is further off is not the phone's.
MAX_TILT_DEG = 50.0
# Fewer readings in STILL_S are no stand to judge.
MIN_READINGS = 10


class Level(NamedTuple):
    """Forward, left and up of the car in the phone's axes, and the gyroscope's rest in deg/s."""

    forward: Vector
    left: Vector
    up: Vector
    gyro_rest: Vector


def level(mount: str, gravity: Vector, gyro_rest: Vector) -> Level | None:
    """Return the mount turned the shortest way so that `gravity` is up; None if none fits."""
    up = _unit(gravity)
    names = list(MOUNTS) if mount == AUTO else [mount]
    name = max(names, key=lambda name: _dot(MOUNTS[name][2], up))
    forward, _, nominal_up = MOUNTS[name]
    if _dot(nominal_up, up) < math.cos(math.radians(MAX_TILT_DEG)):
        return None
    forward = _unit(_turned(forward, nominal_up, up))
    return Level(forward, _cross(up, forward), up, gyro_rest)


class Leveller:
    """Detects when the phone rests, and how it sits then."""

    def __init__(self, mount: str) -> None:
        self.mount = mount
        self.level: Level | None = None
        self.mismatches = 0
        self._gravity, self._gyro = _Rest(STILL_G), _Rest(STILL_DPS)
        self._moving_at_s: float | None = None
        self._now_s = 0.0

    @property
    def axes(self) -> Level | None:
        """Return how it sits, levelled or as the named mount has it."""
        if self.level is not None or self.mount == AUTO or self.mismatches:
            return self.level
        return Level(*MOUNTS[self.mount], (0.0, 0.0, 0.0))

    def speed(self, speed_mps: float) -> None:
        """Take what GPS says now."""
        moving = speed_mps > STAND_MPS
        self._moving_at_s = self._now_s if moving else None
        if moving:
            self._gravity.clear()

    def gyroscope(self, rate_dps: Vector, at_s: float) -> None:
        """Take a reading of the gyroscope; a turn ends a rest."""
        if not self._gyro.add(rate_dps, at_s):
            self._gravity.clear()

    def accelerometer(self, force_g: Vector, at_s: float) -> None:
        """Take a reading of the accelerometer, gravity included."""
        self._now_s = at_s
        if self._moving_at_s is not None and at_s - self._moving_at_s < SPEED_AGE_S:
            return
        self._gravity.add(force_g, at_s)
        mean = self._gravity.settled(at_s)
        if mean is None:
            return
        self._gravity.clear()
        if abs(math.sqrt(_dot(mean, mean)) - 1.0) > GRAVITY_TOLERANCE_G:
            return
        found = level(self.mount, mean, self._gyro.settled(at_s) or (0.0, 0.0, 0.0))
        if found is None:
            self.mismatches += 1
        else:
            self.level = found


class _Rest:
    def __init__(self, spread: float) -> None:
        self._spread = spread
        self.clear()

    def clear(self) -> None:
        self._count, self._since_s = 0, 0.0
        self._sum = [0.0, 0.0, 0.0]
        self._low, self._high = [math.inf] * 3, [-math.inf] * 3

    def add(self, reading: Sequence[float], at_s: float) -> bool:
        """Take a reading; False if it ended the rest."""
        calm = True
        for axis, value in enumerate(reading):
            self._low[axis] = min(self._low[axis], value)
            self._high[axis] = max(self._high[axis], value)
            calm = calm and self._high[axis] - self._low[axis] <= self._spread
        if not calm:
            self.clear()
            self.add(reading, at_s)
            return False
        if self._count == 0:
            self._since_s = at_s
        self._count += 1
        for axis, value in enumerate(reading):
            self._sum[axis] += value
        return True

    def settled(self, at_s: float) -> Vector | None:
        """Return the mean, once it has lasted STILL_S."""
        if self._count < MIN_READINGS or at_s - self._since_s < STILL_S:
            return None
        x, y, z = (total / self._count for total in self._sum)
        return x, y, z


def in_car(level: Level, reading: Vector) -> Vector:
    """Return a reading in the phone's axes as forward, left, up."""
    return _dot(level.forward, reading), _dot(level.left, reading), _dot(level.up, reading)


def to_g(reading: Sequence[float]) -> Vector:
    """Return m/s2 in g."""
    return reading[0] / G_MPS2, reading[1] / G_MPS2, reading[2] / G_MPS2


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Vector) -> Vector:
    length = math.sqrt(_dot(a, a)) or 1.0
    return a[0] / length, a[1] / length, a[2] / length


def _turned(vector: Vector, start: Vector, end: Vector) -> Vector:
    """Return `vector` turned as `start` must be to become `end` (Rodrigues)."""
    axis, cosine = _cross(start, end), _dot(start, end)
    across, along = _cross(axis, vector), _dot(axis, vector) / (1.0 + cosine)
    x, y, z = (vector[i] * cosine + across[i] + axis[i] * along for i in range(3))
    return x, y, z


FORM = "sensorserver:ws://127.0.0.1:8080"
ACCELEROMETER, GYROSCOPE = "android.sensor.accelerometer", "android.sensor.gyroscope"
SENSORS_PATH = f'/sensors/connect?types=["{ACCELEROMETER}","{GYROSCOPE}"]'
GPS_PATH = "/gps"
# A reading takes 150 bytes.
MAX_MESSAGE_BYTES = 8192
# A frozen app keeps its sockets open but answers no ping.
PING_S = 5.0
# Android gives two sensors at up to 500 Hz each.
MAX_READINGS_PER_S = 2000.0
BURST_READINGS = 20_000.0
# Messages read before the loop gets a turn.
TURN_MESSAGES = 32

GPS_CHANNELS = (
    *channels_of({
        "lat_deg": "latitude", "lon_deg": "longitude", "altitude_m": "altitude", "speed_mps": "speed",
        "heading_deg": "bearing",
    }),
    Channel("position_accuracy_m", "m", "accuracy"),
)  # fmt: skip
FORCE_CHANNELS = (
    Channel("g_long", "g", "accelerometer, forward"),
    Channel("g_lat", "g", "accelerometer, left"),
    Channel("g_vertical", "g", "accelerometer, up"),
)
RATE_CHANNELS = (
    Channel("yaw_rate_dps", "deg/s", "gyroscope, up"),
    Channel("roll_rate_dps", "deg/s", "gyroscope, forward"),
    Channel("pitch_rate_dps", "deg/s", "gyroscope, left"),
)
SENSOR_CHANNELS = {ACCELEROMETER: FORCE_CHANNELS, GYROSCOPE: RATE_CHANNELS}

_BLANK: Values = (None, None, None)


class SensorServerOptions(msgspec.Struct, frozen=True):
    mount: Literal["auto", "portrait", "landscape-left", "landscape-right", "portrait-down", "flat"] = "auto"
    gps: bool = True
    imu: bool = True
    latency_s: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)] | None = None


class GpsMessage(msgspec.Struct, gc=False):
    """A location."""

    latitude: float
    longitude: float
    altitude: float | None = None
    speed: float | None = None
    bearing: float | None = None
    accuracy: float | None = None
    time: float | None = None
    lastKnowLocation: bool = False


class SensorMessage(msgspec.Struct, gc=False):
    """A reading of a sensor."""

    values: Annotated[list[float], msgspec.Meta(min_length=3, max_length=16)]
    timestamp: float
    type: str = ""


_decode_gps = msgspec.json.Decoder(GpsMessage).decode
_decode_sensor = msgspec.json.Decoder(SensorMessage).decode


class _Imu:
    def __init__(self, inbox: Inbox, leveller: Leveller, health: SourceHealth) -> None:
        self._inbox, self._leveller, self._health = inbox, leveller, health
        self._streams: dict[str, int] = {}

    def take(self, text: str, now_s: float) -> bool:
        """Hand over one message; False for another sensor's. MsgspecError for none."""
        message = _decode_sensor(text)
        x, y, z = message.values[:3]
        source_s = message.timestamp * 1e-9
        if message.type == ACCELEROMETER:
            values = self._force(to_g((x, y, z)), source_s)
        elif message.type == GYROSCOPE:
            values = self._rate((math.degrees(x), math.degrees(y), math.degrees(z)), source_s)
        else:
            return False
        channels = SENSOR_CHANNELS[message.type]
        stream = self._streams.get(message.type)
        if stream is None:
            stream = self._inbox.stream(channels, group=message.type.rpartition(".")[2], latency_s=0.0)
            self._streams[message.type] = stream
        self._inbox.put(stream, source_s, now_s, values)
        return True

    def _force(self, force_g: Vector, source_s: float) -> Values:
        leveller = self._leveller
        mismatches = leveller.mismatches
        leveller.accelerometer(force_g, source_s)
        if leveller.mismatches > mismatches:
            fault(self._health, "mount_mismatches")
            self._health.last_error = f"the phone does not sit as mount = {leveller.mount!r} says"
        # Tilted by 15 degrees it would read 0.26 g at rest.
        return _BLANK if leveller.level is None else in_car(leveller.level, force_g)

    def _rate(self, rate_dps: Vector, source_s: float) -> Values:
        self._leveller.gyroscope(rate_dps, source_s)
        axes = self._leveller.axes
        if axes is None:
            return _BLANK
        rest = axes.gyro_rest
        forward, left, up = in_car(
            axes, (rate_dps[0] - rest[0], rate_dps[1] - rest[1], rate_dps[2] - rest[2])
        )
        return up, forward, left


class _Link:
    def __init__(
        self,
        what: str,
        url: str,
        take: Callable[[str, float], bool],
        health: SourceHealth,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self.what, self.up = what, False
        self._url, self._take, self._whole, self._begin = url, take, health, begin
        # Each link's back-off is about itself.
        self.health = SourceHealth(url)
        self._allowance = Allowance(MAX_READINGS_PER_S, BURST_READINGS)

    async def connection(self, session: aiohttp.ClientSession) -> str:
        """Read one connection to its end; return why it ended."""
        opening = session.ws_connect(self._url, heartbeat=PING_S, max_msg_size=MAX_MESSAGE_BYTES)
        try:
            ws = await within(CONNECT_S, "connection", opening)
        except aiohttp.ClientError as error:
            raise OSError(f"{self.what}: {error}") from None
        self._begin()
        try:
            return await self._read(ws)
        finally:
            await ws.close()

    async def _read(self, ws: aiohttp.ClientWebSocketResponse) -> str:
        count = 0
        while True:
            try:
                message = await ws.receive(timeout=SILENT_S)
            except TimeoutError:
                # A phone indoors has no fix for minutes; pings watch the connection.
                self.up = False
                continue
            if message.type is aiohttp.WSMsgType.TEXT:
                self._one(message.data)
            elif message.type is aiohttp.WSMsgType.BINARY:
                self._no_message("it is binary")
            else:
                error = message.data if isinstance(message.data, Exception) else ws.exception()
                return f"{self.what}: {error or 'the app closed the connection'}"
            count += 1
            if count % TURN_MESSAGES == 0:
                await asyncio.sleep(0)

    def _one(self, text: str) -> None:
        now_s = time.monotonic()
        if not self._allowance.take(1.0, now_s):
            self._whole.shed += 1
            return
        try:
            accepted = self._take(text, now_s)
        except msgspec.MsgspecError as error:
            self._no_message(str(error))
            return
        if accepted:
            self.up = True
            received(self.health, now_s)
            received(self._whole, now_s)

    def _no_message(self, why: str) -> None:
        fault(self._whole, f"bad_{self.what}_messages")
        if self._whole.state != "up":
            # A person would wait for ever.
            self._whole.state = "down"
            self._whole.last_error = f"{self.what}: what comes is no message of the app ({why})"


class SensorServerSource:
    """A phone; see the module's docstring."""

    def __init__(self, uri: SourceUri, base_url: str, options: SensorServerOptions) -> None:
        self.health = SourceHealth(uri.text)
        self._base_url, self._options = base_url, options
        self._links: list[_Link] = []

    async def run(self, inbox: Inbox) -> None:
        """Read both WebSockets until cancelled."""
        self.health.state = "starting"
        self._links = self._make_links(inbox)
        try:
            async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
                for link in self._links:
                    tasks.create_task(self._keep(link, session), name=f"sensorserver {link.what}")
        finally:
            self.health.state = "stopped"

    def _make_links(self, inbox: Inbox) -> list[_Link]:
        options, health = self._options, self.health
        leveller = Leveller(options.mount)
        gnss = GnssStream(inbox, GPS_CHANNELS, "gps", options.latency_s)

        def take_gps(text: str, now_s: float) -> bool:
            message = _decode_gps(text)
            if message.lastKnowLocation:
                return False
            if message.speed is not None:
                leveller.speed(message.speed)
            values = (
                message.latitude, message.longitude, message.altitude,
                message.speed, message.bearing, message.accuracy,
            )  # fmt: skip
            gnss.put(None if message.time is None else message.time * 1e-3, now_s, values)
            return True

        links = []
        if options.gps:
            links.append(_Link("gps", self._base_url + GPS_PATH, take_gps, health, gnss.begin))
        if options.imu:
            imu = _Imu(inbox, leveller, health)
            links.append(_Link("imu", self._base_url + SENSORS_PATH, imu.take, health))
        return links

    async def _keep(self, link: _Link, session: aiohttp.ClientSession) -> None:
        health = self.health
        tries = 0

        async def connection() -> str:
            nonlocal tries
            health.reconnects += 1 if tries else 0
            tries += 1
            try:
                why = await link.connection(session)
            except OSError as error:
                health.errors += 1
                why = str(error)
            finally:
                link.up = False
            if not any(other.up for other in self._links):
                health.state = "down"
            health.last_error = why
            return why

        await keep_connected(link.health, connection)


def open_sensorserver(text: str, options: Options) -> Source:
    """Open a source for `sensorserver:ws://HOST:PORT`. SourceError."""
    uri = parse_uri(text)
    settings = read_options(uri, options, SensorServerOptions)
    scheme, _, rest = uri.rest.partition(":")
    if scheme not in ("ws", "wss"):
        raise SourceError(f"{text}: needs the WebSocket of the app; write {FORM}")
    if not settings.gps and not settings.imu:
        raise SourceError(f"{text}: gps and imu are both false; leave one in, or take the source out")
    address = parse_address(uri, rest, FORM)
    host = f"[{address.host}]" if ":" in address.host else address.host
    return SensorServerSource(uri, f"{scheme}://{host}:{address.port}", settings)
