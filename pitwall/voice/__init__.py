"""Sound: phrases are rendered to clips before the session; the player plays them and can cut off."""
