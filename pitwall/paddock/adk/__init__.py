"""All that imports google.adk: the model, agents and workflows made of the roster, their runs and limits."""

import sys
from importlib.util import find_spec

# For each node that it builds ADK looks for an agent of its optional part `a2a`. A failed import is not
# remembered: without this entry each costs a millisecond of a desktop.
if find_spec("a2a") is None:
    sys.modules["google.adk.agents.remote_a2a_agent"] = None  # type: ignore[assignment]
