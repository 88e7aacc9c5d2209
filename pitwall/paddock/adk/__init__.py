"""All that imports google.adk: the model, agents and workflows made of the roster, their runs and limits."""
