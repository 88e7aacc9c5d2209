#!/usr/bin/env bash
# An agent that debriefs a driver looks laps up with tools, and its answer is to be in the session's state for the next
# agent: output_key. A model often says what it is going to do in the turn in which it calls a tool. google-adk 2.13.0
# keeps that too: the state holds both texts, joined without a blank ("Let me look up lap 3.Lap 3 took 100.5 s."), though
# only the second one is the final response. An answer in JSON can then not be parsed any more.
# Guess before the run: the final response alone, which is what the documentation says of output_key.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" google-adk==2.13.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import asyncio

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, Part

TURNS = [
    [Part(text="Let me look up lap 3."), Part(function_call=FunctionCall(name="lap_time", args={"lap": 3}))],
    [Part(text="Lap 3 took 100.5 s.")],
]


class Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        told = sum(content.role == "model" for content in llm_request.contents)
        yield LlmResponse(content=Content(role="model", parts=TURNS[told]))


def lap_time(lap: int) -> dict:
    """Tell the time of a lap."""
    return {"lap_time_s": 100.5}


async def main():
    agent = LlmAgent(name="debrief", model=Scripted(model="scripted"), tools=[lap_time], output_key="answer")
    runner = InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="driver")
    asked = Content(role="user", parts=[Part(text="How long did lap 3 take?")])
    async for event in runner.run_async(user_id="driver", session_id=session.id, new_message=asked):
        if event.is_final_response():
            print("final response:", event.content.parts[0].text)
    session = await runner.session_service.get_session(app_name="app", user_id="driver", session_id=session.id)
    print("state:", session.state["answer"])


asyncio.run(main())
P
)
echo "$found"
[ "$found" = "final response: Lap 3 took 100.5 s.
state: Let me look up lap 3.Lap 3 took 100.5 s." ] || { echo "this has changed" >&2; exit 1; }
