"""Which work a kind of job is, and the one call that goes on with a job."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pitwall.contract.events import Error, Event
from pitwall.contract.job_inputs import ScriptsInput, SessionInput, checked_input
from pitwall.contract.messages import JobRun
from pitwall.paddock.controller.answers import AnswerWork
from pitwall.paddock.controller.phases import JobWork, run_job
from pitwall.paddock.controller.profile import ProfileWork
from pitwall.paddock.controller.resources import JobPort, JobResources, JobWaits
from pitwall.paddock.controller.voice_scripts import VoiceScriptWork


def work_of(job: JobRun) -> JobWork:
    """The work of this job. ValueError: its input is wrong, in a sentence."""
    given = checked_input(job.kind, msgspec.json.decode(job.input))
    if isinstance(given, ScriptsInput):
        return VoiceScriptWork(given)
    if job.kind == "profile" and isinstance(given, SessionInput):
        return ProfileWork(given)
    return AnswerWork(job.kind, given)


async def continue_job(
    job: JobRun, resources: JobResources, port: JobPort, emit: Callable[[Event], None]
) -> None:
    """Go on with a job where it stands, until its end is kept, or until it must wait: an `error` says why.

    StoreError: its progress can't be kept. Cancelled, it stops at its checkpoint.
    """
    try:
        await run_job(job, work_of, resources, port, emit)
    except JobWaits as waits:
        emit(Error(str(waits)))
