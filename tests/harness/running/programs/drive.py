"""Run a tagger in a process that ends itself by a signal at a given point of the run.

drive.py INPUT SPECIFICATION OUT JOBS BATCH [SIGNAL cases|steps NUMBER]
drive.py -

``cases``: end after NUMBER finished cases. ``steps``: end at the NUMBER-th operation that creates, opens,
renames or removes a file in the run folder. Both depend only on the work, not on speed. At the end, the
number of steps is printed. With ``-``, each line of standard input contains the arguments of a run as a JSON
list; a fork of this process runs it, so that the libraries are loaded only once, and its exit code is printed
after it has ended.
"""

import glob
import importlib
import json
import os
import signal
import sys
import threading
import time

from tagsuite.harness.running.run import run

for module in (
    "pyarrow.parquet",
    "tagsuite.harness.running.folder.writer",
    "tagsuite.harness.running.modes.files",
    "tagsuite.harness.running.outputs.parse",
    "tagsuite.harness.running.outputs.sgml",
    "tagsuite.sentences.formats.sgml",
):
    # what each run would load for itself
    importlib.import_module(module)


def asked():
    """Return the arguments of the run for this process."""
    if sys.argv[1:] != ["-"]:
        return sys.argv[1:]
    for line in sys.stdin:
        copy = os.fork()
        if copy == 0:
            return json.loads(line)
        print("exit code", os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
    raise SystemExit


source, tagger, out, jobs, batch, *stop = asked()
name, kind, number = (stop[0], stop[1], int(stop[2])) if stop else ("SIGKILL", "", 0)
EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "subprocess.Popen"}
steps = 0
lock = threading.Lock()


def end() -> None:
    os.kill(os.getpid(), getattr(signal, name))


def end_in_the_middle() -> None:
    """End this process while its tagger hangs."""
    # unlike Path.glob it does not mind folders that go meanwhile
    while not glob.glob(f"{out}/.shards/work*/try*/hanging", include_hidden=True):  # noqa: PTH207
        time.sleep(0.01)
    end()


def step(event, arguments):
    global steps
    if event not in EVENTS or not (event == "subprocess.Popen" or out in str(arguments[0])):
        return
    with lock:
        steps += 1
        reached = kind == "steps" and steps == number
    if reached:
        end()


def progress(done, count):
    global kind
    if kind == "cases" and done >= number:
        kind = ""
        # beside the run, which goes on: the tagger that is awaited may not have been started yet
        threading.Thread(target=end_in_the_middle, daemon=True).start() if name == "SIGINT" else end()


if __name__ == "__main__":
    # a shell's background job would ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.addaudithook(step)
    run(source, tagger, out, jobs=int(jobs), batch_size=int(batch), cache=False, progress=progress)
    print(steps)
