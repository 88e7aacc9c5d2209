"""The crew chief off the track: ADK agents and pipelines. The only room that may import google.adk."""
