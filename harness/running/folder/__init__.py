"""The run folder: finished shards while a run goes on, then its tables and run.toml."""
