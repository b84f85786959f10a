"""Taggers behind HTTP: requests, replies, retries, stored replies, and secrets that are never written."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from endpoint_server import Endpoint  # type: ignore[import-not-found]  # beside the tests' rooms
from endpoint_server import run as serve

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.run import run

from .conftest import eventually

RunOn = Callable[..., Run]
WriteCorpus = Callable[..., str]
KEY = "sk-a-key-that-nobody-may-see"
CHAT = 'preset = "openai"\nmodel = "m"\n'


@pytest.fixture
def server() -> Iterator[SimpleNamespace]:
    """Start an endpoint for the test; its `port` and the serving object `asked` are attributes."""
    endpoint = Endpoint()
    loop = asyncio.new_event_loop()
    found: list[int] = []
    ready = threading.Event()

    def started(port: int) -> None:
        found.append(port)
        ready.set()

    def work() -> None:
        asyncio.set_event_loop(loop)
        task = loop.create_task(serve(endpoint, 0, started))
        loop.run_forever()
        task.cancel()
        for left in asyncio.all_tasks(loop):
            left.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    yield SimpleNamespace(port=found[0], asked=endpoint)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def specification(
    folder: Path,
    port: int,
    http: str = CHAT,
    *,
    top: str = "",
    rest: str = '[output]\nform = "jsonl"\n',
    case: float = 20,
) -> Path:
    path = folder / "endpoint.toml"
    path.write_text(
        f'format = 1\nname = "endpoint"\nversion = "1"\nmode = "http"\n{top}\n'
        f'[http]\nurl = "http://127.0.0.1:{port}/v1/chat/completions"\nbackoff = 0.01\n{http}\n{rest}'
        f"[limits]\ncase = {case}\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def ask(tmp_path: Path, run_on: RunOn, server: SimpleNamespace) -> RunOn:
    """Return a function that runs sentences on the test's endpoint, with changes to specification or run."""

    def make(texts: list[str], http: str = CHAT, out: str = "run", **options: Any) -> Run:
        shape = {name: options.pop(name) for name in ("top", "rest", "case") if name in options}
        return run_on(texts, specification(tmp_path, server.port, http, **shape), out, **options)

    return make


def spans(done: object) -> list[list[int]]:
    frame: pd.DataFrame = done.predictions  # type: ignore[attr-defined]
    return frame.assign(text_id=frame["text_id"].astype(int))[["text_id", "start", "end"]].to_numpy().tolist()


BODIES = [
    (CHAT, {"model": "m", "messages": [{"role": "user", "content": "a Wnt"}]}, "the text alone"),
    (
        CHAT + 'system = "Genes."\nprompt = "{{ id }}: {{ text }}"\ntemperature = 0\n',
        {"model": "m", "temperature": 0.0,
         "messages": [{"role": "system", "content": "Genes."}, {"role": "user", "content": "1: a Wnt"}]},
        "messages are templates",
    ),
    (
        CHAT + '[http.schema]\ntype = "object"\n',
        {"model": "m", "messages": [{"role": "user", "content": "a Wnt"}],
         "response_format": {"type": "json_schema", "json_schema": {
             "name": "mentions", "schema": {"type": "object"}, "strict": True}}},
        "an answer that follows a schema",
    ),
    (
        """body = '{"text": {{ text | tojson }}, "n": 1}'\nanswer = "choices.0.message.content"\n""",
        {"text": "a Wnt", "n": 1}, "a body of one's own",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("http", "body", "why"), BODIES, ids=[b[2] for b in BODIES])
def test_what_is_sent(http: str, body: object, why: str, server: SimpleNamespace, ask: RunOn) -> None:
    ask(["a Wnt"], http)
    assert [sent for _, sent in server.asked.requests] == [body], why


FAULTY = [
    ("!429-once Wnt", "ok", 2, "", "asked again after a pause"),
    ("!empty-once Wnt", "ok", 2, "", "no answer in it, asked again"),
    ("!500 Wnt", "crash", 3, "status 500, 3 tries", "never answered"),
    ("!400 Wnt", "crash", 1, "status 400", "the same again would be of no use"),
    ("!307 Wnt", "crash", 1, "status 307", "headers go to nobody else"),
    ("!close Wnt", "crash", 3, "the connection was closed without a reply, 3 tries", "always hung up"),
    ("!half Wnt", "garbage", 3, "the reply is cut off, 3 tries", "always cut off"),
    ("!json Wnt", "garbage", 3, "the reply is not valid JSON (unexpected end of data), 3 tries", "cut"),
    ("!null Wnt", "garbage", 3, "the reply has no choices.0.message.content: it is null, 3 tries", "null"),
    ("!hang Wnt", "timeout", 3, "no reply within the time limit, 3 tries", "never a reply"),
    ("!gzip Wnt", "ok", 1, "", "compressed although nobody asked for it"),
    ("!stacked Wnt", "garbage", 1,
     "the content encoding of the reply is not gzip and was not requested", "compressed twice"),
    ("!bomb Wnt", "flood", 1, "the reply is larger than 16 MiB", "64 MiB when decompressed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "outcome", "requests", "said", "why"), FAULTY, ids=[f[0] + f[4] for f in FAULTY]
)
def test_faults_are_tried_again_and_told(
    text: str, outcome: str, requests: int, said: str, why: str, tmp_path: Path,
    server: SimpleNamespace, ask: RunOn,
) -> None:  # fmt: skip
    case = 1.0 if "hang" in text else 60.0
    done = ask(["a Wnt", text, "Notch"], CHAT + "tries = 3\n", case=case)
    assert done.outcomes["outcome"].tolist() == ["ok", outcome, "ok"], why
    assert server.asked.seen[text] == requests
    assert done.outcomes["reason"].fillna("")[1].startswith(said)
    assert done.costs is not None
    assert done.costs["attempts"].tolist() == [1, requests, 1]


def test_a_window_of_requests_is_in_flight(server: SimpleNamespace, ask: RunOn) -> None:
    server.asked.seconds = 0.1
    texts = [f"Gene{i} here" for i in range(60)]
    done = ask(texts, CHAT + "in_flight = 7\n")
    assert server.asked.most_open == 7
    assert spans(done) == [[i, 0, len(f"Gene{i}")] for i in range(60)]


def test_a_rate_is_kept(ask: RunOn) -> None:
    done = ask([f"Gene{i}" for i in range(11)], CHAT + "per_minute = 600\n")
    assert json.loads((done.folder / "timings.json").read_text())["seconds"] >= 1.0, (
        "a tenth of a second each"
    )


def test_the_same_bytes_for_any_window_jobs_and_batches(
    tmp_path: Path, corpus: WriteCorpus, server: SimpleNamespace
) -> None:
    texts = [f"{'!500 ' if i % 10 == 3 else ''}Gene{i} and {'Notch' * (i % 3)}" for i in range(40)]
    source = corpus(texts)
    kept = []
    for number, (flight, jobs) in enumerate([(1, 1), (16, 1), (16, 3)]):
        # what is in flight is said beside the file, which would be another tagger otherwise
        spec = specification(tmp_path, server.port, CHAT + f"tries = 2\nin_flight = {flight}\n")
        done = run(source, spec, tmp_path / f"run{number}", jobs=jobs, batch_size=9, cache=False)
        names = ("predictions.parquet", "outcomes.parquet")
        kept.append([(done.folder / name).read_bytes() for name in names])
    assert kept[0] == kept[1] == kept[2]


def test_nothing_is_asked_twice(tmp_path: Path, corpus: WriteCorpus, server: SimpleNamespace) -> None:
    spec = specification(tmp_path, server.port, CHAT + "tries = 1\n")
    source = corpus(["a Wnt", "a Wnt", "!500 no", "Notch"])
    run(source, spec, tmp_path / "one")
    assert server.asked.seen == {"a Wnt": 1, "!500 no": 1, "Notch": 1}, "the same request once"
    again = run(source, spec, tmp_path / "two")
    assert server.asked.seen == {"a Wnt": 1, "!500 no": 2, "Notch": 1}, "a fault is no reply to keep"
    costs = pd.read_parquet(tmp_path / "two" / "costs.parquet")
    assert costs["attempts"].tolist() == [0, 0, 1, 0]
    assert costs["input_tokens"].tolist()[:2] == [2, 0], "one request, counted once"
    assert spans(again) == [[0, 2, 5], [1, 2, 5], [3, 0, 5]]
    run(source, spec, tmp_path / "three", cache=False)
    assert server.asked.seen["Notch"] == 2, "--no-cache asks"
    fresh = specification(tmp_path, server.port, CHAT + "tries = 1\n", top="cache = false")
    kept = tmp_path / "cache" / "replies.sqlite"
    kept.unlink()
    run(source, fresh, tmp_path / "four")
    assert server.asked.seen["Notch"] == 3
    assert not kept.exists()


def test_damaged_replies_are_said_and_asked_again(
    tmp_path: Path, ask: RunOn, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "cache" / "replies.sqlite"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"no database " * 100)
    assert ask(["a Wnt"]).outcome_counts == {"ok": 1}
    assert "replies.sqlite" in capsys.readouterr().err


def test_a_key_is_sent_and_written_nowhere(
    tmp_path: Path, server: SimpleNamespace, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str], ask: RunOn,
) -> None:  # fmt: skip
    """Errors of the endpoint repeat the key; the stored replies to failed cases omit it."""
    monkeypatch.setenv("A_KEY", KEY)
    http = (
        CHAT
        + 'tries = 2\nheaders = { Authorization = "Bearer {env:A_KEY}" }\n'
        + 'optional_headers = { X = "{env:NO}" }\n'
    )
    replies = ask(["Notch", "!400 Wnt", "!500 Wnt", "!null Wnt", "!json Wnt"], http).replies
    headers = server.asked.requests[0][0]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "x" not in headers, "its variable is not set"
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in "".join(capfd.readouterr())
    assert "[hidden]" in (tmp_path / "run" / "run.toml").read_text(), "the endpoint repeated it"
    assert replies is not None
    kept = dict(zip(replies["case_id"], replies["reply"], strict=True))
    assert sorted(kept) == ["1", "2", "3", "4"]
    assert "[hidden]" in kept["1"]
    assert "[hidden]" in kept["2"]
    assert json.loads(kept["3"])["choices"][0]["message"]["content"] is None
    assert kept["4"].startswith('{"choices"')


def test_an_endpoint_that_is_not_there_ends_the_run(tmp_path: Path, run_on: RunOn) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        spec = specification(tmp_path, port, CHAT + "tries = 2\n")
        texts = [f"Gene{i}" for i in range(50)]
        for number, jobs in enumerate((1, 3)):
            run_on(texts, spec, f"run{number}", jobs=jobs, batch_size=10)
    kept = [(tmp_path / f"run{n}" / "run.toml").read_bytes() for n in (0, 1)]
    assert kept[0] == kept[1]
    assert b"abandoned = 50" in kept[0]
    assert b"no connection to the endpoint, 2 tries" in kept[0]


REFUSED = [
    ('command = ["x"]', CHAT, "command: not allowed in mode 'http'", "a program has no place"),
    ("", 'model = "m"\n', "http.body: set either http.body or http.preset", "neither body nor preset"),
    ("", CHAT + 'body = "x"\n', "http.body: set either http.body or http.preset", "both"),
    ("", 'preset = "openai"\n', "http.model: required", "a chat without model"),
    ("", CHAT + 'prompt = "{{ text"\n', "http.prompt: the template is not valid Jinja2", "no template"),
    ("", CHAT + 'headers = { A = "{env:NOT_SET_AT_ALL}" }\n', "NOT_SET_AT_ALL is not set", "no key"),
    ("", CHAT + 'headers = { A = "{env:A_KEY}" }\n', "http.headers.A: invalid name or value", "a line break"),
    ("", CHAT + "prompt = \"{{ ''.__class__.__mro__ }}\"\n", "the sandbox forbids", "private attributes"),
    ("", CHAT + 'prompt = "{{ nothing }}"\n', "the template fails", "an unknown variable"),
]


@pytest.mark.parametrize(("top", "http", "message", "why"), REFUSED, ids=[r[3] for r in REFUSED])
def test_bad_tables_are_refused(
    top: str, http: str, message: str, why: str,
    tmp_path: Path, run_on: RunOn, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("A_KEY", f"{KEY}\nmore")
    with pytest.raises(InputError) as caught:
        run_on(["a"], specification(tmp_path, 1, http, top=top))
    assert message in str(caught.value), why
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["ftp://x/", "localhost:8000/v1", "http://", "http://a b/", "http://me:pw@x/"]
)
def test_bad_addresses_are_refused(url: str, tmp_path: Path, run_on: RunOn) -> None:
    spec = specification(tmp_path, 1)
    spec.write_text(spec.read_text().replace("http://127.0.0.1:1/v1/chat/completions", url))
    with pytest.raises(InputError, match=r"http\.url"):
        run_on(["a"], spec)


# text, requests that are answered, what is special
PAID = [
    ("a Wnt here", 1, "answered"),
    ("!blank one", 1, "an empty answer"),
    ("!null-once Wnt more", 2, "no content the first time"),
    ("!paid-once Wnt", 2, "an error that was paid for"),
    ("!paid Wnt", 3, "never anything else"),
    ("a Wnt here", 0, "the same request again"),
    ("no", 1, "nothing found"),
]


@pytest.mark.parametrize("batch_size", [None, 2])
def test_each_answered_request_is_counted_once(
    batch_size: int | None, server: SimpleNamespace, ask: RunOn
) -> None:
    http = CHAT + "tries = 3\nprice_in = 1e6\nprice_out = 0.0\n"
    costs = ask([text for text, *_ in PAID], http, batch_size=batch_size, cache=False).costs
    assert costs is not None
    assert costs["attempts"].tolist() == [number for _, number, _ in PAID]
    assert costs["input_tokens"].tolist() == [number * len(text.split()) for text, number, _ in PAID]
    assert costs["price"].sum() == costs["input_tokens"].sum() == server.asked.spent["prompt_tokens"]
    assert costs["output_tokens"].sum() == server.asked.spent["completion_tokens"]


@pytest.mark.parametrize("fault", ["twice", "later"])
def test_a_second_response_is_no_answer_to_the_next_request(fault: str, ask: RunOn) -> None:
    texts = [f"{'!' + fault if i % 3 == 1 else 'a'} Gene{'x' * i}" for i in range(12)]
    done = ask(texts, CHAT + "in_flight = 1\n")
    assert done.outcome_counts == {"ok": 12}
    assert spans(done) == [[i, text.index("G"), len(text)] for i, text in enumerate(texts)]


def test_replies_stand_in_the_file_at_once(
    tmp_path: Path, corpus: WriteCorpus, server: SimpleNamespace
) -> None:
    server.asked.seconds = 0.05
    spec = specification(tmp_path, server.port, CHAT + "in_flight = 1\n")
    source = corpus([f"Gene{i}" for i in range(20)])
    work = threading.Thread(target=run, args=(source, spec, tmp_path / "run"), kwargs={"cache": False})
    work.start()
    file = tmp_path / "run" / ".shards" / "replies.sqlite"

    def kept() -> int:
        try:
            with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as replies:
                return int(replies.execute("SELECT count(*) FROM replies").fetchone()[0])
        except sqlite3.Error:
            return 0

    assert eventually(lambda: 0 < kept() < 20 or not work.is_alive())
    assert work.is_alive(), "it was seen while the run went on"
    work.join()


def test_each_repetition_asks_anew(tmp_path: Path, corpus: WriteCorpus, server: SimpleNamespace) -> None:
    spec = specification(tmp_path, server.port)
    source = corpus(["a Wnt", "Notch"])
    for repeat in (1, 2, 2):
        run(source, spec, tmp_path / f"run-{repeat}", repeat=repeat)
    assert len(server.asked.requests) == 4, "the second repetition asks again, and is then finished"


RUNNER = """import json, pathlib, re, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for line in reversed(lines):
        assert line["method"] == "POST" and line["url"] == "/v1/chat/completions"
        text = line["body"]["messages"][-1]["content"]
        found = [{"start": m.start(), "end": m.end()} for m in re.finditer(r"\\b[A-Z]\\w+", text)]
        body = {"choices": [{"message": {"content": json.dumps({"mentions": found})}}]}
        if "Notch" not in text:
            body["usage"] = {"prompt_tokens": len(text), "completion_tokens": 7}
        record = {"id": "x", "custom_id": line["custom_id"], "error": None,
                  "response": {"status_code": 200, "request_id": "y", "body": body}}
        if "!error" in text:
            record.update(response=None, error={"message": "no room"})
        if "!500" in text:
            record["response"] = {"status_code": 500, "body": {"error": "down"}}
        if "!none" in text:
            body["choices"] = []
        if "!left" in text:
            continue
        if "!bad" in text:
            body["choices"][0]["message"]["content"] = "Sure! Here they are"
        print(json.dumps(record), file=out)
        with pathlib.Path(__file__).with_name("served").open("a") as served:
            paid = record["response"] and "usage" in record["response"]["body"]
            print(len(text) if paid else 0, file=served)
        if "!twice" in text:
            print(json.dumps(record), file=out)
"""
BATCH = [
    ("a Wnt", "ok", "", "answered"),
    ("!error Wnt", "crash", 'no response: {"message":"no room"}', "the runner's error"),
    ("!500 Wnt", "crash", 'status 500: {"error":"down"}', "the endpoint's error"),
    ("!none Wnt", "garbage", "there is no '0' in a list of length 0", "no answer in its line"),
    ("!bad Wnt", "garbage", "not valid JSON", "an answer of another form"),
    ("!twice Wnt", "duplicate", "", "two lines of one case"),
    ("!left Wnt", "short", "", "no line of its own"),
    ("Notch", "ok", "", "answered after all these"),
]


def offline(folder: Path) -> Path:
    (folder / "runner.py").write_text(RUNNER, encoding="utf-8")
    spec = folder / "offline.toml"
    spec.write_text(
        'format = 1\nname = "offline"\nversion = "1"\n'
        'command = ["{python}", "-S", "{here}/runner.py", "{input}", "{output}"]\n'
        f'[http]\n{CHAT}price_in = 2e6\nprice_out = 1e6\n[input]\nform = "openai_batch"\nvia = "path"\n'
        '[output]\nform = "openai_batch"\nvia = "path"\n',
        encoding="utf-8",
    )
    return spec


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_a_batch_that_is_repeated_in_part_is_paid_for_again(left: int, tmp_path: Path, run_on: RunOn) -> None:
    texts = ["a Wnt", *(f"!left Gene{i}" for i in range(left)), "and more", "!bad Wnt", "the last"]
    done = run_on(texts, offline(tmp_path))
    assert done.outcome_counts == {"ok": 3, **({"short": left} if left else {}), "garbage": 1}
    assert done.costs is not None
    assert done.costs["input_tokens"].sum() == sum(map(int, (tmp_path / "served").read_text().split()))


def test_offline_batch_runners(tmp_path: Path, run_on: RunOn) -> None:
    done = run_on([text for text, *_ in BATCH], offline(tmp_path))
    assert done.outcomes["outcome"].tolist() == [outcome for _, outcome, *_ in BATCH]
    assert spans(done) == [[0, 2, 5], [7, 0, 5]]
    found = {case: f["found"] for f in done.meta["failure"] for case in f["cases"]}
    told = [f["found"] for f in done.meta["failure"]]
    assert found
    for outcome in ("crash", "garbage"):
        shown = [f["found"] for f in done.meta["failure"] if f["outcome"] == outcome]
        assert any(part in line for line in shown for _, kind, part, _ in BATCH if kind == outcome), told
    assert done.costs is not None
    costs = done.costs[["input_tokens", "output_tokens", "price"]].astype(float)
    assert costs.iloc[0].tolist()[:3] == [5.0, 7.0, 17.0], "two a token read, one a token written"
    assert costs.iloc[[1, 6, 7]].isna().all(axis=None), "no reply, or one that says nothing of tokens"
    assert costs["input_tokens"].iloc[[3, 4]].tolist() == [9.0, 8.0], "an answer of no use was paid for"
    shares = done.costs[["seconds", "shared"]].astype(float)
    answered = (done.outcomes["outcome"] == "ok").tolist()
    assert shares["seconds"].notna().tolist() == answered, "a case without an answer has no time"
    assert (shares["shared"][answered] >= 1).all(), "a runner does not say when it answered which"


def test_a_whole_reply_is_the_answer(server: SimpleNamespace, ask: RunOn) -> None:
    server.asked.form = "spans"
    body = """body = '{"text": {{ text | tojson }}}'\n"""
    rest = (
        '[output]\nform = "jsonl"\nstart_key = "span.begin"\nend_key = "span.end"\nidentifiers_key = "ids"\n'
    )
    done = ask(["a Wnt and Notch", "nothing"], body, rest=rest)
    assert done.outcome_counts == {"ok": 2}
    assert spans(done) == [[0, 2, 5], [0, 10, 15]]
    assert done.predictions["identifiers"].tolist() == ["X:1"] * 2
