"""What the phone helper tells of the phone, and what is left out to spare it."""

from __future__ import annotations

import time

import msgspec

from pitwall.contract.shedding import shed_rules
from pitwall.contract.status import PhoneReport, PhoneStatus

# Android throttles at "severe". Below 15 % many phones slow down by themselves.
HOT = ("severe", "critical", "emergency", "shutdown")
LOW_BATTERY_PCT, ENOUGH_BATTERY_PCT = 15.0, 18.0
# A helper that is silent for so long has died: what it told counts no longer.
REPORT_S = 120.0


class Phone:
    """What the phone helper told last."""

    def __init__(self) -> None:
        self.report: PhoneReport | None = None
        self._at_s = 0.0

    def tell(self, report: PhoneReport) -> None:
        """Take a report; what it does not tell stays as it was."""
        told = {name: value for name, value in msgspec.structs.asdict(report).items() if value is not None}
        if report.network is not None:
            # What another network costs, or wants first, says nothing of this one.
            told["metered"], told["captive"] = report.metered, report.captive
        self.report = msgspec.structs.replace(self.report or PhoneReport(), **told)
        self._at_s = time.monotonic()

    def status(self) -> PhoneStatus | None:
        """As /status shows it."""
        if self.report is None:
            return None
        return PhoneStatus(report=self.report, age_s=time.monotonic() - self._at_s)

    def trouble(self, spared: bool) -> str:
        """Why the phone must be spared, "" while it need not be. `spared`: it is being spared already."""
        report = self.report
        if report is None or time.monotonic() - self._at_s > REPORT_S:
            return ""
        if report.heat in HOT:
            return f"heat {report.heat}"
        enough_pct = ENOUGH_BATTERY_PCT if spared else LOW_BATTERY_PCT
        if report.battery_pct is not None and report.battery_pct < enough_pct and not report.charging:
            return f"battery {report.battery_pct:.0f} %"
        return ""

    def shed(self) -> frozenset[str]:
        """What is shed to spare the phone, by its name in the table of `contract.shedding`."""
        steps = self._steps()
        return frozenset(rule.what for rule in shed_rules("phone") if steps >= rule.above)

    def _steps(self) -> int:
        """One for each step of heat, or for each five per cent of battery."""
        if not self.trouble(True) or self.report is None:
            return 0
        heat = HOT.index(self.report.heat) + 1 if self.report.heat in HOT else 0
        battery_pct = self.report.battery_pct
        empty = 0
        if battery_pct is not None and not self.report.charging and battery_pct < ENOUGH_BATTERY_PCT:
            empty = 1 + int((LOW_BATTERY_PCT - min(battery_pct, LOW_BATTERY_PCT)) // 5.0)
        return max(heat, empty)
