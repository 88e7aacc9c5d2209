"""All that imports google.adk: the model, agents and workflows made of the roster, their runs and limits."""

import os
import sys
from importlib.util import find_spec

from pydantic import BaseModel

# ADK calls the base class of its summaries experimental each time it is used.
os.environ.setdefault("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "true")
# For each node that it builds ADK looks for an agent of its optional part `a2a`. A failed import is
# not remembered: without this entry each costs a millisecond of a desktop.
if find_spec("a2a") is None:
    sys.modules["google.adk.agents.remote_a2a_agent"] = None  # type: ignore[assignment]
# The command line of httpx, with rich and pygments, is of no use here; httpx goes without it.
sys.modules["httpx._main"] = None  # type: ignore[assignment]
# A question needs few of the 700 models of ADK and google.genai: each makes its validator when
# first used. With this the worker starts in 0.7 of the time and takes 14 MB less.
BaseModel.model_config["defer_build"] = True
