"""Read outputs of a size, each in a process of its own, and print the memory that each took at most.

``peaks.py LIMIT_MB [FILLER ...]``: for each form and filler, a line of form, filler's name and peak in MiB.
"""

import os
import resource
import sys

import numpy as np
from tagsuite.harness.running.inputs.cases import assemble
from tagsuite.harness.running.outputs import (  # noqa: F401
    conll,
    documents,
    names,
    offsets,
    place_offsets,
    sgml,
    token_tag,
)
from tagsuite.harness.running.outputs.parse import parse
from tagsuite.harness.running.specification.output import Output

limit = int(sys.argv[1])
SIZE = limit << 20
CASES = 200
numbers = [str(i + 1) for i in range(CASES)]
texts = [f"Case {i}: the β-form of GENE{i}A binds well.".encode() for i in range(CASES)]
everything = assemble(texts, np.arange(CASES, dtype=np.int64), numbers)
FILLERS = {
    "one line of a": "a",
    "one line of words": "the p53 gene ",
    "one line of tags": "<gp>x</gp>",
    "one line of less": "<",
    "one line of β": "β",
    "one line of 𝛼": "𝛼",
    "one line of entities": "&lt;",
    "empty lines": "\n",
    "short lines": "a\n",
    "short lines of 𝛼": "𝛼\n",
    "blanks": " ",
    "tags by the line": "<gp>x</gp>\n",
    "less by the line": "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<\n",
    "tokens": "a/B-gp b/O c/O\n",
    "columns": "a\tB-gp\n",
    "one token a record": "a\tB-gp\n\n",
    "rows": "1\t0\t4\tgp\n",
    "rows of nobody": "x\t0\t4\tgp\n",
    "objects": "{}\n",
    "records": '{"id":"1","mentions":[]}\n',
    "brackets": "[",
    "lists": "[],",
    "numbers": "1,",
    "strings": '"a",',
    "strings by the line": '["a"]\n',
    "elements": "<a/>",
    "nested": "<a>",
    "attributes": "<a b='c' d='e'/>",
    "bytes": b"\xff",
    "bytes by the line": b"\xff\n",
}
FORMS = {
    "sgml": {"form": "sgml"},
    "numbered": {"form": "sgml", "numbered": True},
    "marks": {"form": "sgml", "open": "<", "close": ">"},
    "latin": {"form": "sgml", "encoding": "latin-1"},
    "token_tag": {"form": "token_tag"},
    "conll": {"form": "conll"},
    "offsets": {"form": "offsets"},
    "jsonl": {"form": "jsonl"},
    "names": {"form": "names"},
    "pubtator": {"form": "pubtator"},
    "brat": {"form": "brat"},
    "bioc": {"form": "bioc"},
    "biocjson": {"form": "biocjson"},
}
WRAPS = {"names": (b"[", b'"a"]'), "bioc": (b"<c>", b"</c>"), "biocjson": (b"[", b"0]")}


def peak(form: str, filler: str | bytes, *, alone: bool) -> int:
    """MiB that a process of its own had at most."""
    inside, outside = os.pipe()
    child = os.fork()
    if child:
        os.close(outside)
        with os.fdopen(inside) as stream:
            said = stream.read()
        if os.waitpid(child, 0)[1] or not said:
            raise SystemExit(f"{form}: {filler!r}: the process failed")
        return int(said)
    one = filler if isinstance(filler, bytes) else filler.encode()
    head, tail = WRAPS.get(form, (b"", b""))
    content = head + one * (SIZE // len(one)) + tail
    sent = everything.take(np.array([0])) if alone else everything
    parse(content, Output.model_validate(FORMS[form]), sent, whole_case=alone, limit_mb=limit)
    os.write(outside, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024).encode())
    os._exit(0)


def main() -> None:
    for form in FORMS:
        for name, filler in FILLERS.items():
            if len(sys.argv) == 2 or name in sys.argv[2:]:
                print(form, name, peak(form, filler, alone=form == "brat"), sep="\t", flush=True)


if __name__ == "__main__":
    main()
