"""What one analysis may cost at most, and what is kept back so that what was found is also told."""

from __future__ import annotations

import msgspec

# The summary, one retry, and one more for a wrong form.
SUMMARY_CALLS = 3
# Of the time; the stages must be over by then.
SUMMARY_SHARE = 0.2
# More than this within one stage is a model that does not come to an end.
STAGE_CALLS = 14
# Three agents a round, each of which may be asked again.
PLAN_CALLS_A_ROUND = 5


class Budgets(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` from the request on; calls since it was begun or resumed, each refused before it is too many.

    `rounds` of planning, `stages` in all, `works`: how often one stage may be worked on, and `changes`: how
    often reflection may change the stages that remain.
    """

    seconds: float = 120.0
    model_calls: int = 48
    tool_calls: int = 40
    rounds: int = 3
    stages: int = 5
    works: int = 2
    changes: int = 2
