"""What the daemon and the paddock's worker process say to each other: types and framing, nothing else."""
