"""A misbehaving tagger: it marks words of capitals and digits, and carries out the fault that a line names.

A line names a fault as ``=fault=``. Forms: sgml (lines to lines), numbered (with identifiers), offsets and
jsonl (numbered lines to offsets), conll.

The tagger is started thousands of times, so it imports very little; the faults are in faults.py, which is
imported at the first fault.
"""

import sys

form = sys.argv[1] if len(sys.argv) > 1 else "sgml"
stdin = open(0, "rb", closefd=False)  # noqa: SIM115
out = open(1, "wb", closefd=False)  # noqa: SIM115

CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
LATER = CAPITALS | frozenset("0123456789")


def is_word(text):
    return text.replace("_", "a").isalnum()


def is_name(word):
    return len(word) > 1 and word[0] in CAPITALS and LATER.issuperset(word)


def words(text):
    """Yield start and end of each word of letters, digits and underscores."""
    start = 0
    for end, character in enumerate(f"{text} "):
        if not is_word(character):
            if end > start:
                yield start, end
            start = end + 1


def names(text):
    return [(start, end) for start, end in words(text) if is_name(text[start:end])]


def mark(text):
    parts, done = [], 0
    for start, end in names(text):
        parts += [text[done:start], "<gp>", text[start:end], "</gp>"]
        done = end
    return "".join(parts) + text[done:]


def answer(name, text):
    if form == "sgml":
        return mark(text) + "\n"
    if form == "numbered":
        return f"{name}\t{mark(text)}\n"
    if form == "offsets":
        return "".join(f"{name}\t{s}\t{e}\tgp\t{text[s:e]}\n" for s, e in names(text))
    if form == "jsonl":
        found = ", ".join(f'{{"start": {s}, "end": {e}, "type": "gp"}}' for s, e in names(text))
        return f'{{"id": "{name}", "mentions": [{found}]}}\n'
    if form == "conll":
        import re

        tokens = re.findall(r"\w+|[^\w\s]", text)
        return "".join(f"{t}\t{'B-gp' if is_name(t) else 'O'}\n" for t in tokens) + "\n"
    raise SystemExit(f"form {form}")


def named_fault(text):
    return next((part for part in text.split("=")[1:-1] if is_word(part)), "")


def misbehave(fault, name, text):
    """Carry out a fault; return the text that replaces the answer."""
    sys.path.insert(0, __file__.rpartition("/")[0])
    import faults

    return faults.misbehave(sys.modules[__name__], fault, name, text)


def main():
    held = None
    with_names = form in ("numbered", "offsets", "jsonl")
    while True:
        line = stdin.readline()
        if not line:
            break
        text = line.decode().rstrip("\n")
        name, text = text.split("\t", 1) if with_names else ("", text)
        fault = named_fault(text)
        if len(sys.argv) > 2 and fault in ("drop", "swallow", "swap", "join"):
            # it is asked one by one, and will not answer this
            with open("hanging", "w"):  # noqa: PTH123
                pass
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


if __name__ == "__main__":
    main()
