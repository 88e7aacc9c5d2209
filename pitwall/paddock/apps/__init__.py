"""What ADK's own commands open: `adk web` lists the folders in here."""
