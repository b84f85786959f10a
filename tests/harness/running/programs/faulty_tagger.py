"""A tagger that misbehaves: it marks words of capitals and digits; on a line that names a fault it does that.

A fault is named by ``=fault=`` in the line. Forms: sgml (lines to lines), numbered (with identifiers),
offsets and jsonl (numbered lines to places), conll.
"""

import atexit
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import sys
import threading
import time
import unicodedata
from pathlib import Path

NAME = re.compile(r"\b[A-Z][A-Z0-9]+\b")
FAULT = re.compile(r"=(\w+)=")

form = sys.argv[1] if len(sys.argv) > 1 else "sgml"
stdin = open(0, "rb", closefd=False)  # noqa: SIM115
out = open(1, "wb", closefd=False)  # noqa: SIM115


def mark(text):
    return NAME.sub(r"<gp>\g<0></gp>", text)


def answer(name, text):
    if form == "sgml":
        return mark(text) + "\n"
    if form == "numbered":
        return f"{name}\t{mark(text)}\n"
    if form == "offsets":
        return "".join(f"{name}\t{m.start()}\t{m.end()}\tgp\t{m[0]}\n" for m in NAME.finditer(text))
    if form == "jsonl":
        found = [{"start": m.start(), "end": m.end(), "type": "gp"} for m in NAME.finditer(text)]
        return json.dumps({"id": name, "mentions": found}) + "\n"
    if form == "conll":
        rows = [f"{t}\t{'B-gp' if NAME.fullmatch(t) else 'O'}\n" for t in re.findall(r"\w+|[^\w\s]", text)]
        return "".join(rows) + "\n"
    raise SystemExit(f"form {form}")


def misbehave(fault, name, text):
    """Do it; what is returned is printed in the answer's place."""
    usual = answer(name, text)
    if fault == "crash":
        raise RuntimeError("cannot cope with this")
    if fault == "exit":
        os._exit(7)
    if fault == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "abort":
        out.flush()
        os.abort()
    if fault == "null":
        ctypes.string_at(0)
    if fault in ("hang", "spin", "stubborn"):
        # who ends or interrupts it then need not guess when
        Path("hanging").touch()
    if fault == "hang":
        time.sleep(3600)
    if fault == "spin":
        while True:
            pass
    if fault == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        out.flush()
        while True:
            time.sleep(60)
    if fault == "memory":
        hoard = []
        while True:
            hoard.append(b"x" * 2**22)
    if fault == "flood":
        while True:
            out.write(b"all work and no play\n" * 5000)
    if fault == "disk_full":
        with Path("/dev/full").open("wb") as full:
            full.write(b"x" * 10000)
    if fault == "garbage":
        return "%%%% 17 @@ zz\n"
    if fault == "binary":
        return b"\xff\xfe\x80\x81 nonsense\n"
    if fault == "latin":
        return "d\u00e9j\u00e0 vu ".encode("latin-1") + usual.encode()
    if fault == "drop":
        return ""
    if fault == "blank":
        return f"{name}\t\n" if form == "numbered" else "\n"
    if fault == "twice":
        return usual + usual
    if fault == "noise":
        return "Loading model ... done\n" + usual
    if fault == "unasked":
        return usual + answer("999999", "p53 was NEVER asked for")
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
        stdin.read()
        return ""
    if fault == "retokenise":
        return re.sub(r"([^\w\s<>/])", r" \1 ", usual)
    if fault == "squeeze":
        return re.sub(r"[ \t]+", "", usual)
    if fault == "lower":
        return usual.lower()
    if fault == "escape":
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return mark(plain) + "\n"
    if fault == "decompose":
        return unicodedata.normalize("NFD", usual)
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
        return re.sub(r"<gp>(\w+)</gp>", r"<gp>\1 or its twin</gp> or its paralogue", usual, count=1)
    if fault == "misplace":
        return usual.replace("<gp>", "").replace("</gp>", "").replace("=misplace=", "=mis<gp></gp>place=")
    if fault == "another":
        return mark("An entirely different sentence about WEATHER and nothing else") + "\n"
    if fault in ("fork", "escape_group"):
        if os.fork() == 0:
            if fault == "escape_group":
                os.setsid()
            time.sleep(600)
            os._exit(0)
        return usual
    if fault == "close_stdin":
        os.close(0)
        return usual
    if fault == "outside":
        return f"{name}\t{len(text) + 5}\t{len(text) + 9}\tgp\t\n"
    if fault == "shifted":
        return "".join(f"{name}\t{m.start() + 1}\t{m.end() + 1}\tgp\t{m[0]}\n" for m in NAME.finditer(text))
    if fault == "negative":
        return f"{name}\t-3\t4\tgp\t\n"
    if fault == "words":
        return f"{name}\tone\ttwo\tgp\n"
    if fault == "broken_json":
        return '{"id": "' + name + '", "mentions": [\n'
    if fault == "wrong_keys":
        return json.dumps({"id": name, "mentions": [{"from": 1, "to": 2}]}) + "\n"
    if fault == "column":
        return "lonely\n" + usual
    if fault in PROCESS:
        PROCESS[fault]()
        return usual
    raise SystemExit(f"unknown fault {fault}")


def clean():
    for path in Path().iterdir():
        if not path.is_dir():
            path.unlink()


def vanish():
    shutil.rmtree(Path.cwd())


def nest():
    for _ in range(3000):
        Path("d").mkdir()
        os.chdir("d")


def lock():
    Path("a").mkdir()
    Path("a/b").write_text("x")
    os.mkfifo("a/pipe")
    Path("a/loop").symlink_to("loop")
    Path("a/up").symlink_to("..")
    Path("a").chmod(0)


def litter():
    Path("many").mkdir()
    for i in range(5000):
        Path(f"many/{i}").touch()


def loud():
    while True:
        sys.stderr.write("warning: all work and no play\n" * 5000)


def muffled():
    for _ in range(200):
        try:
            os.write(2, b"warning\n" * 5000)
        except OSError:
            break


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            os.execve("/bin/sleep", ["sleep", "600"], {})
        os._exit(0)
    os.wait()


def colours():
    raise SystemExit("\x1b[2J\x1b]0;mine\x07\x1b[31mcannot cope\x1b[0m")


def hoard_file():
    with Path("hoard").open("wb") as hoard:
        while True:
            hoard.write(b"x" * 2**20)


def late():
    atexit.register(os._exit, 3)


def truncate():
    out.flush()
    os.ftruncate(1, 0)


def rewind():
    out.flush()
    os.lseek(1, 0, os.SEEK_SET)


def handles():
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    kept = []
    while True:
        kept.append(os.open(os.devnull, os.O_RDONLY))


def recursion():
    recursion()


def brood():
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)


def freeze():
    Path("hanging").touch()
    os.kill(os.getpid(), signal.SIGSTOP)


def thread():
    own = threading.Thread(target=lambda: 1 / 0)
    own.start()
    own.join()


PROCESS = {
    "clean": clean, "vanish": vanish, "nest": nest, "lock": lock, "litter": litter, "loud": loud,
    "muffled": muffled, "daemon": daemon, "colours": colours, "hoard_file": hoard_file, "late": late,
    "truncate": truncate, "rewind": rewind, "handles": handles, "recursion": recursion, "brood": brood,
    "thread": thread, "wander": lambda: os.chdir("/"),
    "freeze": freeze,
    "kill_self": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "kill_group": lambda: os.killpg(0, signal.SIGKILL),
    "terminate": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "interrupt": lambda: os.killpg(0, signal.SIGINT),
    "orphan": lambda: os.kill(os.getppid(), signal.SIGKILL) or time.sleep(60),
    "close_stdout": lambda: os.close(1), "close_stderr": lambda: os.close(2),
}  # fmt: skip


def main():
    held = None
    with_names = form in ("numbered", "offsets", "jsonl")
    while True:
        line = stdin.readline()
        if not line:
            break
        text = line.decode().rstrip("\n")
        name, text = text.split("\t", 1) if with_names else ("", text)
        found = FAULT.search(text)
        fault = found[1] if found else ""
        if len(sys.argv) > 2 and fault in ("drop", "swallow", "swap", "join"):
            # it is asked one by one, and will not answer this
            Path("hanging").touch()
        if fault == "swap":
            held = answer(name, text)
            continue
        result = misbehave(fault, name, text) if fault else answer(name, text)
        out.write(result if isinstance(result, bytes) else result.encode())
        if held is not None:
            out.write(held.encode())
            held = None
        if len(sys.argv) > 2:
            out.flush()
    if held is not None:
        out.write(held.encode())
    out.flush()


main()
