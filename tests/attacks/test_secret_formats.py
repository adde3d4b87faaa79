"""Of the secrets that tools document hardly any reaches a record; ordinary logs stay."""

from __future__ import annotations

import random

import pytest

from tests.attacks.ordinary_logs import logs
from tests.attacks.secret_values import Format, formats, lines
from understudy.terminal.secrets.redaction import Redactor

FORMATS = formats()
SEEDS = 4
MAX_THROUGH = 0.03


def random_part(value: str) -> str:
    """The end of a value, without the words that all of its kind begin with."""
    return value[len(value) // 3 :].rpartition("/")[2]


def is_left(value: str, text: str) -> bool:
    part = random_part(value)
    return any(part[at : at + 8] in text for at in range(max(len(part) - 7, 1)))


def through(kind: Format, seed: int) -> list[str]:
    """The ways of showing a value in which it is not taken out."""
    chance = random.Random(f"{kind.name} {seed}")
    value = kind.value(chance)
    left: list[str] = []
    for way, line in lines(kind, value):
        redactor = Redactor()
        text = redactor.redact(f"before\n{line}\nafter\n")
        assert text.startswith("before\n")
        assert text.endswith("\nafter\n")
        if is_left(value, text):
            left.append(f"{way}: {text.splitlines()[1]}")
        else:
            assert redactor.count
    return left


def test_the_list_is_long() -> None:
    assert len(FORMATS) >= 150
    assert len({kind.name for kind in FORMATS}) == len(FORMATS)


def test_hardly_any_format_gets_through() -> None:
    found = {
        kind.name: left for kind in FORMATS for s in range(SEEDS) if (left := through(kind, s))
    }
    assert len(found) <= MAX_THROUGH * len(FORMATS), found


@pytest.mark.parametrize(("name", "text"), list(logs()), ids=[name for name, _ in logs()])
def test_ordinary_logs_stay_as_they_are(name: str, text: str) -> None:
    redactor = Redactor()
    after = redactor.redact(text)
    pairs = zip(text.split("\n"), after.split("\n"), strict=True)
    assert not [(line, kept) for line, kept in pairs if line != kept]


@pytest.mark.parametrize(
    "line",
    [
        "mysql -u root -p{} shop",
        "sshpass -p {} ssh host",
        "docker login -u me -p {} registry.example.com",
        "curl -u 'admin:{}' https://example.com",
        "Set-Cookie: session={}; HttpOnly",
        "postgres://app:{}@db:5432/shop?sslmode=require",
        "redis://:{}@cache:6379/0",
        "DATABASE_URL=mysql2://root:{}@127.0.0.1/x",
        "authorization: Token token={}",
        "Proxy-Authorization: Basic {}==",
        "https://example.blob.core.windows.net/c/b?sv=2024&sig={}&se=1",
        "password={}",
        "Server=db;User Id=sa;Password={};",
        "    password: '{}'",
        '{{"auths":{{"r.io":{{"password":"{}"}}}}}}',
        "error: authentication failed (token={})",
    ],
)
def test_a_password_is_known_by_its_place(line: str) -> None:
    value = "".join(random.Random(line).choices("abcdefghjkmnpqrstuvwxyzABCDEFGH23456789", k=24))
    assert value not in Redactor().redact(line.format(value) + "\n")


KEY_LINES = 24
KINDS = ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", "")


def key(chance: random.Random, kind: str) -> list[str]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    body = ["".join(chance.choices(letters, k=64)) for _ in range(KEY_LINES)]
    dashes = "-" * 5
    begin, end = (f"{dashes}{word} {kind}PRIVATE KEY{dashes}" for word in ("BEGIN", "END"))
    return [begin, *body, body[0][:22] + "==", end]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("between", ["\n", "\\n", "\n    ", "\r\n", '\\n",\n"', "\nweb_1  | "])
def test_a_private_key_is_taken_out_whole(kind: str, between: str) -> None:
    whole = key(random.Random(kind + between), kind)
    redactor = Redactor()
    text = redactor.redact(f"key: {between.join(whole)}\nthe next line of the log\n")
    assert not any(line[8:24] in text for line in whole[1:-1])
    assert text.endswith("the next line of the log\n")
    assert redactor.count


def test_what_looks_like_a_keys_beginning_hides_nothing() -> None:
    words = "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5
    text = f"a line with {words} in it\nand one more line\nREADME.md\n"
    assert Redactor().redact(text) == text
    text = f"{words}\nthis is no key at all\n"
    assert Redactor().redact(text).endswith("this is no key at all\n")


@pytest.mark.parametrize("width", [64, 76, 0])
def test_a_key_in_base64_is_taken_out_whole(width: int) -> None:
    import base64  # noqa: PLC0415

    whole = key(random.Random(width), "RSA ")
    data = base64.b64encode("\n".join(whole).encode()).decode()
    rows = [data[at : at + width] for at in range(0, len(data), width)] if width else [data]
    text = Redactor().redact("\n".join(rows) + "\nthe next line\n")
    assert not any(row[4:20] in text for row in rows)
    assert text.endswith("the next line\n")
