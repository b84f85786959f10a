"""Start the parts of a dask cluster, each in its own process, with dask and tagsuite loaded only once.

Each line of standard input is a JSON list of a kind and its arguments: `scheduler`, `worker ADDRESS FOLDER
[NAME=AMOUNT ...]`, or `kept ADDRESS FOLDER` (a worker with a supervisor process that restarts it). Each part
is a fork of this process. Each line of standard output gives the number of the part's process and its
address, or for a supervised worker the number of the worker's process. Ended parts are reaped immediately.
"""

import asyncio
import contextlib
import importlib
import json
import os
import signal
import sys

from distributed import Nanny, Scheduler, Worker

for module in ("cluster", "modes.files", "outputs.parse", "outputs.sgml"):
    # what each worker would load for itself
    importlib.import_module(f"tagsuite.harness.running.{module}")


async def scheduler():
    async with Scheduler(host="tcp://127.0.0.1", port=0, dashboard_address=None) as own:
        print(os.getpid(), own.address, flush=True)
        await own.finished()


async def worker(address, folder, *resources):
    amounts = {name: float(amount) for name, amount in (pair.split("=") for pair in resources)}
    async with Worker(address, nthreads=1, local_directory=folder, resources=amounts) as own:
        print(os.getpid(), os.getpid(), flush=True)
        await own.finished()


async def kept(address, folder):
    async with Nanny(address, nthreads=1, local_directory=folder) as own:
        print(os.getpid(), own.process.pid, flush=True)
        await own.finished()


def wait(*_):
    """Reap all parts that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, wait)
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            kind, *arguments = json.loads(line)
            asyncio.run({"scheduler": scheduler, "worker": worker, "kept": kept}[kind](*arguments))
            break
