"""The way in: the queue, the sources, the pushed batches, and what is shed when."""
