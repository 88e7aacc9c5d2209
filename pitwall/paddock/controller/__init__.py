"""Durable work in seven phases: discover, plan, execute, verify, commit, reflect, decide."""
