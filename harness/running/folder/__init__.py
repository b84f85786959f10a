"""Files of a run folder: finished shards during the run, and tables and run.toml after it."""
