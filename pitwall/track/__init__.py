"""Where the car is: geometry, map matching, lap timing, corners, building a track from laps."""
