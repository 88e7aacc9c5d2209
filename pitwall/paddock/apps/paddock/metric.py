"""What `adk eval` judges next to the calls: a model must choose among facts.

A liar's answer is true all the same, since its words are not heard; here it fails."""

from __future__ import annotations

import msgspec
from google.adk.evaluation.eval_case import Invocation, InvocationEvents, get_all_tool_responses
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult

from pitwall.paddock.adk.app import ROOT, text_of
from pitwall.paddock.points import AnswerPoint
from pitwall.paddock.roster import QUERY_TOOL


class _Points(msgspec.Struct):
    points: list[AnswerPoint]


def chooses_facts(
    eval_metric: object, actual: list[Invocation], expected: object = None, scenario: object = None
) -> EvaluationResult:
    """The share of answers in which every agent gave points alone, and the last figure asked for is
    in it."""
    scores = [float(_chosen(each)) for each in actual]
    status = [EvalStatus.PASSED if score else EvalStatus.FAILED for score in scores]
    return EvaluationResult(
        overall_score=sum(scores) / len(scores),
        overall_eval_status=EvalStatus.PASSED if all(scores) else EvalStatus.FAILED,
        per_invocation_results=[
            PerInvocationResult(actual_invocation=one, score=score, eval_status=passed)
            for one, score, passed in zip(actual, scores, status, strict=True)
        ],
    )


def _chosen(invocation: Invocation) -> bool:
    work = invocation.intermediate_data
    events = work.invocation_events if isinstance(work, InvocationEvents) else []
    said = [text_of(each.content) for each in events if each.author != ROOT]
    results = [each.response or {} for each in get_all_tool_responses(work) if each.name == QUERY_TOOL]
    sentences = [each["told"] for each in results if "told" in each][-1:]
    answer = text_of(invocation.final_response)
    return (
        any(said) and all(map(_points_alone, filter(None, said))) and all(one in answer for one in sentences)
    )


def _points_alone(text: str) -> bool:
    try:
        return bool(msgspec.json.decode(text, type=_Points).points)
    except msgspec.DecodeError:
        return False
