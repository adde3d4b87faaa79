"""What an edit silences, form by form, and what only looks like it."""

from __future__ import annotations

import random

import pytest

from tests.findings.silencing_dodges import DODGES
from tests.findings.silencing_samples import LOOK_ALIKES, SETTINGS, TOLD
from tests.findings.silencing_weak_settings import WEAK_SETTINGS
from tests.support.silencings import silencings_of
from understudy.findings.silencing.change import TwoTexts, change_of, may_matter
from understudy.findings.silencing.matching import added_forms
from understudy.findings.silencing.rules import rules

EVERY = [*TOLD, *DODGES]
EVERY_SETTING = [*SETTINGS, *WEAK_SETTINGS]


@pytest.mark.parametrize(("edit", "how"), EVERY)
def test_a_form_is_told_once(edit: tuple[str, str, str], how: str) -> None:
    path, before, after = edit
    found = silencings_of({path: before}, {path: after})
    assert [form.how for form in found] == [how] * (1 if after else 2), found


@pytest.mark.parametrize(("path", "before", "after"), EVERY_SETTING)
def test_a_weaker_setting_is_told(path: str, before: str, after: str) -> None:
    found = silencings_of({path: before}, {path: after})
    assert found
    assert {form.how for form in found} == {"setting"}


@pytest.mark.parametrize(("path", "before", "after"), EVERY_SETTING)
def test_a_setting_that_was_so_before_is_not_told(path: str, before: str, after: str) -> None:
    assert not silencings_of({path: after}, {path: after + "\n"})


@pytest.mark.parametrize(("path", "before", "after"), LOOK_ALIKES)
def test_a_look_alike_is_not_told(path: str, before: str, after: str) -> None:
    assert not silencings_of({path: before}, {path: after})


@pytest.mark.parametrize("edit", [edit for edit, how in EVERY if how != "deleted-test"])
def test_what_moves_to_another_file_is_not_told(edit: tuple[str, str, str]) -> None:
    path, _, after = edit
    other = f"inner/{path}"
    assert not silencings_of({path: after}, {path: None, other: after})


@pytest.mark.parametrize("edit", [edit for edit, _ in EVERY])
def test_half_written_text_is_no_error(edit: tuple[str, str, str]) -> None:
    path, before, after = edit
    shuffled = random.Random(17)
    for _ in range(20):
        cut = shuffled.randrange(len(after) + 1)
        silencings_of({path: before}, {path: after[:cut] + "\x00({[\"'" + after[cut:]})


def test_a_file_of_half_a_megabyte() -> None:
    before = "x = f()\n" * 60_000
    (form,) = silencings_of({"a.py": before}, {"a.py": before + "y = g()  # noqa\n"})
    assert (form.line, form.what) == (60_000, "noqa")


def test_a_test_that_moves_to_another_file_is_not_deleted() -> None:
    one, other = "def test_a():\n    assert f()\n", "def test_b():\n    assert g(1, 2)\n"
    before = {"test_x.py": one + other}
    assert not silencings_of(before, {"test_x.py": other, "test_y.py": one})
    (form,) = silencings_of(before, {"test_x.py": other})
    assert (form.how, form.what) == ("deleted-test", "test_a")


@pytest.mark.parametrize(
    ("path", "path_after"),
    [("tests/test_x.py", "tests/x.py"), ("test_x.py", "test_x.py.off"), ("tests/x.rs", "x.rs.off")],
)
def test_a_file_that_is_renamed_so_that_no_runner_takes_it_has_lost_its_tests(
    path: str, path_after: str
) -> None:
    text = "#[test]\nfn test_a() {}\n" if ".rs" in path else "def test_a():\n    assert f()\n"
    for after in (text, text + "\n"):
        texts = TwoTexts(path_after, text, after, True, False, path)
        assert may_matter(texts)
        change = change_of(texts)
        assert change is not None
        assert [form.how for form in added_forms([change])] == ["deleted-test"]


def test_a_new_program_that_no_package_builds_silences_nothing() -> None:
    assert not silencings_of({}, {"gen.go": "//go:build ignore\n\npackage main\n"})


def test_settings_that_move_to_another_file_are_not_told() -> None:
    before = {
        "setup.cfg": "[mypy]\nstrict = True\n[mypy-a.*]\nignore_errors = True\n"
        "[tool:pytest]\naddopts = -q --ignore=b\n", "pyproject.toml": "",
    }  # fmt: skip
    after = {
        "setup.cfg": "", "pyproject.toml": "[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\n"
        "module = ['a.*']\nignore_errors = true\n[tool.pytest.ini_options]\n"
        "addopts = ['-q', '--ignore=b']\n",
    }  # fmt: skip
    assert not silencings_of(before, after)


def test_each_entry_that_a_list_loses_is_told() -> None:
    before, after = "[tool.ruff]\nselect = ['E', 'F', 'W']\n", "[tool.ruff]\nselect = ['F']\n"
    found = silencings_of({"pyproject.toml": before}, {"pyproject.toml": after})
    assert [form.what for form in found] == ["ruff: select loses E", "ruff: select loses W"]


def test_each_way_has_forms_in_each_language_that_knows_it() -> None:
    """What has no widening type, no attribute and no setting of its own is left out."""
    found = {(how, _language(edit[0])) for edit, how in EVERY}
    found |= {("setting", _language(path)) for path, _, _ in EVERY_SETTING}
    assert len(EVERY) + len(EVERY_SETTING) >= 40
    for how in ("comment", "setting", "skipped-test", "emptied-test", "deleted-test"):
        languages = {language for way, language in found if way == how}
        assert languages >= {"python", "typescript", "go", "rust", "c++"}, how
    assert {language for way, language in found if way == "cast"} >= {"python", "typescript"}


def _language(path: str) -> str:
    endings = {
        "python": (".py", ".pyi", "pyproject.toml"), "typescript": (".ts", "tsconfig.json"),
        "go": (".go", ".golangci.yml"), "rust": (".rs", "Cargo.toml"),
        "c++": (".cpp", ".clang-tidy"),
    }  # fmt: skip
    return next((name for name, known in endings.items() if path.endswith(known)), "")


def test_a_suppression_that_takes_the_place_of_another_elsewhere_is_told() -> None:
    before = "x = first(1)  # type: ignore\n" + "\n" * 5 + "y = second(2, a)\n"
    after = "x = first(1)\n" + "\n" * 5 + "y = second(2, a)  # type: ignore\n"
    (form,) = silencings_of({"a.py": before}, {"a.py": after})
    assert form.line == 6


def test_many_alike_are_counted() -> None:
    line = "x = f()  # noqa\n"
    assert len(silencings_of({"a.py": line * 3}, {"a.py": line * 5})) == 2


def test_every_rule_has_what_it_needs() -> None:
    for name, language in rules().languages.items():
        assert language.hint, name
        assert language.comments or not language.comment, name
