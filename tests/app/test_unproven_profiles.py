"""What a check makes of servers that nobody has proven, and of those that say nothing at all."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.choosers import chooser
from tests.support.sessions import check_edits, open_session, toy_profile
from tests.support.toy_proofs import TOYS, proof_of
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.find import installed_version
from understudy.langserver.proven.profile_proof import shipped_proofs
from understudy.values.errors import BadInput
from understudy.workspace.branches.checked import Checked
from understudy.workspace.servers.proof_book import ProofBook

STATES = Path(__file__).parent.parent / "data" / "states"
FILES = {"a.txt": "fine\n", "b.txt": "fine\nBAD before\n", "c.py": "fine = 1\n"}
TOY = {"toy": toy_profile("well_behaved", scope="file")}
TRAPS = [sys.executable, "-S", str(TOYS / "traps.py")]


def write(path: str, text: str) -> dict[str, Any]:
    return {"kind": "write", "path": path, "text": text}


async def checked_with(
    tmp_path: Path, book: ProofBook, *edits: dict[str, Any], toys: Any = TOY
) -> Checked:
    async with open_session(tmp_path, FILES, toys) as session:
        session.proofs = book
        session.reconfigure(session.settings, {}, None)
        return await check_edits(session, list(edits))


def said(checked: Checked) -> tuple[str, list[str | None]]:
    """The verdict, and the codes of the reasons of its files."""
    codes = [file.reason and str(file.reason.code) for file in checked.report.files]
    return checked.report.verdict, codes


async def test_silence_of_an_unproven_profile_is_unknown_and_says_what_to_do(tmp_path: Path):
    checked = await checked_with(tmp_path, ProofBook(), write("a.txt", "fine\nand fine\n"))
    assert said(checked) == ("unknown", ["unproven-profile"])
    reason = checked.report.files[0].reason
    assert reason is not None
    assert "`understudy servers prove toy`" in reason.text


async def test_what_an_unproven_server_finds_is_shown_and_attributed_to_nobody(tmp_path: Path):
    checked = await checked_with(tmp_path, ProofBook(), write("a.txt", "fine\nBAD new\n"))
    assert checked.report.verdict == "unknown"
    assert [one.message for one in checked.report.unattributed] == ["BAD new"]
    assert checked.report.introduced == ()


async def test_more_than_an_unproven_server_found_before_counts(tmp_path: Path):
    checked = await checked_with(
        tmp_path, ProofBook(), write("b.txt", "fine\nBAD before\nBAD new\n")
    )
    assert checked.report.verdict == "findings"
    assert [one.message for one in checked.report.introduced] == ["BAD new"]


async def test_what_an_unproven_server_says_no_more_is_not_fixed(tmp_path: Path):
    checked = await checked_with(tmp_path, ProofBook(), write("b.txt", "fine\n"))
    assert said(checked) == ("unknown", ["unproven-profile"])
    assert checked.report.fixed == ()


async def test_a_file_that_an_unproven_server_judged_is_deleted(tmp_path: Path):
    gone = {"kind": "delete", "path": "b.txt"}
    checked = await checked_with(tmp_path, ProofBook(), gone)
    assert said(checked) == ("unknown", ["unproven-profile"])


async def test_a_proof_counts_for_the_same_minor_version_and_no_other(tmp_path: Path):
    proof = proof_of("toy", TOY["toy"])
    edit = write("a.txt", "fine\nand fine\n")
    proven = await checked_with(tmp_path / "1", ProofBook([proof]), edit)
    assert said(proven) == ("clean", [None])
    other = replace(proof, version="another")
    assert said(await checked_with(tmp_path / "2", ProofBook([other]), edit))[0] == "unknown"
    of_another_rule = proof_of("toy", {**TOY["toy"], "rule": "version"})
    assert said(await checked_with(tmp_path / "3", ProofBook([of_another_rule]), edit))[0] == (
        "unknown"
    )


def test_the_users_are_the_profiles_whose_rule_or_scope_the_user_decides() -> None:
    given = {
        "toy": TOY["toy"],
        "ruff": {"settings": {"ruff": {"lint": {}}}, "files": {"*.py": "python"}},
        "ty": {"rule": "version", "scope": "file"},
    }
    assert Catalogue.load(given).own == {"toy", "ty"}


async def test_a_server_that_objects_to_nothing_is_silent_and_not_clean(tmp_path: Path):
    silent = {"toy": toy_profile("well_behaved", scope="file", command=[*TRAPS, "Silent"])}
    silent["toy"]["objections"] = {"python": "BAD TEXT"}
    book = ProofBook([proof_of("toy", silent["toy"])])
    checked = await checked_with(tmp_path, book, write("c.py", "fine = 2\n"), toys=silent)
    assert said(checked) == ("unknown", ["silent"])
    reason = checked.report.files[0].reason
    assert reason is not None
    assert "its configuration may leave this file out, or silence it" in reason.text


async def test_a_server_that_has_spoken_is_not_asked_for_an_objection(tmp_path: Path):
    """Its objection stands in no answer, and what it found is enough."""
    broken = {"toy": toy_profile("well_behaved", scope="file", command=[*TRAPS, "SilentOnBroken"])}
    broken["toy"]["objections"] = {"python": "BROKEN TEXT"}
    book = ProofBook([proof_of("toy", broken["toy"])])
    alone = await checked_with(tmp_path / "1", book, write("c.py", "fine = 2\n"), toys=broken)
    assert said(alone) == ("unknown", ["silent"])
    both = await checked_with(
        tmp_path / "2", book, write("c.py", "fine = 2\n"), write("d.py", "BAD\n"), toys=broken
    )
    assert said(both) == ("findings", [None, None])


async def test_each_process_of_a_users_server_is_asked_for_an_objection(tmp_path: Path):
    """What configures it is known as well as its user has told."""
    toy = toy_profile("well_behaved", scope="file", command=[*TRAPS, "Right"])
    toy["objections"] = {"plaintext": "BAD us_mark"}
    async with open_session(tmp_path, {"a.txt": "fine\n"}, {"toy": toy}) as session:
        for number, expected in enumerate((("clean", [None]), ("unknown", ["silent"]))):
            checked = await check_edits(session, [write("a.txt", f"fine {number}\n")])
            assert said(checked) == expected
            (session.root.path / "quiet.cfg").write_text("")
            session.pool.retire(lambda _spec: True)


@pytest.mark.parametrize(("schema", "refuted"), [(1, False), (2, True)])
def test_proofs_of_the_schemas_before_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: int, refuted: bool
) -> None:
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path))
    kept = STATES / f"proofs-{schema}.json"
    (tmp_path / "proofs.json").write_bytes(kept.read_bytes())
    book = ProofBook()
    assert [(proof.server, proof.drilled) for proof in book.made] == [
        ("ruff", False), ("tombi", False),
    ]  # fmt: skip
    assert not book.has_refuted("ruff")
    book.add(replace(book.made[0], refuted="it was wrong"))
    assert ProofBook().has_refuted("ruff")
    assert ProofBook().has_refuted("tombi") is refuted
    (tmp_path / "proofs.json").write_text('{"schema": 4, "proofs": []}')
    with pytest.raises(BadInput, match="no list of proofs of schema 3"):
        _ = ProofBook().made


def test_a_refutation_counts_at_once_and_one_that_cannot_be_read_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path))
    (bin_folder := tmp_path / "bin").mkdir()
    servers = chooser(tmp_path, bin_folder, "ruff")
    (ruff,) = servers.choose("a.py", ("ruff",))
    assert ruff.spec is not None
    assert ruff.doubt is None
    proof = next(one for one in shipped_proofs() if one.server == "ruff")
    version = installed_version(ruff.spec.command, servers.root.path)
    ProofBook().add(replace(proof, version=version, refuted="it was wrong"))
    (ruff,) = servers.choose("a.py", ("ruff",))
    assert ruff.doubt is not None
    assert ruff.doubt.code == "unproven-profile"
    for text in ('{"schema": 4, "proofs": []}', "damaged"):
        (tmp_path / "proofs.json").write_text(text)
        (ruff,) = servers.choose("a.py", ("ruff",))
        assert ruff.doubt is None
    with pytest.raises(BadInput, match="cannot be read"):
        ProofBook().add(proof)
