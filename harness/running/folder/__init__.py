"""The run folder: finished shards during a run, tables and run.toml after it."""
