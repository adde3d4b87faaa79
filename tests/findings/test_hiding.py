"""What is gone behind something new is hidden; what is gone with nothing new is fixed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from understudy.findings.hiding import EditedText, Obstacles, hushing, part_hidden
from understudy.findings.hiding_rule import HidingRule
from understudy.findings.line_map import line_map
from understudy.langserver.profile_table import parse_profile
from understudy.values.errors import BadInput
from understudy.values.fields import Word
from understudy.values.findings import Finding
from understudy.values.positions import Position, Range
from understudy.values.verdicts import Answer, Hider

BEFORE = "def f():\n    a\n    b\n\n\nc\n"
RETURNS = HidingRule("block", added=re.compile(r"\s*return\b.*"))


def at(line: int, code: str | None = "E", path: str = "m.py", **more: Any) -> Finding:
    place = Range(Position(line, 4), Position(line, 5))
    return Finding(path, place, more.get("severity", "error"), code, "s", f"at {line}", "toy")


def hidden(gone: Finding, obstacles: Obstacles, after: str = BEFORE) -> Hider | None:
    texts = {"m.py": EditedText("m.py", line_map(BEFORE, after), after)}
    fixed, found = part_hidden([gone], {"toy": obstacles}, texts)
    assert len(fixed) + len(found) == 1
    return found[0].by if found else None


def test_without_anything_new_it_is_fixed() -> None:
    assert hidden(at(1), Obstacles((HidingRule("users"),))) is None
    assert part_hidden([at(1)], {}, {}) == ([at(1)], [])


def test_only_what_a_rule_names_hides() -> None:
    rule = HidingRule("file", codes=(Word("SC1*"), Word("none")), unless=(Word("SC19*"),))
    for code, hides in {"SC1072": True, "SC2086": False, None: True, "SC1909": False}.items():
        assert (hidden(at(1), Obstacles((rule,), [at(2, code)])) is not None) == hides, code
    assert hidden(at(1), Obstacles((rule,), [at(2, None, severity="warning")])) is None
    assert hidden(at(1), Obstacles((rule,), [at(2, None, "other.py")])) is None


def test_what_is_not_of_the_hidden_kind_is_fixed() -> None:
    rule = HidingRule("file", hidden_codes=(Word("F8*"),), hidden_sources=(Word("s"),))
    new = [at(2)]
    assert hidden(at(1, "F821"), Obstacles((rule,), new)) == Hider("m.py", new[0].range, "at 2")
    assert hidden(at(1, "F401"), Obstacles((rule,), new)) is None


@pytest.mark.parametrize(
    ("rule", "path", "is_hidden"),
    [
        (HidingRule("file"), "p/n.py", False),
        (HidingRule("folder"), "n.py", True),
        (HidingRule("folder"), "p/n.py", False),
        (HidingRule("users"), "p/n.py", True),
        (HidingRule("users"), "p/o.py", False),
    ],
)
def test_how_far_it_hides(rule: HidingRule, path: str, is_hidden: bool) -> None:
    obstacles = Obstacles((rule,), [at(0, path=path)], users={"p/n.py": {"m.py"}})
    assert (hidden(at(1), obstacles) is not None) == is_hidden
    blind = Obstacles((rule,), blind=[Hider(path, None, "?")], users={"p/n.py": {"m.py"}})
    assert (hidden(at(1), blind) is not None) == is_hidden


def test_a_range_hides_what_is_in_it_and_moved() -> None:
    after = "\n" + BEFORE
    rule = HidingRule("range", severity="hint")
    for line, hides in {2: True, 1: False, 3: False}.items():
        obstacles = Obstacles((rule,), [at(line, severity="hint")])
        assert (hidden(at(1), obstacles, after) is not None) == hides, line


def test_a_line_that_is_added_hides_the_rest_of_its_block() -> None:
    after = BEFORE.replace("    a\n", "    return\n    a\n")
    by = hidden(at(2), Obstacles((RETURNS,)), after)
    assert by is not None
    assert by.message == "added: return"
    assert hidden(at(5), Obstacles((RETURNS,)), after) is None, "behind the function"
    guard = BEFORE.replace("    a\n", "    if x:\n        return\n    a\n")
    assert hidden(at(2), Obstacles((RETURNS,)), guard) is None, "it comes past a guard"
    below = HidingRule("below", added=re.compile(r"\s*return\b.*"))
    assert hidden(at(5), Obstacles((below,)), after) is not None
    assert hidden(at(0), Obstacles((below,)), after) is None


def test_a_rewritten_line_is_fixed_unless_there_is_something_new() -> None:
    after = BEFORE.replace("    b", "    z")
    rules = (RETURNS, HidingRule("file"))
    assert hidden(at(2), Obstacles(rules), after) is None
    assert hidden(at(2), Obstacles(rules, [at(2)]), after) is not None
    unedited = (HidingRule("file", unedited=True),)
    assert hidden(at(2), Obstacles(unedited, [at(2)]), after) is None
    assert hidden(at(1), Obstacles(unedited, [at(2)]), after) is not None


def test_the_nearest_error_is_named() -> None:
    new = [at(5), at(0), at(2, severity="warning"), at(1, path="n.py")]
    by = hidden(at(1), Obstacles((HidingRule("folder", severity="warning"),), new))
    assert by is not None
    assert by.message == "at 0"


def test_where_a_profile_says_nothing_every_new_error_hides() -> None:
    record = {
        "group": "types", "command": ["x"], "files": {"*.py": "python"}, "rule": "pull",
        "scope": "project", "install": "it is here",
    }  # fmt: skip
    own, far = parse_profile("x", record).hiding_rules
    assert (own, far) == (HidingRule("file"), HidingRule("users", unedited=True))
    assert parse_profile("x", {**record, "scope": "file"}).hiding_rules == (HidingRule("file"),)
    assert parse_profile("x", {**record, "hides": []}).hiding_rules == ()
    for row in ({"within": "block"}, {"within": "users", "added": "x"}):
        with pytest.raises(BadInput, match="must be one of") as caught:
            parse_profile("x", {**record, "hides": [row]})
        assert caught.value.where == "servers.x.hides[0].within"


def said(*findings: Finding) -> list[Answer]:
    return [Answer("p/m.py", "toy", "pull", findings, None, 0.0)]


def test_what_is_new_anywhere_ends_the_look_at_a_folder_and_what_moved_does_not() -> None:
    rules = (HidingRule("users"), HidingRule("folder", codes=(Word("E"),)))
    here, there = at(1, path="p/m.py"), at(1, path="p/n.py")
    assert hushing(rules, said(here), said()) == {"p/m.py"}
    assert hushing(rules, said(here), said(there)) == set()
    assert hushing(rules, said(here, there), said(there)) != set()
    assert hushing(rules, said(at(1, "F", "p/m.py")), said()) == set()
    assert hushing(rules, said(at(1, path="p/m.py", severity="warning")), said()) == set()
    assert hushing(rules[:1], said(here), said()) == set()
