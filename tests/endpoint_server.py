"""Chat endpoint for tests and benchmarks that marks capitalised words, with delays and faults on request.

``python endpoint_server.py [--port N] [--seconds S] [--faults SHARE] [--log FILE] [--form jsonl|names]``
prints its port. A text can request a fault for each call (``!500``) or for the first call (``!500-once``).
With `--faults`, each of four faults affects this share of all texts, once or twice, and one in fifty of
these texts at every call. Each request is written to the log before it is answered.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

ASKED = re.compile(r"!(\w+)(-once)?")
NAME = re.compile(r"\b[A-Z]\w+")
FAULTS = ("429", "500", "close", "half")
STUBBORN = 50
"""One in this number of faulty texts fails at every call."""


class Endpoint:
    """Server; `requests` has headers and body of each request, `spent` the number of tokens in replies."""

    def __init__(
        self, seconds: float = 0.0, faults: float = 0.0, log: IO[str] | None = None, form: str = "jsonl"
    ):
        self.seconds, self.faults, self.log, self.form = seconds, faults, log, form
        self.seen: Counter[str] = Counter()
        self.requests: list[tuple[dict[str, str], Any]] = []
        self.open = self.most_open = 0
        self.spent: Counter[str] = Counter()

    def fault(self, text: str) -> str:
        """Return the fault for a request, if any."""
        self.seen[text] += 1
        asked = ASKED.search(text)
        if asked:
            return "" if asked[2] and self.seen[text] > 1 else asked[1]
        draw = zlib.crc32(text.encode())
        kind = draw % 10_000 / 10_000 / self.faults if self.faults else len(FAULTS)
        if kind >= len(FAULTS):
            return ""
        more = draw // 10_000
        times = 10**9 if more % STUBBORN == 0 else 1 + more % 2
        return FAULTS[int(kind)] if self.seen[text] <= times else ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = json.loads(body)
        self.requests.append((headers, asked))
        if self.log is not None:
            self.log.write(body.decode() + "\n")
            self.log.flush()
        text = asked["messages"][-1]["content"] if "messages" in asked else asked["text"]
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            await asyncio.sleep(self.seconds)
            return await self._answer(writer, headers, text, self.fault(text))
        finally:
            self.open -= 1

    async def _answer(
        self, writer: asyncio.StreamWriter, headers: Mapping[str, str], text: str, fault: str
    ) -> bool:
        whole = self.reply(text)
        reply = json.dumps(whole).encode()
        if fault == "hang":
            await asyncio.sleep(3600)
        if fault == "close":
            return False
        if fault.isdecimal():
            said = json.dumps({"error": f"no: {headers.get('authorization', '')}"}).encode()
            more = "Retry-After: 0\r\n" if fault == "429" else ""
            await _send(writer, int(fault), said, len(said), more)
            return True
        if fault in ("json", "half"):
            part = reply[: len(reply) // 2]
            await _send(writer, 200, part, len(part) if fault == "json" else len(reply))
            return fault == "json"
        self.spent.update(whole["usage"] if self.form != "spans" else {})
        if fault in ("null", "blank"):
            whole["choices"][0]["message"]["content"] = None if fault == "null" else ""
        if fault == "empty":
            whole["choices"] = []
        reply = json.dumps(whole).encode()
        layers = {"gzip": 1, "stacked": 2, "bomb": 1}.get(fault, 0)
        if fault == "bomb":
            reply += b" " * (64 << 20)
        for _ in range(layers):
            reply = gzip.compress(reply)
        more = f"Content-Encoding: {', '.join(['gzip'] * layers)}\r\n" if layers else ""
        await _send(writer, 500 if fault == "paid" else 200, reply, len(reply), more)
        if fault in ("twice", "later"):
            await asyncio.sleep(0.05 if fault == "later" else 0)
            await _send(writer, 200, reply, len(reply))
        return True

    def reply(self, text: str) -> Any:
        """Return the reply to a text: a chat completion, or a list of spans if the form is ``spans``."""
        if self.form == "spans":
            return [
                {"span": {"begin": m.start(), "end": m.end()}, "ids": ["X:1"]} for m in NAME.finditer(text)
            ]
        mentions = [{"start": m.start(), "end": m.end(), "type": "gp"} for m in NAME.finditer(text)]
        content = json.dumps({"mentions": mentions})
        if self.form == "names":
            content = json.dumps({"mentions": NAME.findall(text)})
        usage = {"prompt_tokens": len(text.split()), "completion_tokens": len(content.split())}
        return {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": usage}


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes, length: int, more: str = "") -> None:
    head = f"HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


async def run(endpoint: Endpoint, port: int = 0, started: Any = None) -> None:
    """Serve until cancelled; `started` is called with the port."""
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", port)
    started(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--faults", type=float, default=0.0)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--form", choices=("jsonl", "names", "spans"), default="jsonl")
    given = parser.parse_args()
    log = given.log.open("a", encoding="utf-8") if given.log else None
    endpoint = Endpoint(given.seconds, given.faults, log, given.form)
    asyncio.run(run(endpoint, given.port, lambda port: print(port, flush=True)))


if __name__ == "__main__":
    main()
