"""The list of trusted folders."""

import stat
from pathlib import Path

import pytest

from understudy.disk import trust
from understudy.disk.layout import STATE_VARIABLE, trust_file
from understudy.values.errors import OutsideFailure
from understudy.values.paths import Root


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))


def root(tmp_path: Path, name: str) -> Root:
    (tmp_path / name).mkdir(parents=True, exist_ok=True)
    return Root.open(tmp_path / name)


def test_trust_counts_for_the_folder_and_all_in_it_and_for_no_other(tmp_path: Path):
    shop, inner, other = (root(tmp_path, name) for name in ("shop", "shop/api", "shop2"))
    assert not trust.is_trusted(shop)
    assert trust.trust(shop)
    assert not trust.trust(shop)
    assert trust.is_trusted(shop)
    assert trust.is_trusted(inner)
    assert not trust.is_trusted(other)
    assert not trust.is_trusted(Root.open(tmp_path))
    assert trust.distrust(shop)
    assert not trust.distrust(shop)
    assert not trust.is_trusted(inner)


def test_a_link_is_trusted_as_the_folder_it_leads_to(tmp_path: Path):
    real = root(tmp_path, "real")
    (tmp_path / "link").symlink_to("real")
    trust.trust(Root.open(tmp_path / "link"))
    assert trust.trusted_folders() == [real.path]


def test_a_name_that_is_no_unicode_survives(tmp_path: Path):
    odd = root(tmp_path, "caf\udce9")
    trust.trust(odd)
    assert trust.is_trusted(odd)
    assert stat.S_IMODE(trust_file().stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "[]", '{"folders": [1]}', "\xff", '{"folders": "/"}'])
def test_a_damaged_list_trusts_nothing_and_says_so(tmp_path: Path, content: str):
    trust.trust(root(tmp_path, "shop"))
    trust_file().write_text(content, "latin-1")
    with pytest.raises(OutsideFailure) as caught:
        trust.is_trusted(root(tmp_path, "shop"))
    assert caught.value.code == "trust-unreadable"
    assert caught.value.where == str(trust_file())
