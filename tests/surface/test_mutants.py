"""The list of mutants that no test kills is about the code as it is."""

from __future__ import annotations

import pytest

from tools.mutants.__main__ import ROOT, change, listed, tell

PACKAGE = ROOT / "server" / "understudy"
GROUPS = listed()
DIFF = """--- src/understudy/findings/delta.py
+++ src/understudy/findings/delta.py
@@ -1,3 +1,3 @@
 def f(x):
-    return x + 1
+    return x - 1
"""


@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_what_the_list_names_is_there(group: dict[str, list[str]]) -> None:
    texts = {module: (PACKAGE / module).read_text() for module in group["modules"]}
    assert not [test for test in group["tests"] if not (ROOT / test).exists()]
    for one in group["survivors"]:
        assert isinstance(one, dict)
        assert one.keys() == {"in", "was", "is", "why"}, one
        module = one["in"].split(".")[:2]
        lines = {line.strip() for line in texts["/".join(module) + ".py"].splitlines()}
        assert {*one["was"].splitlines()} <= lines, one


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("findings.delta.x__same_block__mutmut_7", "findings.delta._same_block"),
        ("findings.line_map.xǁLineMapǁto_after__mutmut_12", "findings.line_map.LineMap.to_after"),
    ],
)
def test_a_mutant_is_known_by_what_it_changes(name: str, function: str) -> None:
    assert change(f"understudy.{name}", DIFF) == {
        "in": function,
        "was": "return x + 1",
        "is": "return x - 1",
    }


def test_what_is_new_and_what_is_gone_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    one = {"in": "findings.delta.f", "was": "return x + 1", "is": "return x - 1"}
    other = {**one, "is": "return x + 2"}
    group = {"survivors": [{**one, "why": "it is the same"}]}
    assert tell("deltas", group, [one], 9) == 0
    assert capsys.readouterr().out == "deltas: 8 of 9 killed\n"
    assert tell("deltas", group, [other], 9) == 1
    said = capsys.readouterr().out
    assert "survives, and is not listed:\nin = 'findings.delta.f'" in said
    assert "is = 'return x + 2'" in said
    assert "is listed, and is killed" in said
