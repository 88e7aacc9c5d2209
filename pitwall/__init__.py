"""Pitwall: a racing coach that lives on the phone in the car."""

__version__ = "0.1.0"
