"""How it sounds: phrases rendered to clips before the session, and the player that can be cut off."""
