"""The paddock: agents, pipelines and jobs, with and without a model."""
