"""What the verbs on servers answer, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.servers.add import AddedResult
    from understudy.app.servers.listing import ServerEntry
    from understudy.app.servers.prove import ServerProof
    from understudy.workspace.proving.drill import Group


def list_text(entries: Iterable[ServerEntry]) -> str:
    """A line each: name, languages, installed or how, proven or not."""
    rows = [(one.choice.name, _languages(one), _installed(one), _standing(one)) for one in entries]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = (
        f"{name:<{widths[0]}}  {languages:<{widths[1]}}  {installed}; {standing}"
        for name, languages, installed, standing in rows
    )
    return "".join(f"{printable(line)}\n" for line in lines)


def entry_json(entry: ServerEntry) -> dict[str, Any]:
    """One profile with what is known of it."""
    choice, proof = entry.choice, entry.proof
    return {
        "name": choice.name,
        "languages": sorted(choice.profile.languages),
        "group": choice.profile.group,
        "rule": choice.profile.rule,
        "scope": choice.profile.scope,
        "own": entry.own,
        "installed": choice.spec is not None,
        "version": entry.version,
        "command": [] if choice.spec is None else list(choice.spec.command),
        "added": None if choice.added is None else str(choice.added.folder),
        "missing": entry.missing,
        "install": choice.profile.how_to_install,
        "standing": entry.standing,
        "refuted": entry.refuted,
        "proof": None if proof is None else _proof_json(proof),
    }


def show_text(entry: ServerEntry) -> str:
    """Everything that is known of one profile, a line each."""
    shown = entry_json(entry)
    proof: dict[str, Any] = shown.pop("proof") or {}
    rows = {**shown, **{f"proof.{key}": value for key, value in proof.items()}}
    told = {key: value for key, value in rows.items() if value not in ("", [], None)}
    lines = (f"{key:<17} {_plain(value)}" for key, value in told.items())
    return "".join(f"{printable(line)}\n" for line in lines)


def proof_json(found: ServerProof) -> dict[str, Any]:
    """The report of a proof."""
    proving = found.proving
    return {
        "schema": 1,
        "server": proving.asked_for.name,
        "version": proving.version,
        "proven": found.is_kept,
        "why": proving.why,
        "kit": list(proving.kit.languages),
        "tried": [
            {
                "rule": tried.profile.rule,
                "scope": tried.profile.scope,
                "reads_disk": tried.profile.reads_disk,
                "wrong": tried.refuted,
                "groups": [_group_json(group) for group in tried.groups],
            }
            for tried in proving.tried
        ],
        "changed": {key: _jsonable(value) for key, value in proving.changed.items()},
        "written": None if found.written is None else str(found.written),
        "proof": None if proving.proof is None else _proof_json(proving.proof),
        "seconds": round(proving.seconds, 1),
        "resident_bytes": proving.heaviest,
    }


def proof_text(found: ServerProof) -> str:
    """The same for a person to read, and to send."""
    return "".join(f"{printable(line)}\n" for line in _report(found))


def added_json(found: AddedResult) -> dict[str, Any]:
    """What came of adding a server."""
    return {
        "server": found.plan.profile.name,
        "packages": list(found.plan.packages),
        "folder": None if found.folder is None else str(found.folder),
        "there": found.plan.there,
        "proven": found.proof is not None and found.proof.is_kept,
        "why": found.why,
        "proof": None if found.proof is None else proof_json(found.proof),
    }


def added_text(found: AddedResult) -> str:
    """The same for a person."""
    name = found.plan.profile.name
    if found.plan.there:
        unproven = "" if found.is_right else f"; not proven: `understudy servers prove {name}`"
        return f"{printable(f'{name} is installed already: {found.plan.there}{unproven}')}\n"
    lines = [f"installed: {found.plan.text}", f"into {found.folder}"]
    if found.proof is not None:
        lines += _report(found.proof)
    if found.why:
        lines.append(found.why)
    if found.folder is None:
        lines = [*lines[2:], f"{name} answers wrong, so it was taken away again"]
    return "".join(f"{printable(line)}\n" for line in lines)


def _report(found: ServerProof) -> Iterator[str]:
    proving = found.proving
    name = proving.asked_for.name
    megabytes = proving.heaviest / 1024**2
    took = f"{proving.seconds:.1f} s, at most {megabytes:.0f} MB"
    languages = ", ".join(proving.kit.languages)
    yield f"{name} {proving.version}, asked by the kit for {languages} ({took})"
    for tried in proving.tried:
        disk = ", from disk" if tried.profile.reads_disk else ""
        verdict = "right" if tried.refuted is None else f"not right: {tried.refuted}"
        yield f"rule {tried.profile.rule}, scope {tried.profile.scope}{disk}: {verdict}"
        for group in tried.groups:
            unknown = f", {group.unknown} unknown" if group.unknown else ""
            yield f"  {group.name:<28} {group.asked:>3} asked{unknown}, {group.median_ms:.1f} ms"
    if proving.proof is None:
        why = proving.why or "no rule was right in every answer"
        yield f"not proven: {why}"
        if found.silence_counts and proving.refutation is not None:
            yield f"this is not kept: {name} was asked with a kit or settings that are not ours"
        elif found.silence_counts:
            yield f"no answer was wrong, so the silence of {name} counts as before"
        else:
            yield f"its findings are shown, and its silence is `unknown: unproven-profile` ({name})"
        return
    changed = [f"{key} = {json.dumps(_jsonable(value))}" for key, value in proving.changed.items()]
    if not found.is_kept:
        yield f"not proven as it is written; it is right with {', '.join(changed)}"
        yield "put that into the profile, and prove it again"
        return
    if found.written is not None:
        yield f"written to {found.written}: {', '.join(changed)}"
    proof = proving.proof
    unknown = f", {proof.unknown} of them unknown" if proof.unknown else ""
    yield f"proven: {proof.asked} questions{unknown}, none wrong; the silence of {name} counts now"


def _group_json(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "asked": group.asked,
        "unknown": group.unknown,
        "median_ms": round(group.median_ms, 1),
    }


def _proof_json(proof: object) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415 - for JSON only

    found: dict[str, Any] = asdict(proof)  # pyright: ignore[reportArgumentType]
    return {key: _jsonable(value) for key, value in found.items() if key != "objections"}


def _jsonable(value: object) -> Any:  # noqa: ANN401 - a value of JSON
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value


def _plain(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, cast("list[object]", value)))
    return str(_jsonable(value))


def _languages(entry: ServerEntry) -> str:
    return ",".join(sorted(entry.choice.profile.languages))


def _installed(entry: ServerEntry) -> str:
    if entry.choice.spec is None:
        return entry.missing
    added = ", added" if entry.choice.added is not None else ""
    return f"installed ({entry.version}{added})"


def _standing(entry: ServerEntry) -> str:
    if entry.standing == "command":
        return "a command, its output is its evidence"
    if entry.refuted:
        return f"answered wrong when it was {'drilled' if entry.drilled else 'proven'}"
    if entry.proof is not None:
        return f"{'drilled' if entry.proof.drilled else 'proven'} with {entry.proof.version}"
    if not entry.own:
        return "ours, not tried with this version" if entry.version else "ours"
    return "not proven for this version" if entry.version else "not proven"
