"""Faults of the misbehaving tagger, by name; each gets a case and its text.

The module is loaded thousands of times, so imports that only some faults need are inside their functions.
"""

import os
import sys
import time


def misbehave(tagger, fault, name, text):
    """Carry out a fault; return the text that replaces the answer."""
    usual, out = tagger.answer(name, text), tagger.out
    if fault == "crash":
        raise RuntimeError("cannot cope with this")
    if fault == "segfault":
        kill(os.getpid(), "SIGSEGV")
    if fault == "hang":
        # who ends or interrupts it then need not guess when
        os.close(os.open("hanging", os.O_CREAT | os.O_WRONLY))
        time.sleep(3600)
    if fault == "memory":
        hoard = []
        while True:
            hoard.append(b"x" * 2**22)
    if fault == "flood":
        while True:
            out.write(b"all work and no play\n" * 5000)
    if fault == "disk_full":
        with open("/dev/full", "wb") as full:  # noqa: PTH123
            full.write(b"x" * 10000)
    if fault == "garbage":
        return "%%%% 17 @@ zz\n"
    if fault == "binary":
        return b"\xff\xfe\x80\x81 nonsense\n"
    if fault == "drop":
        return ""
    if fault == "blank":
        return f"{name}\t\n" if tagger.form == "numbered" else "\n"
    if fault == "twice":
        return usual + usual
    if fault == "noise":
        return "Loading model ... done\n" + usual
    if fault == "unasked":
        return usual + tagger.answer("999999", "p53 was NEVER asked for")
    if fault == "chatter":
        sys.stderr.write("warning: something\n" * 20000)
        return usual
    if fault == "stop":
        out.flush()
        os._exit(0)
    if fault == "stop_inside":
        out.write(text[: len(text) // 2].encode())
        out.flush()
        os._exit(0)
    if fault == "unbalanced":
        return usual.replace("</gp>", "", 1)
    if fault == "swallow":
        # everything from here on is read and forgotten
        tagger.stdin.read()
        return ""
    if fault == "retokenise":
        import re

        return re.sub(r"([^\w\s<>/])", r" \1 ", usual)
    if fault == "ascii":
        return usual.encode("ascii", "replace")
    if fault == "quotes":
        return usual.replace('"', "``").replace("(", "-LRB-").replace(")", "-RRB-")
    if fault == "split":
        return usual.replace(". ", ".\n")
    if fault == "join":
        return usual.rstrip("\n") + " "
    if fault == "crlf":
        return usual.replace("\n", "\r\n")
    if fault == "rewrite":
        import re

        return re.sub(r"<gp>(\w+)</gp>", r"<gp>\1 or its twin</gp> or its paralogue", usual, count=1)
    if fault == "misplace":
        return usual.replace("<gp>", "").replace("</gp>", "").replace("=misplace=", "=mis<gp></gp>place=")
    if fault == "another":
        return tagger.mark("An entirely different sentence about WEATHER and nothing else") + "\n"
    if fault == "fork":
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        return usual
    if fault == "outside":
        return f"{name}\t{len(text) + 5}\t{len(text) + 9}\tgp\t\n"
    if fault == "shifted":
        return "".join(f"{name}\t{a + 1}\t{b + 1}\tgp\t{text[a:b]}\n" for a, b in tagger.names(text))
    if fault == "negative":
        return f"{name}\t-3\t4\tgp\t\n"
    if fault == "words":
        return f"{name}\tone\ttwo\tgp\n"
    if fault == "broken_json":
        return '{"id": "' + name + '", "mentions": [\n'
    if fault == "wrong_keys":
        return f'{{"id": "{name}", "mentions": [{{"from": 1, "to": 2}}]}}\n'
    if fault == "column":
        return "lonely\n" + usual
    if fault in PROCESS:
        PROCESS[fault](out)
        return usual
    raise SystemExit(f"unknown fault {fault}")


def clean(_):
    from pathlib import Path

    for path in Path().iterdir():
        if not path.is_dir():
            path.unlink()


def vanish(_):
    import shutil
    from pathlib import Path

    shutil.rmtree(Path.cwd())


def nest(_):
    from pathlib import Path

    # deeper than Python calls itself, and a path longer than the system takes
    for _ in range(1100):
        Path("deep").mkdir()
        os.chdir("deep")


def lock(_):
    from pathlib import Path

    Path("a").mkdir()
    Path("a/b").write_text("x")
    os.mkfifo("a/pipe")
    Path("a/loop").symlink_to("loop")
    Path("a/up").symlink_to("..")
    Path("a").chmod(0)


def loud(_):
    while True:
        sys.stderr.write("warning: all work and no play\n" * 5000)


def muffled(_):
    for _ in range(200):
        try:
            os.write(2, b"warning\n" * 5000)
        except OSError:
            break


def daemon(_):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            os.execve("/bin/sleep", ["sleep", "600"], {})
        os._exit(0)
    os.wait()


def hoard_file(_):
    from pathlib import Path

    with Path("hoard").open("wb") as hoard:
        while True:
            hoard.write(b"x" * 2**20)


def late(_):
    import atexit

    atexit.register(os._exit, 3)


def truncate(out):
    out.flush()
    os.ftruncate(1, 0)


def rewind(out):
    out.flush()
    os.lseek(1, 0, os.SEEK_SET)


def brood(_):
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)


def freeze(_):
    os.close(os.open("hanging", os.O_CREAT | os.O_WRONLY))
    kill(os.getpid(), "SIGSTOP")


def kill(pid, name):
    import signal

    os.kill(pid, getattr(signal, name))


PROCESS = {
    "clean": clean, "vanish": vanish, "nest": nest, "lock": lock, "loud": loud, "muffled": muffled,
    "daemon": daemon, "hoard_file": hoard_file, "late": late, "truncate": truncate,
    "rewind": rewind, "brood": brood, "wander": lambda _: os.chdir("/"), "freeze": freeze,
    "kill_self": lambda _: kill(os.getpid(), "SIGKILL"),
    "kill_group": lambda _: kill(0, "SIGKILL"),
    "orphan": lambda _: kill(os.getppid(), "SIGKILL") or time.sleep(60),
    "close_stdout": lambda _: os.close(1), "close_stderr": lambda _: os.close(2),
}  # fmt: skip
