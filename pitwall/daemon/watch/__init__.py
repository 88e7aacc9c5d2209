"""Disk, phone, memory and the lag of the event loop."""
