"""The job `profile`: what a session says about its driver, worked out by code alone."""

from __future__ import annotations

from pitwall.analysis.lessons import promote
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import DriverProfile
from pitwall.analysis.report import update_profile
from pitwall.analysis.tool_kit import ToolKit


def profile_session(facts: Facts, session: str) -> DriverProfile:
    """Derive the session's events, keep them in the place of older ones, and judge all lessons anew.

    `session`: an id, or "last". Done twice it comes to the same. ToolRefused: no such session; StoreError.
    """
    profile = update_profile(facts, ToolKit(facts).session(session))
    promote(facts)
    return profile
