"""The loopback API: what anyone beside the driver may ask of the daemon, or hand it."""
