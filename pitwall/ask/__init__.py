"""Read a question as a typed Query, evaluate it over a stored session, answer it in words."""
