"""A hard question in stages: planned, worked through, checked against evidence, told with its queries."""
