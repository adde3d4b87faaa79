"""Which variables pass to a command on a stage: those of the list, and those that were named."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.stage.shown.variables import may_pass, withheld
from understudy.stage.shown.variables import passed as passed_with_mark

SECRET = (
    *("GITHUB_TOKEN", "npm_token", "AWS_ACCESS_KEY_ID", "OPENAI_API_KEY", "DB_PASSWORD"),
    *("MY_SECRET_NAME", "SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "XDG_RUNTIME_DIR", "TMPDIR", "DATABASE_URL", "STY"),
    *("WHATEVER", "LC_TOKEN", "CMAKE_AUTH", "CARGO_TARGET_SECRET", "UNDERSTUDY_STATE_DIR"),
)
PLAIN = ("PATH", "HOME", "LANG", "LC_ALL", "TOKENIZERS_PARALLELISM", "CI", "CARGO_HOME", "CC")


def passed(*given: Any) -> dict[str, str]:
    """What passes, without the mark that every process on a stage has."""
    found = dict(passed_with_mark(*given))
    assert found.pop("UNDERSTUDY_STARTED_BY") == "stage"
    return found


@pytest.mark.parametrize("name", SECRET)
def test_left_out(name: str) -> None:
    assert passed({name: "x"}, {}) == {}


@pytest.mark.parametrize("name", PLAIN)
def test_kept(name: str) -> None:
    assert passed({name: "x"}, {}) == {name: "x"}


def test_what_the_caller_sets_counts() -> None:
    changes = {"GITHUB_TOKEN": "given", "PATH": None}
    assert passed({"PATH": "/bin", "CI": "1"}, changes) == {"CI": "1", "GITHUB_TOKEN": "given"}


def test_what_is_named_passes_whatever_it_holds() -> None:
    environ = {"GITHUB_TOKEN": "secret", "OTHER_TOKEN": "secret"}
    assert passed(environ, {}, ["GITHUB_TOKEN"]) == {"GITHUB_TOKEN": "secret"}
    assert withheld(environ, {}, ["GITHUB_TOKEN"]) == ("OTHER_TOKEN",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PIP_INDEX_URL", "https://me:hunter2@index.example/simple"),
        ("PIP_INDEX_URL", "https://0123456789abcdef0123@index.example/simple"),
        ("HTTPS_PROXY", "http://user:password@proxy:3128"),
        ("MAVEN_OPTS", "-Xmx1g -Djavax.net.ssl.keyStorePassword=changeit"),
        ("GRADLE_OPTS", "-Dapi-key=0123"),
    ],
)
def test_a_value_with_a_password_does_not_pass(name: str, value: str) -> None:
    assert not may_pass(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PIP_INDEX_URL", "https://index.example/simple"),
        ("GOPROXY", "https://proxy.example,direct"),
        ("HTTPS_PROXY", "http://proxy:3128"),
        ("MAVEN_OPTS", "-Xmx1g -Duser.language=en"),
        ("PIP_FIND_LINKS", "git+ssh://git@host/repo"),
    ],
)
def test_other_values_do(name: str, value: str) -> None:
    assert may_pass(name, value)
