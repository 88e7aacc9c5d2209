"""Serve the loopback API: what others than the driver may ask of the daemon, or hand it."""
