"""Every sentence and number that a driver hears or reads: one file a language. Imports nothing of ours."""
