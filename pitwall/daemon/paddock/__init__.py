"""Questions, jobs and the worker, while the car stands."""
