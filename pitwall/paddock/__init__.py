"""The paddock: ADK agents, pipelines and jobs. Only this package may import google.adk."""
