"""Types that cross a boundary: status, questions, events, jobs, pushed batches, problems."""
