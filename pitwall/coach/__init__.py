"""The coach: rules, voice scripts, lead time, arbiter, ledger."""
