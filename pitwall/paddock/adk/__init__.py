"""All that imports google.adk: the model, agents and workflows made of the roster, their runs and limits."""

import os
import sys
from importlib.util import find_spec

from pydantic import BaseModel

# ADK calls the base class of its summaries experimental each time it is used.
os.environ.setdefault("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "true")
# For each node ADK looks for its optional part `a2a`. A failed import is not remembered: without
# this entry each costs a millisecond of a desktop.
if find_spec("a2a") is None:
    sys.modules["google.adk.agents.remote_a2a_agent"] = None  # type: ignore[assignment]
# The command line of httpx needs rich and pygments; httpx goes without it.
sys.modules["httpx._main"] = None  # type: ignore[assignment]
# Each of the 700 models of ADK and google.genai makes its validator when first used: the worker
# starts in 0.7 of the time and takes 14 MB less.
BaseModel.model_config["defer_build"] = True
