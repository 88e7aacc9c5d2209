"""`pitwall run`: the daemon."""
