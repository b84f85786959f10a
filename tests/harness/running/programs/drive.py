"""Run a tagger in a process of its own that a test may kill: drive.py INPUT SPECIFICATION OUT JOBS BATCH."""

import sys

from tagsuite.harness.running.run import run

if __name__ == "__main__":
    run(
        sys.argv[1], sys.argv[2], sys.argv[3], jobs=int(sys.argv[4]), batch_size=int(sys.argv[5]), cache=False
    )
