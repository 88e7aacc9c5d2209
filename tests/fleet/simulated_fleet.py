"""A fleet whose truth is known: drivers who improve, on real tracks, in a few classes of car.

One lap of each track and class is driven by the simulator. Every other lap is that lap, changed by column:
in each corner the brakes come on so much earlier, and the car is so much slower around the apex. So what a
pass lost, and by what, is known to the digit, and a session costs a tenth of a second.
"""

from __future__ import annotations

import datetime
import math
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.coach.cue import LedgerLine
from pitwall.fleet.lake import Storage
from pitwall.fleet.material import Material
from pitwall.fleet.push import TrackShelf, object_of
from pitwall.simulator.car import M3, CarModel
from pitwall.simulator.plan import Driver, SimulationPlan
from pitwall.simulator.trace import true_drive
from pitwall.store.queries import TRACE_COLUMNS, SessionRow
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Track
from pitwall.track.passes import Zone, zones_of
from pitwall.track.reference import ReferenceLap

Column = npt.NDArray[np.float64]

TRACKS = (
    "sonoma", "weathertech_raceway_laguna_seca", "brands_hatch_indy_circuit", "lime_rock_park_lrp",
    "circuit_park_zandvoort",
)  # fmt: skip
CLASSES: dict[str, CarModel] = {
    "gt4": M3,
    "touring": msgspec.structs.replace(M3, power_w=160_000.0, mass_kg=1250.0, grip_lat=1.1),
    "club": msgspec.structs.replace(M3, power_w=120_000.0, mass_kg=1100.0, grip_lat=1.0, grip_brake=1.0),
    "gt3": msgspec.structs.replace(M3, power_w=370_000.0, mass_kg=1350.0, grip_lat=1.45, grip_brake=1.4),
}
# 1 March 2026, 09:00 UTC; a session a week and driver from then on.
FIRST_UTC_S, WEEK_S = 1_772_355_600.0, 7 * 86_400.0
# Rain takes so much of the speed in a corner.
WET_SHARE = 0.06
# The brakes of a base lap count from here on.
PRESSED_BAR = 2.0
# Where a deficit of speed begins before the entry and ends after the exit.
AROUND_M = 60.0
# From lap to lap: metres of the brake point, share of the speed in a corner.
LAP_BRAKE_M, LAP_SPEED_SHARE = 1.5, 0.002
# A driver is spoken to from this lap on, of a corner that costs so much.
SPOKEN_FROM_LAP, WORTH_S = 3, 0.15
# How often advice is heeded, and how much of the deficit that takes away.
ADVICE: dict[str, tuple[float, float]] = {"brake_later": (0.7, 0.8), "over_slowed": (0.4, 0.7)}
# Noise of speed (m/s) and place (m).
SPEED_NOISE_MPS, PLACE_NOISE_M = 0.03, 0.15


class CornerDeficit(msgspec.Struct, frozen=True):
    """What a driver lacks in a corner at first: brakes so much early, so many m/s too slow at the apex."""

    early_m: float
    slow_mps: float


class SimulatedDriver(msgspec.Struct, frozen=True):
    """A driver's truth. Of each deficit `floor` stays for good; the rest falls by 1/e every `learns_in`
    sessions at a track. `weak`: track -> the corner that he is worst at."""

    id: str
    car_class: str
    learns_in: float
    floor: float
    deficits: dict[str, dict[str, CornerDeficit]]
    weak: dict[str, str]

    def share(self, drives_before: int) -> float:
        """How much of the deficits is left after so many sessions at a track."""
        return self.floor + (1.0 - self.floor) * math.exp(-drives_before / self.learns_in)


class FleetTruth(msgspec.Struct, frozen=True):
    """What was put in. `best_s`: session -> its best flying lap; `spoken` and `heeded` by advice."""

    drivers: dict[str, SimulatedDriver]
    base_lap_s: dict[str, float]
    best_s: dict[str, float]
    spoken: dict[str, int]
    heeded: dict[str, int]


class BaseLap(msgspec.Struct, frozen=True):
    """The lap of a track and class, a point a metre from the gate on; the last point is the gate again."""

    track: Track
    zones: tuple[Zone, ...]
    far_m: Column
    columns: dict[str, Column]
    brake_m: dict[str, float]
    reference: ReferenceLap


def base_lap(track: Track, car: CarModel) -> BaseLap:
    """Drive one lap with the simulator and take it by place."""
    plan = SimulationPlan(car=car, laps=1, driver=Driver(variation=0.0, line_wander_m=0.0))
    drive = true_drive(track, plan)
    lap = drive.truth.laps[1]
    states = [drive.at(t) for t in np.arange(lap.start_t - 1.0, lap.end_t + 1.0, 0.02)]
    start_m = drive.at(lap.start_t).along_m
    length_m = drive.at(lap.end_t).along_m - start_m
    along = (np.array([state.along_m for state in states]) - start_m) * (track.length_m / length_m)
    far_m = np.append(np.arange(0.0, track.length_m, 1.0), track.length_m)

    def column(values: Sequence[float]) -> Column:
        return np.asarray(np.interp(far_m, along, np.array(values)), dtype=np.float64)

    places = [drive.projection.lat_lon(state.x_m, state.y_m) for state in states]
    heading = np.unwrap(np.array([state.heading_rad for state in states]))
    columns = {
        "speed_mps": column([state.speed_mps for state in states]),
        "brake_bar": column([state.brake_bar for state in states]),
        "throttle_pct": column([state.throttle_pct for state in states]),
        "g_lat": column([state.g_lat for state in states]),
        "g_long": column([state.g_long for state in states]),
        "steering_deg": column([state.steering_deg for state in states]),
        "yaw_rate_dps": column([state.yaw_rate_dps for state in states]),
        "rpm": column([state.rpm for state in states]),
        "gear": np.round(column([float(state.gear) for state in states])),
        "heading_deg": np.degrees(column([float(h) for h in heading])) % 360.0,
        "altitude_m": column([state.z_m for state in states]),
        "lat_deg": column([lat for lat, _ in places]),
        "lon_deg": column([lon for _, lon in places]),
    }
    t = _times(columns["speed_mps"], far_m)
    brakes = {
        zone.corner.id: onset
        for zone in zones_of(track, None)
        if (onset := _onset_m(columns["brake_bar"], far_m, zone, track.length_m)) is not None
    }
    reference = ReferenceLap(
        label="base",
        lap_time_s=float(t[-1]),
        distance_m=tuple(far_m.tolist()),
        t_s=tuple(t.tolist()),
        speed_mps=tuple(columns["speed_mps"].tolist()),
        brake_m=brakes,
    )
    return BaseLap(track, zones_of(track, reference), far_m, columns, brakes, reference)


def make_drivers(seed: int, count: int, tracks: Sequence[BaseLap]) -> list[SimulatedDriver]:
    """Drivers of different gifts: each has corners that he is worse at, and one at each track that he is
    worst at."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        skill = 0.4 + 1.2 * number / max(count - 1, 1)
        deficits: dict[str, dict[str, CornerDeficit]] = {}
        weak: dict[str, str] = {}
        for base in tracks:
            braked = [zone.corner.id for zone in base.zones if zone.corner.id in base.brake_m]
            worst = braked[int(rng.integers(len(braked)))]
            weak[base.track.id] = worst
            deficits[base.track.id] = {
                zone.corner.id: CornerDeficit(
                    float(skill * rng.uniform(2.0, 8.0) + (25.0 if zone.corner.id == worst else 0.0)),
                    float(skill * rng.uniform(0.1, 0.8) + (1.5 if zone.corner.id == worst else 0.0)),
                )
                for zone in base.zones
            }
        found.append(
            SimulatedDriver(
                id=f"d-{number:03d}",
                car_class=list(CLASSES)[number % len(CLASSES)],
                learns_in=float(rng.uniform(1.5, 8.0)),
                floor=float(rng.uniform(0.2, 0.5)),
                deficits=deficits,
                weak=weak,
            )
        )
    return found


class FleetSimulator:
    """Makes sessions one by one. `rate_hz` and `laps` decide how large they are."""

    def __init__(
        self,
        seed: int = 1,
        drivers: int = 40,
        rate_hz: float = 10.0,
        laps: int = 6,
        tracks: Sequence[str] = TRACKS,
    ) -> None:
        self.seed, self.rate_hz, self.laps, self._tracks = seed, rate_hz, laps, tuple(tracks)
        self._bases: dict[tuple[str, str], BaseLap] = {}
        self._shelf = TrackShelf([])
        bases = [self.base(track_id, "gt4") for track_id in self._tracks]
        self.drivers = make_drivers(seed, drivers, bases)
        self.best_s: dict[str, float] = {}
        self.spoken = dict.fromkeys(ADVICE, 0)
        self.heeded = dict.fromkeys(ADVICE, 0)

    def base(self, track_id: str, car_class: str) -> BaseLap:
        """The lap of a track and class, driven once."""
        key = (track_id, car_class)
        if key not in self._bases:
            self._bases[key] = base_lap(self._shelf.get(track_id), CLASSES[car_class])
        return self._bases[key]

    @property
    def truth(self) -> FleetTruth:
        return FleetTruth(
            drivers={driver.id: driver for driver in self.drivers},
            base_lap_s={
                f"{track}/{car_class}": base.reference.lap_time_s
                for (track, car_class), base in self._bases.items()
            },
            best_s=dict(self.best_s),
            spoken=dict(self.spoken),
            heeded=dict(self.heeded),
        )

    def sessions(self, count: int, folder: Path) -> Iterator[tuple[Material, SimulatedDriver]]:
        """So many sessions: every driver at every track in turn. Files of the material lie in `folder`."""
        for number in range(count):
            yield self.session(number, folder)

    def session(self, number: int, folder: Path) -> tuple[Material, SimulatedDriver]:
        """One session by its number: the same number gives the same session."""
        driver = self.drivers[number % len(self.drivers)]
        drive = number // len(self.drivers)
        base = self.base(self._tracks[drive % len(self._tracks)], driver.car_class)
        rng = np.random.default_rng((self.seed, number))
        wet = bool(rng.random() < 0.15)
        begun_utc_s = FIRST_UTC_S + drive * WEEK_S + 600.0 * (number % len(self.drivers))
        made = _Session(base, driver, drive // len(self._tracks), wet, self.rate_hz, self.laps, rng)
        # A driver has two phones, and a name is the same in two drivers' lists of sessions.
        session = f"{datetime.datetime.fromtimestamp(begun_utc_s, datetime.UTC):%Y%m%d-%H%M%S}-{number:06x}"
        for concept, heeded in made.told:
            self.spoken[concept] += 1
            self.heeded[concept] += heeded
        timed = [lap.time_s for lap in made.laps if lap.kind == "flying" and lap.time_s is not None]
        self.best_s[session] = min(timed)
        row = SessionRow(
            id=session, kind="live", source_name="", source_digest="", track=base.track.id,
            format="simulated", start_utc_s=begun_utc_s, created_utc_s=begun_utc_s,
            closed_utc_s=begun_utc_s + 3_600.0, samples=made.count, complete=True, laps=len(made.laps),
            best_lap_s=min(timed), driver="", vehicle=f"{driver.car_class} (simulated)", venue="",
            app_version="simulated", notes="", driven_utc_s=begun_utc_s,
            tags=("wet" if wet else "dry",),
        )  # fmt: skip
        frames = folder / f"{secrets.token_hex(8)}.parquet"
        pq.write_table(made.frames, frames, compression="none")
        material = Material(
            row=row, laps=tuple(made.laps), passes=tuple(made.passes), cues=tuple(made.cues),
            frames_file=str(frames),
        )  # fmt: skip
        return material, driver


class _Session:
    """One drive: an out lap, flying laps, an in lap. The laps before advice was heeded cost more."""

    def __init__(
        self,
        base: BaseLap,
        driver: SimulatedDriver,
        drives_before: int,
        wet: bool,
        rate_hz: float,
        laps: int,
        rng: np.random.Generator,
    ) -> None:
        self._base, self._rng = base, rng
        share = driver.share(drives_before)
        deficits = {
            corner: CornerDeficit(each.early_m * share, each.slow_mps * share)
            for corner, each in driver.deficits[base.track.id].items()
        }
        self.cues: list[LedgerLine] = []
        self.told: list[tuple[str, bool]] = []
        self.laps: list[Lap] = []
        self.passes: list[CornerPass] = []
        self._lost_s: dict[tuple[int, str], float] = {}
        clean = dict.fromkeys(deficits, CornerDeficit(0.0, 0.0))
        columns: list[dict[str, Column]] = []
        begin_t = 0.0
        for number in range(laps + 2):
            flying = 0 < number <= laps
            # The first flying lap shows what he can do: what the others lose is lost to it.
            lap = self._lap(clean if number == 1 else deficits, wet, 1.0 if flying else 0.85)
            t = begin_t + _times(lap["speed_mps"], base.far_m)
            columns.append(lap | {"t": t})
            time_s = float(t[-1] - t[0])
            kind = "flying" if flying else "out" if number == 0 else "in"
            self.laps.append(Lap(number, kind, begin_t, float(t[-1]), time_s if flying else None))  # type: ignore[arg-type]
            passes = self._passes(number, lap, t) if flying else []
            self.passes += passes
            begin_t = float(t[-1])
            # Against a lap in the dry every lap in the rain loses, whatever its driver does.
            if SPOKEN_FROM_LAP <= number < laps and not wet:
                deficits = self._advise(number, passes, deficits)
        self.frames = self._frames(columns, rate_hz)
        self.count = len(self.frames)

    def _lap(self, deficits: dict[str, CornerDeficit], wet: bool, pace: float) -> dict[str, Column]:
        base, rng = self._base, self._rng
        far_m, length_m = base.far_m, base.track.length_m
        speed, brake = base.columns["speed_mps"], base.columns["brake_bar"]
        shift_m, slower = np.zeros_like(far_m), np.zeros_like(far_m)
        for zone in base.zones:
            corner, deficit = zone.corner, deficits[zone.corner.id]
            ahead_m = (far_m - corner.entry_m + length_m / 2.0) % length_m - length_m / 2.0
            own = base.brake_m.get(corner.id)
            if own is not None:
                early_m = max(deficit.early_m + rng.normal(0.0, LAP_BRAKE_M), 0.0)
                onset_m = (own - corner.entry_m + length_m / 2.0) % length_m - length_m / 2.0
                # All of the shift up to the brake point, none of it at the apex.
                fade = np.clip((zone.apex_m - ahead_m) / max(zone.apex_m - onset_m, 1.0), 0.0, 1.0)
                zone_of_it = (ahead_m >= onset_m - early_m - 1.0) & (ahead_m <= zone.apex_m)
                shift_m = np.where(zone_of_it, np.maximum(shift_m, early_m * np.minimum(fade, 1.0)), shift_m)
            begin_m, end_m = -AROUND_M / 2.0, zone.exit_m + AROUND_M
            phase = np.clip((ahead_m - begin_m) / (end_m - begin_m), 0.0, 1.0)
            lost = deficit.slow_mps + float(speed[int(corner.apex_m) % len(speed)]) * (
                (WET_SHARE if wet else 0.0) + rng.normal(0.0, LAP_SPEED_SHARE)
            )
            slower = np.maximum(slower, lost * 0.5 * (1.0 - np.cos(2.0 * np.pi * phase)))
        behind = np.interp((far_m + shift_m) % length_m, far_m, speed)
        lap = dict(base.columns)
        lap["speed_mps"] = np.maximum((np.minimum(speed, behind) - slower) * pace, 3.0)
        lap["brake_bar"] = np.interp((far_m + shift_m) % length_m, far_m, brake)
        lap["throttle_pct"] = np.interp((far_m + shift_m) % length_m, far_m, base.columns["throttle_pct"])
        return lap

    def _passes(self, number: int, lap: dict[str, Column], t: Column) -> list[CornerPass]:
        """Measured on the columns as the car measures them on its frames."""
        base, far_m = self._base, self._base.far_m
        length_m, lap_s = base.track.length_m, float(t[-1] - t[0])
        speed = lap["speed_mps"]

        def when(place_m: float) -> float:
            laps, inside_m = divmod(place_m, length_m)
            return float(np.interp(inside_m, far_m, t)) + laps * lap_s

        found = []
        for zone in base.zones:
            corner, entry_m = zone.corner, zone.corner.entry_m
            inside = (far_m >= entry_m) & (far_m <= entry_m + zone.exit_m)
            if not inside.any():
                continue
            slowest = int(np.argmin(np.where(inside, speed, np.inf)))
            places = [entry_m + edge for edge in (zone.start_m, 0.0, zone.exit_m, zone.end_m)]
            start_t, entry_t, exit_t, end_t = map(when, places)
            usual_s = base.reference.time_between(places[0], places[-1])
            self._lost_s[number, corner.id] = end_t - start_t - usual_s
            found.append(
                CornerPass(
                    lap=number,
                    corner=corner.id,
                    entry_t=entry_t,
                    exit_t=exit_t,
                    time_s=exit_t - entry_t,
                    entry_speed_mps=float(np.interp(entry_m % length_m, far_m, speed)),
                    min_speed_mps=float(speed[slowest]),
                    min_speed_m=float(far_m[slowest]),
                    exit_speed_mps=float(np.interp((entry_m + zone.exit_m) % length_m, far_m, speed)),
                    brake_m=_onset_m(lap["brake_bar"], far_m, zone, length_m),
                )
            )
        return found

    def _advise(
        self, number: int, passes: Sequence[CornerPass], deficits: dict[str, CornerDeficit]
    ) -> dict[str, CornerDeficit]:
        """Speak of the dearest corner that was not spoken of; the deficits from the next lap on."""
        spoken = {line.corner for line in self.cues}
        losses = {
            each.corner: self._lost_s[number, each.corner] for each in passes if each.corner not in spoken
        }
        corner = max(losses, key=lambda each: losses[each], default="")
        if not corner or losses[corner] < WORTH_S:
            return deficits
        deficit = deficits[corner]
        concept = "brake_later" if corner in self._base.brake_m and deficit.early_m > 10.0 else "over_slowed"
        chance, gain = ADVICE[concept]
        heeded = bool(self._rng.random() < chance)
        self.told.append((concept, heeded))
        own = next(each for each in passes if each.corner == corner)
        self.cues.append(
            LedgerLine(
                cue=len(self.cues) + 1,
                t=own.exit_t + 2.0,
                lap=number,
                corner=corner,
                phase="exit",
                text="simulated advice",
                tier="rule",
                priority=2,
                outcome="spoken",
                reason=f"loses {losses[corner]:.2f} s in laps {number}",
                action_distance_m=None,
                clip_s=2.0,
                time_in_hand_s=None,
                concept=concept,
                loss_s=losses[corner],
            )
        )
        if not heeded:
            return deficits
        better = CornerDeficit(deficit.early_m * (1.0 - gain), deficit.slow_mps * (1.0 - gain))
        return deficits | {corner: better}

    def _frames(self, laps: Sequence[dict[str, Column]], rate_hz: float) -> pa.Table:
        base, rng = self._base, self._rng
        length_m = base.track.length_m
        far_m = np.concatenate([base.far_m[:-1] + i * length_m for i in range(len(laps))])
        t = np.concatenate([lap["t"][:-1] for lap in laps])
        grid_t = np.arange(0.0, t[-1], 1.0 / rate_hz)
        way_m = np.interp(grid_t, t, far_m)
        lap_index = np.minimum((way_m // length_m).astype(np.int32), len(laps) - 1)
        place_m = way_m - lap_index * length_m

        def column(name: str) -> Column:
            if name in ("heading_deg", "gear"):
                nearest = np.minimum(np.round(place_m).astype(int), len(base.far_m) - 1)
                return np.asarray(base.columns[name][nearest], dtype=np.float64)
            whole = np.concatenate([lap[name][:-1] for lap in laps])
            return np.asarray(np.interp(way_m, far_m, whole), dtype=np.float64)

        def noise(sigma: float) -> Column:
            return np.asarray(rng.normal(0.0, sigma, len(grid_t)), dtype=np.float64)

        count = len(grid_t)
        lat_m = 111_132.0
        cos_lat = math.cos(math.radians(float(base.columns["lat_deg"][0])))
        columns: dict[str, Column | npt.NDArray[np.bool_] | pa.Array] = {
            name: column(name) for name in base.columns
        }
        # The way of accelerations is that of the speeds that were driven.
        speed = column("speed_mps")
        columns["speed_mps"] = speed + noise(SPEED_NOISE_MPS)
        columns["g_long"] = np.gradient(speed, grid_t) / 9.81
        usual = np.maximum(np.interp(place_m, base.far_m, base.columns["speed_mps"]), 1.0)
        columns["g_lat"] = column("g_lat") * (speed / usual) ** 2
        columns["yaw_rate_dps"] = column("yaw_rate_dps") * speed / usual
        columns["lat_deg"] = column("lat_deg") + noise(PLACE_NOISE_M) / lat_m
        columns["lon_deg"] = column("lon_deg") + noise(PLACE_NOISE_M) / (lat_m * cos_lat)
        columns["t"], columns["distance_m"] = grid_t, place_m % length_m
        columns["offset_m"] = noise(PLACE_NOISE_M)
        columns["fix_age_s"] = np.zeros(count)
        columns["g_from_gps"] = np.zeros(count, dtype=np.bool_)
        columns["status"] = pa.array(["on"]).take(pa.array(np.zeros(count, dtype=np.int32)))
        return pa.table(
            {"lap": pa.array(lap_index)}
            | {
                name: columns[name] if name in columns else pa.nulls(count, pa.float64())
                for name in TRACE_COLUMNS
            }
        )


def _times(speed_mps: Column, far_m: Column) -> Column:
    """Seconds since the first place at each place: between two of them the mean of their speeds."""
    steps = np.diff(far_m) / (0.5 * (speed_mps[1:] + speed_mps[:-1]))
    return np.asarray(np.concatenate([[0.0], np.cumsum(steps)]), dtype=np.float64)


def _onset_m(brake_bar: Column, far_m: Column, zone: Zone, length_m: float) -> float | None:
    """Where the braking before the apex begins: the last time that the pressure passes PRESSED_BAR upwards
    between the apex before and this one."""
    corner = zone.corner
    apex_m = corner.entry_m + zone.apex_m
    reach_m = (apex_m - zone.search_m) % length_m or length_m
    places = np.arange(apex_m - reach_m, apex_m, 1.0)
    values = np.interp(places % length_m, far_m, brake_bar)
    pressed = values > PRESSED_BAR
    rising = np.flatnonzero(pressed[1:] & ~pressed[:-1])
    if not len(rising):
        return None
    i = int(rising[-1])
    share = (PRESSED_BAR - values[i]) / (values[i + 1] - values[i])
    return float((places[i] + share) % length_m)


def put_simulated(storage: Storage, simulator: FleetSimulator, sessions: int, folder: Path) -> None:
    """Put so many sessions into a lake."""
    shelf = TrackShelf([])
    for material, driver in simulator.sessions(sessions, folder):
        storage.put(*object_of(material, driver.id, driver.car_class, shelf))
