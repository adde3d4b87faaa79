"""The text of a map: within its budget, members with what holds them, what is cut is counted."""

import re

import pytest

from understudy.ranking.map_text import LEAST_BUDGET, MapHead, Row, map_text

ROWS = [
    [
        Row(1, 9, 0, "class A", -1),
        Row(2, 3, 1, "def one(self)", 0),
        Row(5, 9, 1, "def two(self)", 0),
    ],
    [Row(4, 4, 0, "LIMIT = 3", -1), Row(6, 8, 0, "def late(" + "x, " * 200 + ")", -1)],
]
PATHS = ["a.py", "deep/b.py"]
HEAD = MapHead("folder", "abc123", 2, 17, 5, {})


def shown(order: list[tuple[int, int]], budget: int = 1000, head: MapHead = HEAD) -> str:
    return map_text(head, iter(order), PATHS, ROWS.__getitem__, budget).text


ALL = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]


def test_files_by_their_first_declaration_and_declarations_by_line():
    assert shown([(1, 0), (0, 2), (0, 1), (1, 1)]).splitlines() == [
        "# map of folder: 2 files, 17 lines, 5 declarations, stamp abc123",
        "# most referenced first; START-END are lines; .gitignore is honoured",
        "deep/b.py",
        " 4: LIMIT = 3",
        " 6-8: " + ROWS[1][1].signature[:159] + "…",
        "a.py",
        " 1-9: class A",
        "  2-3: def one(self)",
        "  5-9: def two(self)",
    ]


def test_what_has_no_room_is_counted():
    text = shown([(0, 1)])
    *body, last = text.splitlines()[2:]
    assert body == ["a.py", " 1-9: class A", "  2-3: def one(self)"]
    assert last.startswith("# not shown: 3 declarations, 1 whole files; ")


@pytest.mark.parametrize("budget", range(LEAST_BUDGET, 140, 5))
def test_the_budget_is_kept(budget: int):
    rows = [[Row(n, n, 0, f"def function_{n}(argument)", -1) for n in range(300)]]
    head = MapHead("f", "s", 1, 300, 300, {})
    made = map_text(head, ((0, n) for n in range(300)), ["a.py"], rows.__getitem__, budget)
    size = len(made.text.encode())
    assert 0.8 * budget * 4 <= size <= budget * 4
    (hidden,) = re.findall(r"# not shown: (\d+) declarations", made.text)
    assert int(hidden) + made.n_shown == 300


def test_the_head_counts_what_is_missing_and_names_the_task():
    head = MapHead("f", "s", 2, 17, 5, {"unreadable": 2, "not-text": 1}, ("a.py",))
    lines = shown(ALL, head=head).splitlines()
    assert "# weighted for a.py" in lines
    assert "# not in it: 1 not-text, 2 unreadable" in lines
