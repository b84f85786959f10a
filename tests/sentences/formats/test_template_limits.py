"""Templates of users: what asks for all memory or time is refused, what a corpus needs is not."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats import read_corpus, template_limits, write_corpus

DOUBLED = "{% set ns = namespace(x=START) %}{% for i in range(60) %}{% set ns.x = MORE %}{% endfor %}"


def doubled(start: str, more: str, shown: str = "{{ ns.x }}") -> str:
    """A template that makes a value twice as large sixty times."""
    return DOUBLED.replace("START", start).replace("MORE", more) + shown


def rendered(template: str, folder: Path, corpus: Corpus | None = None) -> str:
    """What a template makes of two sentences, or of a corpus."""
    (folder / "gold.sgml").write_text("The <gp>TNF</gp> gene.\nHere <gp>catenin</gp> binds.\n")
    (folder / "t.jinja").write_text(template, encoding="utf-8")
    found = read_corpus(f"sgml:{folder / 'gold.sgml'}") if corpus is None else corpus
    write_corpus(found, f"template[template={folder / 't.jinja'}]:{folder / 'out'}")
    return (folder / "out").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{{ 'a' * 10**10 }}", "a text of more than"),
        ("{{ 10**10 * 'a' }}", "a text of more than"),
        ("{{ [1] * 10**9 }}", "elements"),
        ("{{ (1,) * 10**9 }}", "elements"),
        ("{{ 9**(9**9) }}", "bits"),
        ("{{ (2**60000) * (2**60000) }}", "bits"),
        ("{{ lipsum(n=10**9) }}", "'lipsum' is undefined"),
        ("{{ range(10**9) }}", "Range too big"),
        ("{{ 'a'|center(10**10) }}", "center of 10,000,000,000"),
        ("{{ 'a'.center(10**10) }}", "center of 10,000,000,000"),
        ("{{ 'a'.ljust(99999999999) }}", "ljust of"),
        ("{{ 'a'.zfill(10**9) }}", "zfill of"),
        ("{{ '%10000000000d' % 1 }}", "a width of"),
        ("{{ '%*d' % (10**10, 1) }}", "a width of"),
        ("{{ '%10000000000d'|format(1) }}", "a width of"),
        ("{{ '{:10000000000}'.format(1) }}", "a width of"),
        ("{{ '{:{}}'.format(1, 10**10) }}", "a width of"),
        ("{{ 1|round(10**9, 'ceil') }}", "round of"),
        ("{{ [1]|tojson(indent=10**9) }}", "tojson of"),
        ("{% for i in range(9)|batch(10**9, 'x') %}{{ i }}{% endfor %}", "batch of"),
        ("{% set s = 'a' * 9999999 %}{{ s|replace('a', s) }}", "replace of"),
        ("{% set s = 'a' * 9999999 %}{{ s.replace('a', s) }}", "replace of"),
        ("{% set s = 'a' * 9999999 %}{{ [s, s, s]|join }}", "a text of more than"),
        ("{% set s = 'a' * 999999 %}{{ s.join([s] * 1000) }}", "a text of more than"),
        ("{{ ('\\n' * 999999)|indent(999999) }}", "indent of"),
        ("{{ ('\\t' * 999999).expandtabs(999999) }}", "expandtabs of"),
        ("{{ range(99999)|map('center', 999999)|join }}", "steps and characters"),
        ("a\n{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "steps"),
        ("{% for x in [[1]] recursive %}{{ loop([[1]] * 99999) }}{% endfor %}", "steps"),
        (doubled("'aaaaaaaaaa'", "ns.x ~ ns.x"), "more than"),
        (doubled("'aaaaaaaaaa'", "ns.x + ns.x"), "more than"),
        (doubled("'aaaaaaaaaa'", "'%s%s' % (ns.x, ns.x)"), "more than"),
        (doubled("[1]", "[ns.x, ns.x]"), "elements"),
        (doubled("[1]", "[ns.x, ns.x]", "{{ ns.x|string }}"), "elements"),
        (doubled("[1]", "[ns.x, ns.x]", "{{ ns.x|tojson }}"), "elements"),
        (doubled("[1]", "[ns.x, ns.x]", "{{ '%s' % ns.x }}"), "elements"),
        (
            DOUBLED.replace("START", "'aaaaaaaaaa'").replace("{% set ns.x = MORE %}", "")
            + "{% for i in range(60) %}{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}"
            "{% set ns.x = y %}{% endfor %}",
            "more than",
        ),
        ("{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}", "nested too deeply"),
        (
            "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
            "steps",
        ),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "nested too deeply"),
        (
            "".join(f"{{% for a{i} in [1] %}}" for i in range(30)) + "{% endfor %}" * 30,
            "nested too deeply",
        ),
    ],
)
def test_what_asks_for_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str, told: str
) -> None:
    if told == "steps":
        # however many steps are allowed, these take more
        monkeypatch.setattr(template_limits, "LEAST_WORK", 100_000)
    with pytest.raises(InputError) as refused:
        rendered(template, tmp_path)
    assert told in str(refused.value)
    assert str(tmp_path / "t.jinja") in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_the_line_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"t\.jinja:3: the template asks for too much.*bits"):
        rendered("a\nb\n{{ 9**(9**9) }}", tmp_path)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ 2**64 }} {{ 9**9**9 }}", f"{2**64} {(9**9) ** 9}"),  # from the left, in Jinja2
        ("{{ '-' * 3 }}{{ 3 * '-' }}{{ [1] * 2 }}", "------[1, 1]"),
        ("{{ 1.5 * 2 }} {{ 7 % 3 }} {{ 1 + 2 }} {{ 2**-1 }} {{ -1**2 }}", "3.0 1 3 0.5 1"),
        ("{{ 'a' ~ 1 ~ [2] ~ none }}", "a1[2]None"),
        ("{{ '%05d|%s|%5.2f%%' % (3, 'x', 2.5) }}", "00003|x| 2.50%"),
        ("{{ '%s-%s'|format(1, 2000000) }} {{ '{:>4}'.format(7) }}", "1-2000000    7"),
        ("{{ 'a,b'.split(',')|join(';') }} {{ ','.join(['a', 'b']) }}", "a;b a,b"),
        ("{{ [3, 1, 2]|sort|join }} {{ [1, 2]|sum }} {{ 'a'|center(3) }}|", "123 3  a |"),
        ("{{ [[1], [2]]|sum(start=[]) }} {{ {'a': [1]}|tojson }}", '[1, 2] {"a": [1]}'),
        ("{{ texts|map(attribute='text')|join('/') }}", "The TNF gene./Here catenin binds."),
        ("{{ texts|selectattr('mentions')|list|length }}", "2"),
        ("{% for t in texts %}{{ loop.index }}/{{ loop.length }}{{ ';' if not loop.last }}{% endfor %}",
         "1/2;2/2"),
        ("{% for t in texts if t.text.startswith('H') %}{{ t.text|upper }}{% else %}-{% endfor %}",
         "HERE CATENIN BINDS."),
        ("{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}"
         "{% endif %}{% endfor %}", "1(2(3))"),
        ("{% macro m(a, b=2) %}<{{ a }}{{ b }}>{% endmacro %}{{ m(1) }}{{ m(2, b=3000000) }}",
         "<12><23000000>"),
        ("{% set x %}a{{ 1 }}{% endset %}{{ x }}{% filter upper %}b{{ 'c' }}{% endfilter %}", "a1BC"),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}", "a1"),
        ("{% for t in texts %}{% for m in t.mentions %}{{ m.data }} {{ m.start }}\n{% endfor %}{% endfor %}",
         "TNF 4\ncatenin 5\n"),
    ],
)  # fmt: skip
def test_usual_templates_are_as_before(tmp_path: Path, template: str, expected: str) -> None:
    assert rendered(template, tmp_path) == expected


def test_what_may_be_used_grows_with_the_corpus(tmp_path: Path) -> None:
    size = 300
    texts = pd.DataFrame({"text_id": [f"t{i}" for i in range(size)], "document_id": "", "text": "word " * 20})
    corpus = Corpus("c", texts.astype("str"), read_none())
    template = "{% for t in texts %}{{ 'x' * 60000 }}{% endfor %}"
    assert len(rendered(template, tmp_path, corpus)) == size * 60_000  # more than a small corpus may have
    with pytest.raises(InputError, match="steps and characters"):
        rendered("{% for i in range(300) %}{{ 'x' * 60000 }}{% endfor %}", tmp_path)


def read_none() -> pd.DataFrame:
    """A table of no mentions."""
    columns = {"mention_id": "int64", "text_id": "str", "side": "str", "start": "int64", "end": "int64"}
    return pd.DataFrame({c: pd.Series([], dtype=t) for c, t in columns.items()}).assign(
        type=pd.Series([], dtype="str"), score=pd.Series([], dtype="float64")
    )
