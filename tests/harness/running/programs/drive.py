"""Run a tagger in a process of its own, which ends itself by a signal when the run has come so far.

drive.py INPUT SPECIFICATION OUT JOBS BATCH [SIGNAL cases|steps NUMBER]
drive.py -

``cases``: as soon as so many cases are done. ``steps``: at the so manyth time that something is made, opened,
renamed or removed in the run folder. Either depends on the work alone, not on how fast it is. At the end the
number of steps is printed. Many runs need not load the libraries each: with ``-``, each line of standard
input has the arguments of a run, as a JSON list. It is run by a copy of this process that was made before
anything was done in it, and its exit code is printed when it has ended.
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
    """The arguments of the run that this process makes."""
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
    """A tagger that hangs says so; it is interrupted then."""
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
