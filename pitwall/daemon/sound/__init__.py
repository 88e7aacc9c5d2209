"""The voice and the words it has."""
