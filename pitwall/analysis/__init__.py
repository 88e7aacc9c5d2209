"""What happened: pure functions over stored laps, tools for agents, and sentences that need no model."""
