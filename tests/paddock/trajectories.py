"""Which tools an agent called, in which order, judged by ADK's own TrajectoryEvaluator."""

from __future__ import annotations

from typing import Any

from google.adk.evaluation.eval_case import IntermediateData, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.genai import types
from model_server import Asked

Call = tuple[str, dict[str, Any]]


def invocation(calls: list[Call]) -> Invocation:
    uses = [types.FunctionCall(name=name, args=args) for name, args in calls]
    question = types.Content(role="user", parts=[types.Part(text="as asked")])
    return Invocation(user_content=question, intermediate_data=IntermediateData(tool_uses=uses))


def called(asked: Asked) -> list[Call]:
    """The calls in the history that an agent's last request carried: made and answered in this order."""
    parts = [part for content in asked.body["contents"] for part in content["parts"]]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    return [(call["name"], call.get("args", {})) for call in calls if call["name"] != "set_model_response"]


def score(actual: list[Call], expected: list[Call]) -> float | None:
    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=ToolTrajectoryCriterion.MatchType.EXACT)
    evaluator = TrajectoryEvaluator(
        eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=criterion)
    )
    return evaluator.evaluate_invocations([invocation(actual)], [invocation(expected)]).overall_score
