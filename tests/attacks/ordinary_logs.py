"""Logs of ordinary builds and test runs, without a secret in them, made up from a seed."""

from __future__ import annotations

import base64
import hashlib
import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.attacks.secret_values import LIST

ROOT = LIST.parent.parent.parent
_WORDS = (
    "token", "parser", "secret", "santa", "password", "field", "keyboard", "author", "access",
    "credential", "cache", "api", "server", "client", "session", "bearer", "basic", "oauth",
    "vault", "stripe", "slack", "github", "sentry", "linear", "travis", "heroku",
)  # fmt: skip


def logs() -> Iterator[tuple[str, str]]:
    """Each log's name and text."""
    for make in _MAKERS:
        chance = random.Random(make.__name__)
        yield make.__name__.strip("_"), "\n".join(make(chance) for _ in range(1000)) + "\n"
    for name in ("package-lock.json", "tools/bundle.lock", "CHANGELOG.md"):
        yield name, (ROOT / name).read_text("utf-8")
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    yield "reference", "\n".join(page.read_text("utf-8") for page in pages)
    yield "list of files", "\n".join(sorted(map(str, Path(base64.__file__).parent.rglob("*"))))


def _git(chance: random.Random) -> str:
    commit = _hex(chance, 40)
    word = chance.choice(_WORDS)
    return chance.choice(
        (
            f"commit {commit}",
            f"{commit[:9]} {word}: the {chance.choice(_WORDS)} is kept",
            f"index {commit[:10]}..{_hex(chance, 10)} 100644",
            f" create mode 100644 src/{word}/{word}_key.py",
            f"From https://github.com/acme/{word}-api\n * branch  main -> FETCH_HEAD",
            f"HEAD is now at {commit[:7]} Bump js-tokens from 3.0.2 to 4.0.{chance.randrange(9)}",
        )
    )


def _npm(chance: random.Random) -> str:
    digest = base64.b64encode(chance.randbytes(64)).decode()
    word, version = chance.choice(_WORDS), f"{chance.randrange(9)}.{chance.randrange(30)}.0"
    return chance.choice(
        (
            f'"{word}-tokens": "^{version}",',
            f'  "integrity": "sha512-{digest}",',
            f"  integrity sha512-{digest}",
            f"js-tokens@^{version}:",
            f"  resolution: {{integrity: sha512-{digest}}}",
            f"+ {word}-key@{version}-beta.{chance.randrange(9)}",
            f"npm warn deprecated {word}@{version}: use @{word}/core instead",
            f"dist/{word}.{_hex(chance, 8)}.js   {chance.randrange(999)} kB | gzip: 12.3 kB",
            f"asset main-{_hex(chance, 20)}.js 1.2 MiB [emitted] [immutable] [minimized]",
        )
    )


def _pytest(chance: random.Random) -> str:
    word = chance.choice(_WORDS)
    return chance.choice(
        (
            f"tests/test_{word}.py::test_{word}_secret_is_kept[key-{chance.randrange(99)}] PASSED",
            f"E       AssertionError: assert 'token' == '{word}'",
            f"E       KeyError: '{word}_key'",
            f"tests/test_{word}.py:{chance.randrange(900)}: in test_password_is_asked_for",
            "    token = tokenizer.next_token(stream)",
            f"    password = getpass.getpass('{word}: ')",
            "    secret = os.environ['CLIENT_SECRET']",
            f"max_tokens={chance.randrange(9000)} prompt_tokens: {chance.randrange(9000)}",
            "Enter password for user1:",
            "error: unexpected token: expected `;`",
            f"collected {chance.randrange(900)} items / 2 deselected / 898 selected",
        )
    )


def _cargo(chance: random.Random) -> str:
    word, digest = chance.choice(_WORDS), _hex(chance, 16)
    mangled = f"_ZN4core3fmt9Formatter12pad_integral17h{digest}E"
    return chance.choice(
        (
            f"   Compiling {word}-derive v1.{chance.randrange(99)}.0",
            f'checksum = "{_hex(chance, 64)}"',
            f"  = note: symbol `{mangled}` not found",
            f"     Running unittests src/lib.rs (target/debug/deps/{word}-{digest})",
            f"error: expected one of `!` or `::`, found `{word}`\n --> src/token.rs:12:5",
            "warning: unused variable: `access_key`: help: prefix it with an underscore",
            f"test {word}::tests::keeps_secret_key_order ... ok",
        )
    )


def _go(chance: random.Random) -> str:
    word = chance.choice(_WORDS)
    digest = base64.b64encode(chance.randbytes(32)).decode()
    return chance.choice(
        (
            f"github.com/acme/{word} v0.0.0-20260625142307-{_hex(chance, 12)} h1:{digest}",
            f"ok  \tgithub.com/acme/{word}/token\t0.{chance.randrange(999):03}s",
            f"--- PASS: TestHTTP2{word.title()}KeyExchange (0.00s)",
            f"\t{word}_test.go:{chance.randrange(900)}: key: got 3, want 4",
        )
    )


def _services(chance: random.Random) -> str:
    word = chance.choice(_WORDS)
    identifier = uuid.UUID(int=chance.getrandbits(128))
    at = f"2026-11-{chance.randrange(1, 29):02}T08:{chance.randrange(60):02}:00.{_hex(chance, 3)}Z"
    return chance.choice(
        (
            f"{at} INFO request_id={identifier} trace_id={_hex(chance, 32)} {word} took 12 ms",
            f"Cache restored from key: Linux-node-22-{_hex(chance, 64)}",
            f"cache-key: v2-{word}-{_hex(chance, 40)}",
            f"Idempotency-Key: {identifier}",
            f"sha256:{_hex(chance, 64)}: Pull complete",
            f"Digest: sha256:{_hex(chance, 64)}",
            f"container {_hex(chance, 64)} started",
            f"secret/my-{word}-{chance.randrange(9)} created",
            f"GET https://example.com:8080/{word}/{identifier}?page=2&sort_key=name 200",
            f"arn:aws:iam::{chance.randrange(10**12):012}:role/{word}-access",
            f"ssh-ed25519 fingerprint SHA256:{_b64(chance, 43)}",
            f'ETag: W/"{_hex(chance, 32)}"',
        )
    )


def _images(chance: random.Random) -> str:
    data = base64.b64encode(chance.randbytes(900)).decode()
    wrapped = "\n".join(data[at : at + 76] for at in range(0, len(data), 76))
    return chance.choice((f"<img src='data:image/png;base64,{data}'>", wrapped))


def _sums(chance: random.Random) -> str:
    data = chance.randbytes(8)
    return chance.choice(
        (
            f"{hashlib.sha256(data).hexdigest()}  usr/bin/{chance.choice(_WORDS)}",
            f"{hashlib.md5(data).hexdigest()}  usr/share/{chance.choice(_WORDS)}/api_key.txt",
            f"{hashlib.sha1(data).hexdigest()}",
            f"/nix/store/{_hex(chance, 32)}-{chance.choice(_WORDS)}-1.2",
        )
    )


def _hex(chance: random.Random, length: int) -> str:
    return f"{chance.getrandbits(4 * length):0{length}x}"


def _b64(chance: random.Random, length: int) -> str:
    return base64.b64encode(chance.randbytes(length)).decode()[:length]


_MAKERS: tuple[Callable[[random.Random], str], ...] = (
    _git, _npm, _pytest, _cargo, _go, _services, _images, _sums,
)  # fmt: skip
