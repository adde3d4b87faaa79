"""Budgets, drill-down, and that every cut is counted."""

from __future__ import annotations

import re

import pytest

from tests.support.outline_samples import FOLDER
from understudy.outline.model import Outline
from understudy.outline.read_outline import outline
from understudy.outline.show.render import Options, render, tokens
from understudy.values.errors import BadInput

N_CLASSES, N_METHODS = 40, 12
BUDGETS = (120, 200, 400, 800, 1600, 3200, 6400)
PYTHON = (FOLDER / "sample.py").read_bytes()


@pytest.fixture(scope="module")
def many() -> Outline:
    """Classes with methods, fields, private methods and functions inside methods."""
    lines: list[str] = []
    for c in range(N_CLASSES):
        lines += [f"class Number{c}(Base):", f'    """What number {c} is for."""', ""]
        lines += [f"    field_{c}_{f}: dict[str, list[int]] = {{}}  # of {f}" for f in range(6)]
        for m in range(N_METHODS):
            name = f"_hidden_{m}" if m % 3 == 0 else f"method_{m}"
            lines += [f"    def {name}(self, first: int, second: str = 'x') -> dict[str, int]:"]
            lines += ["        def inside(value):", "            return value", ""]
            lines += ["        return {}", ""]
    return outline("\n".join(lines).encode(), "python")


@pytest.mark.parametrize("budget", BUDGETS)
def test_budget_is_kept_and_used(many: Outline, budget: int) -> None:
    text = render(many, budget)
    assert 0.8 * budget <= tokens(text) <= budget


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_entry_is_shown_or_counted(many: Outline, budget: int) -> None:
    text = render(many, budget)
    header, _, body = text.partition("\n# to fit: ")
    cuts, _, body = body.partition("\n")
    named = sum(map(int, re.findall(r"(\d+) entries by name only", cuts)))
    counted = sum(map(int, re.findall(r"(\d+) entries counted only", cuts)))
    own = sum(1 for line in body.splitlines() if not re.match(r" *[\d-]+: \d+ \w+", line))
    assert own + named + counted == len(many.entries)
    assert f"{len(many.entries)} entries" in header


def test_enough_budget_cuts_nothing(many: Outline) -> None:
    text = render(many, 1_000_000)
    assert "# to fit" not in text
    assert len(text.splitlines()) == 1 + len(many.entries)


def test_too_small_a_budget_is_an_error_that_names_the_least() -> None:
    found = outline(PYTHON, "python")
    with pytest.raises(BadInput) as caught:
        render(found, 10)
    assert caught.value.code == "budget-too-small"
    match = re.search(r"least are about (\d+)", caught.value.text)
    assert match
    least = int(match[1])
    assert tokens(render(found, least + 10)) <= least + 10


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        ("Shop.sell", ["class Shop", "async def sell", "async def later"]),
        ("sell", ["class Shop", "async def sell", "async def later"]),
        ("plain.inner.innermost", ["def plain", "def inner", "def innermost"]),
        ("Shop.Error", ["class Shop", "class Error"]),
        ("LIMIT", ["LIMIT = 3"]),
    ],
)
def test_symbol(symbol: str, shown: list[str]) -> None:
    text = render(outline(PYTHON, "python"), 8000, Options(symbol=symbol))
    lines = text.splitlines()[1:]
    assert len(lines) == len(shown)
    assert all(part in line for part, line in zip(shown, lines, strict=True)), text


@pytest.mark.parametrize(
    ("language", "sample", "symbol", "signature"),
    [
        ("go", "sample.go", "Shop.Find", "func (s *Shop[T]) Find"),
        ("rust", "sample.rs", "Shop::find", "async unsafe fn find"),
        ("cpp", "sample.cpp", "detail::check", "bool shop::detail::check(int a)"),
        ("php", "sample.php", "Shop.find", "public function find"),
    ],
)
def test_symbol_of_other_languages(language: str, sample: str, symbol: str, signature: str) -> None:
    found = outline((FOLDER / sample).read_bytes(), language)
    assert signature in render(found, 8000, Options(symbol=symbol))


def test_unknown_symbol_names_what_is_alike() -> None:
    with pytest.raises(BadInput) as caught:
        render(outline(PYTHON, "python"), 8000, Options(symbol="Shop.sel"))
    assert caught.value.code == "no-symbol"
    assert "sell" in caught.value.text


def test_range_of_lines() -> None:
    text = render(outline(PYTHON, "python"), 8000, Options(lines=(34, 36)))
    assert [line.split(":")[0] for line in text.splitlines()[1:]] == ["26-39", " 33-37", "  34-35"]


@pytest.mark.parametrize("lines", [(0, 3), (5, 4), (1000, 1001)])
def test_range_off_the_file(lines: tuple[int, int]) -> None:
    with pytest.raises(BadInput) as caught:
        render(outline(PYTHON, "python"), 8000, Options(lines=lines))
    assert caught.value.code == "no-lines"


def test_comments_are_shown_when_asked_for() -> None:
    found = outline(PYTHON, "python")
    assert "Sells things." not in render(found, 8000)
    assert "# Sells things." in render(found, 8000, Options(docs=True))
    assert "# over the door" in render(found, 8000)
