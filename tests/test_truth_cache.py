"""What the truth that is kept depends on: all that can change it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import truth_cache
from tests.support.kits import COMMANDS, PAIRINGS
from tests.support.truth_cache import _declaration, _key, _packages

RUFF = PAIRINGS["ruff"].oracle
"""The quickest to ask for; which is asked makes no difference here."""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a package in the way of this Python, or another version of it."""
    monkeypatch.syspath_prepend(tmp_path)

    def put(name: str, version: str, needs: str = "") -> None:
        records = tmp_path / f"{name}-1.dist-info"
        records.mkdir(exist_ok=True)
        need = f"Requires-Dist: {needs}\n" if needs else ""
        (records / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{need}"
        )
        (records / "top_level.txt").write_text(f"{name}\n")
        for kept in (truth_cache._provided, truth_cache._named):
            kept.cache_clear()

    yield put
    monkeypatch.undo()
    for kept in (truth_cache._provided, truth_cache._named):
        kept.cache_clear()


def test_a_package_counts_that_an_import_names_and_what_it_needs(install):
    install("aaa", "1.0", 'bbb>=2; extra == "more"')
    install("bbb", "2.0")
    texts = {"a.py": "import os, \\\n    aaa.inner as x\n", "b.py": "x = 1\n"}
    before = _key(RUFF, texts)
    assert "aaa==1.0" in _packages(texts)
    install("bbb", "2.1")
    between = _key(RUFF, texts)
    install("aaa", "1.1", 'bbb>=2; extra == "more"')
    assert len({before, between, _key(RUFF, texts)}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "if x: import aaa\n",
        "try:\n    from aaa.inner import (\n    one)\nexcept ImportError: pass\n",
        "x = 1; import aaa\n",
        "import os, aaa as a  # that one\n",
        '{"source": ["x = 1\\n", "import aaa\\n"]}',
    ],
)
def test_each_form_of_import_counts(install, text: str):
    install("aaa", "1.0")
    assert "aaa==1.0" in _packages({"a.py": text})
    assert "aaa==1.0" in _packages({"a.pyi": text})


def test_a_plugin_that_a_configuration_names_counts(install):
    install("aaa", "1.0")
    assert "aaa==1.0" in _packages({"a.py": "", "mypy.ini": "[mypy]\nplugins = aaa.plugin\n"})


def test_a_package_that_comes_in_counts_where_it_is_named(install):
    texts = {"a.py": "import aaa\n"}
    before = _key(RUFF, texts)
    install("aaa", "1.0")
    assert _key(RUFF, texts) != before


def test_what_no_text_names_does_not_count(install):
    texts = {"a.py": "import os\n\naaa = 1\n", "b.py": '"""Made from aaa: all of it."""\n'}
    before = _key(RUFF, texts)
    install("aaa", "1.0")
    assert _key(RUFF, texts) == before


def test_other_languages_do_not_look_into_packages(install):
    install("aaa", "1.0")
    assert _packages({"a.ts": 'import "aaa"\n', "tsconfig.json": "{}"}) == []


def test_the_code_of_an_oracle_is_all_that_it_leads_to_and_not_that_of_another():
    ty, zuban = ("\n".join(_declaration(PAIRINGS[name].oracle)) for name in ("ty", "zuban"))
    assert "def _ty(" in ty
    assert not any(other in ty for other in ("def _lines_of_mypy(", "def _python(", "KITS"))
    assert all(f"def {name}(" in zuban for name in ("_each_module", "_zuban", "_lines_of_mypy"))
    assert "KITS" not in "\n".join(_declaration(PAIRINGS["basedpyright"].oracle))
    assert "_MYPY_LINE = re.compile" in zuban
    assert "'mypy'" in "\n".join(_declaration(COMMANDS["mypy"].oracle))


def test_an_edit_has_a_key_of_its_own():
    one, other = ({"a.py": text} for text in ("x = 1\n", "x = 2\n"))
    assert _key(RUFF, one) != _key(RUFF, other)
    assert _key(RUFF, one) != _key(PAIRINGS["basedpyright"].oracle, one)
