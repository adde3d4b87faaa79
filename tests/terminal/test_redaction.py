"""Secrets are taken out exactly and counted; ordinary output is left as it is."""

from __future__ import annotations

import pytest

from understudy.terminal.secrets.redaction import Redactor

LETTERS = "Zx9Qw7Er5Ty3Ui1Op8As6Df4Gh2Jk0Lz9Xc7Vb5"
SECRETS = {
    "github": ("remote: ghp_{}", LETTERS[:36]),
    "pat": ("token github_pat_{} used", LETTERS[:24]),
    "gitlab": ("push with glpat-{}", LETTERS[:20]),
    "aws": ("key id AKIA{}", "IOSFODNN7EXAMPLE"),
    "aws-secret": ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY0EXAMPLEKEY"),
    "slack": ("hook xoxb-{}", "1234567890-abcdefghij"),
    "openai": ("OPENAI=sk-proj-{}", LETTERS[:30]),
    "google": ("AIza{}", LETTERS[:35]),
    "npm": ("//registry/:_authToken=npm_{}", LETTERS[:36]),
    "jwt": ("got eyJhbGciOiJI.eyJzdWIiOiIx.{}", LETTERS[:20]),
    "url": ("cloning https://me:{}@example.com/x.git", "hunter2-hunter2"),
    "bearer": ("Authorization: Bearer {}", LETTERS[:24]),
    "basic": ("authorization: Basic {}", "dXNlcjpwYXNzd29yZA=="),
    "password": ('"db_password": "{}"', "c0rrect-horse"),
    "env": ("export API_KEY='{}'", "abc123def456"),
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_taken_out_and_counted(name: str) -> None:
    shape, secret = SECRETS[name]
    redactor = Redactor()
    text = redactor.redact(f"before\n{shape.format(secret)}\nafter\n")
    assert secret not in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "[REDACTED:" in text
    assert redactor.count == 1


def test_a_private_key_goes_line_by_line() -> None:
    redactor = Redactor()
    lines = [
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEow",
        "AABB",
        "-----END RSA PRIVATE KEY-----",
        "x",
    ]
    text = "".join(redactor.redact(f"{line}\n") for line in lines)
    assert "MIIEow" not in text
    assert "AABB" not in text
    assert text.endswith("-----END RSA PRIVATE KEY-----\nx\n")
    assert redactor.count == 1


@pytest.mark.parametrize(
    "line",
    [
        "tests/test_token.py::test_secret_is_kept[3] PASSED",
        "error: unexpected token: expected `;`",
        "password: ",
        "Enter password for user1:",
        "https://example.com:8080/a@b",
        "max_tokens = 4096, token_count: 1234567890",
        "the bearer of this letter",
        "npm_config_registry npm_lifecycle_event",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "sk-learn is not a-key; risk-based-approach-number-one",
    ],
)
def test_ordinary_lines_stay(line: str) -> None:
    redactor = Redactor()
    assert redactor.redact(line) == line
    assert redactor.count == 0


def test_what_was_redacted_is_not_redacted_again() -> None:
    redactor = Redactor()
    once = redactor.redact(f"TOKEN=ghp_{LETTERS[:36]}")
    assert redactor.redact(once) == once
    assert redactor.count == 1


def test_a_look_counts_nothing() -> None:
    redactor = Redactor()
    assert "hunter2" not in redactor.peek("https://u:hunter2@h/")
    assert redactor.count == 0
