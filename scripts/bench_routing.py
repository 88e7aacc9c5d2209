"""Benchmark of routing: microseconds a question over all labelled questions, as JSON on standard output."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "paddock")]

from labelled_questions import home_track, labelled  # noqa: E402

from pitwall.paddock.intents import route  # noqa: E402

ROUNDS = 5


def main() -> None:
    """Each question ROUNDS times; its best time counts, so that a busy machine is not what is measured."""
    track = home_track()
    by_stage: dict[str, list[float]] = {}
    calibration: list[float] = []
    for asked in labelled("questions.json"):
        times, calibrations = [], []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            routed = route(asked.question, track)
            times.append(time.perf_counter() - start)
            start = time.perf_counter()
            json.dumps(asked.question.split())
            calibrations.append(time.perf_counter() - start)
        by_stage.setdefault(routed.stage, []).append(min(times))
        calibration.append(min(calibrations))
    every = sorted(seconds for times in by_stage.values() for seconds in times)
    mean = lambda values: round(1e6 * sum(values) / len(values), 2)  # noqa: E731
    json.dump(
        {
            "questions": len(every),
            "mean_us": mean(every),
            "p50_us": round(1e6 * every[len(every) // 2], 2),
            "p99_us": round(1e6 * every[int(len(every) * 0.99)], 2),
            "by_stage_mean_us": {stage: mean(times) for stage, times in sorted(by_stage.items())},
            "calibration_split_and_dumps_us": mean(calibration),
            "ratio": round(sum(every) / sum(calibration), 1),
        },
        sys.stdout,
        indent=2,
    )
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
