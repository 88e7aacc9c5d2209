"""Sessions that open, go on and close."""
