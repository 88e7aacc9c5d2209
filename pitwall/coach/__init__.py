"""Defines what to say and when: rules, voice scripts, lead time, arbiter, ledger."""
