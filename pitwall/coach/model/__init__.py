"""The LiteRT tier: a small network that forecasts the next seconds of the drive, next to the rules."""
