"""A question as a typed Query: read from words, evaluated over a stored session, answered in words."""
