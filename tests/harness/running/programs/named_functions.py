"""Functions as taggers: the first word of a text selects what the function does with it.

The module is imported in dozens of processes, so large libraries are imported only where they are needed.
"""

import contextlib
import os
import re
import sys
import time

__version__ = "0.3"


def spans(text):
    return [(m.start(), m.end(), "gp") for m in re.finditer(r"\b[A-Z]\w+", text)]


def _exit(text):
    sys.exit("enough")


def _raise(text):
    raise ValueError("no " + text)


def _memory(text):
    raise MemoryError


def _print(text):
    print('{"answers": [{"mentions": []}]}')
    os.write(1, b"by its number\n")
    return spans(text)


DOES = {
    "raise": _raise,
    "exit": _exit,
    "memory": _memory,
    "none": lambda text: None,
    "words": lambda text: "Wnt",
    "model": lambda text: 'Here they are:\n```json\n["Wnt", "Hedgehog"]\n```',
    "strings": lambda text: ["Wnt", {"text": "Notch", "type": "gp"}, "Wnt"],
    "mixed": lambda text: ["Wnt", (0, 5, "gp")],
    "beyond": lambda text: [(0, 3, "gp"), (2, 9999, "gp")],
    "far": lambda text: [(0, 2**40, "gp")],
    "print": _print,
    "generator": lambda text: (span for span in spans(text)),
    "nothing": lambda text: [],
}


def tag(text, *, shift: int = 0, kinds: list = (), upper=False):
    time.sleep(0.0)
    does = DOES.get(text.partition(" ")[0], spans)
    found = does(text)
    if shift:
        return [(start + shift, end + shift, kind) for start, end, kind in found]
    if kinds:
        return [(start, end, kind) for start, end, _ in found for kind in kinds]
    return found


def many(texts):
    return [tag(text) for text in texts]


async def later(text):
    import asyncio

    await asyncio.sleep(0)
    return tag(text)


def _fork(text):
    os.fork()
    return spans(text)


def _fork_lazily(text):
    os.fork()
    yield from spans(text)


def _fork_and_write(text):
    if not os.fork():
        _write(text)
        os._exit(0)
    return spans(text)


def _write(text):
    for place in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(place, b'{"answers": [{"mentions": []}]}\n{"mentions": []}\n{"begun": ')
    return spans(text)


def _read(text):
    sys.stdin.readline()
    os.read(0, 1 << 16)
    os.system("cat")
    return spans(text)


HOSTILE = {
    "fork": _fork,
    "fork_lazily": _fork_lazily,
    "fork_and_write": _fork_and_write,
    "write": _write,
    "read": _read,
}


def hostile(text):
    return HOSTILE.get(text.partition(" ")[0], spans)(text)


def hostile_many(texts):
    return [hostile(text) for text in texts]


def hangs(text):
    while text.startswith("hang"):
        time.sleep(3600)
    return spans(text)


def dies(texts):
    if any(text.startswith("die") for text in texts):
        os._exit(7)
    if any(text.startswith("hang") for text in texts):
        time.sleep(3600)
    return many(texts)


def slow(text):
    time.sleep(0.002)
    return spans(text)


class Model:
    def __init__(self, threshold):
        self.threshold = threshold

    def predict(self, text):
        return [{"start": s, "end": e, "label": k, "score": self.threshold} for s, e, k in spans(text)]

    __call__ = predict


model = Model(0.25)
no_function = 5
