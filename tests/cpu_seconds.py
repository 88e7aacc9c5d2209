"""What each test costs in CPU seconds, with its child processes: the dearest are named at the end."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

DEAREST = 20


def cpu_s() -> float:
    """CPU seconds of this process so far, and of its children that have ended."""
    return sum(os.times()[:4])


class CpuSeconds:
    """Measure each phase of each test. What a fixture costs is the first test's that uses it."""

    def __init__(self) -> None:
        self._before_s = cpu_s()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self._before_s = cpu_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        now_s = cpu_s()
        # xdist sends each attribute of a report to the process that sums them up.
        report.cpu_s, self._before_s = now_s - self._before_s, now_s
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the dearest tests, dearest first, and the sum of all."""
        spent: Counter[str] = Counter()
        for reports in terminalreporter.stats.values():
            for report in reports:
                if hasattr(report, "cpu_s"):
                    spent[report.nodeid] += report.cpu_s
        asked = terminalreporter.config.getoption("--dearest")
        dearest = DEAREST if asked is None else asked
        if asked is None and len(spent) <= dearest:
            return
        terminalreporter.write_sep("=", f"CPU seconds of the {dearest} dearest tests")
        for test, seconds in spent.most_common(dearest):
            terminalreporter.write_line(f"{seconds:7.2f} {test}")
        # The workers have ended, so that this process's children are all that it cost.
        terminalreporter.write_line(
            f"{sum(spent.values()):7.2f} all {len(spent)} tests; {cpu_s():.1f} with start and collection"
        )
