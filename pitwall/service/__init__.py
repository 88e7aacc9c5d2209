"""The daemon that `pitwall run` starts: sources, session, voice, store and API, each restarted alone."""
