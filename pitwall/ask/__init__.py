"""A question as a typed Query: read, evaluated over the stored session, and told."""
