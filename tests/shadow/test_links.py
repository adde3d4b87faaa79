"""The paths of a file that links lead to."""

from __future__ import annotations

import pytest

from understudy.shadow.links import Links

LINKS = Links(
    {"lib": "src/shared", "a/b/up": "", "src/shared/more": "other", "conf.py": "src/settings.py"}
)


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("lib/api.py", "src/shared/api.py"),
        ("lib", "src/shared"),
        ("library/api.py", "library/api.py"),
        ("lib/more/x.py", "other/x.py"),
        ("a/b/up/a/b/up/lib/api.py", "src/shared/api.py"),
        ("conf.py", "src/settings.py"),
        ("src/shared/api.py", "src/shared/api.py"),
    ],
)
def test_a_path_leads_to_one_real_file(path: str, real: str):
    assert LINKS.real(path) == real


def test_a_link_that_is_deleted_is_no_other_file():
    assert LINKS.real_place("conf.py") == "conf.py"
    assert LINKS.real_place("lib/api.py") == "src/shared/api.py"


def test_a_file_has_all_paths_that_lead_to_it():
    assert set(Links({"lib": "src", "src/in": "deep"}).others("deep/x.py")) == {
        "src/in/x.py",
        "lib/in/x.py",
    }
    assert LINKS.others("src/settings.py")[0] == "conf.py"
    assert Links().others("x.py") == []


def test_every_other_path_leads_back():
    for real in ("other/x.py", "src/shared/api.py", "a/b/c.py", "main.py"):
        others = LINKS.others(real)
        assert len(others) == len({*others}) >= 1
        assert {LINKS.real(path) for path in others} == {real}


def test_links_to_parents_of_their_own_have_an_end():
    loops = Links({f"d{number}/up": "" for number in range(20)})
    assert 20 <= len(loops.others("x.py")) < 100
