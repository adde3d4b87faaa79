"""The cache of maps: private, shared by processes, and never the reason why a map fails."""

import os
import stat
from pathlib import Path

import pytest

from understudy.disk import map_cache
from understudy.disk.map_cache import MapContent, map_cache_file, open_map_cache
from understudy.shadow.folder import Fingerprint
from understudy.values.errors import OutsideFailure

ROOT, OTHER = Path("/somewhere"), Path("/elsewhere")
MARK = Fingerprint(1, 2, 3, 4)
CONTENT = MapContent("k", "python", "", 10, 2, b"d", b"m", b"e")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(map_cache.CACHE_VARIABLE, str(tmp_path / "cache" / "deep"))
    return map_cache_file()


def test_it_is_for_this_user_alone(file: Path):
    with open_map_cache(file) as cache:
        cache.begin(ROOT, "maker")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_is_put_is_there_for_the_next(file: Path):
    name = os.fsdecode(b"b\xff\n.py")
    with open_map_cache(file) as cache:
        cache.begin(ROOT, "maker")
        cache.put(ROOT, "a.py", MARK, CONTENT, "k")
        cache.put(ROOT, name, MARK, None, "k")
        cache.keep_ranking(ROOT, "tree", b"ranking")
    with open_map_cache(file) as cache:
        assert cache.known(ROOT) == {"a.py": (MARK, "k"), name: (MARK, "k")}
        assert cache.known(OTHER) == {}
        assert (cache.has("k"), cache.has("other")) == (True, False)
        assert list(cache.contents(["k", "x"], "language, n_lines, entries")) == [
            ("k", "python", 10, b"e")
        ]
        assert cache.ranking(ROOT, "tree") == b"ranking"
        assert cache.ranking(ROOT, "other tree") is None
        cache.forget(ROOT, ["a.py"])
        assert list(cache.known(ROOT)) == [name]


def test_what_another_maker_has_made_is_made_anew(file: Path):
    with open_map_cache(file) as cache:
        for root in (ROOT, OTHER):
            cache.begin(root, "maker")
            cache.put(root, "a.py", MARK, CONTENT, "k")
        cache.begin(ROOT, "newer maker")
        assert cache.known(ROOT) == {}
        assert cache.known(OTHER) == {"a.py": (MARK, "k")}
        cache.put(ROOT, "a.py", MARK, None, "k")
        cache.begin(ROOT, "newer maker")
        assert cache.known(ROOT) == {"a.py": (MARK, "k")}


def test_what_nobody_uses_goes_away(file: Path, monkeypatch: pytest.MonkeyPatch):
    today = 20_000
    monkeypatch.setattr(map_cache, "_today", lambda: today)
    with open_map_cache(file) as cache:
        for root, key in ((ROOT, "k"), (OTHER, "o")):
            cache.begin(root, "maker")
            cache.put(root, "a.py", MARK, MapContent(key, "python", "", 1), key)
        today += 20
        cache.begin(ROOT, "maker")
        today += 20
        cache.begin(ROOT, "maker")
        assert (cache.has("k"), cache.has("o")) == (True, False)
        assert (len(cache.known(ROOT)), cache.known(OTHER)) == (1, {})


def test_a_damaged_one_is_made_anew(file: Path):
    file.write_bytes(b"no database" * 1000)
    with open_map_cache(file) as cache:
        cache.begin(ROOT, "maker")
        assert cache.known(ROOT) == {}


def test_a_file_whose_content_is_lost_counts_as_unknown(file: Path):
    with open_map_cache(file) as cache:
        cache.begin(ROOT, "maker")
        cache.put(ROOT, "a.py", MARK, None, "lost")
        assert cache.known(ROOT) == {}


def test_one_that_cannot_be_used_is_a_named_error(tmp_path: Path):
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(OutsideFailure) as caught, open_map_cache(tmp_path / "folder.sqlite"):
        pass
    assert caught.value.code == "cache-failed"
