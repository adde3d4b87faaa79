"""Whose work a package carries: a bill of materials (CycloneDX), and the licences with their texts.

An extension has both inside. Written anew they are the same bytes: times and numbers come from the
commit and from what is in it.
"""

from __future__ import annotations

import email
import json
import os
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from email.message import Message
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from packageurl import PackageURL

from tools.provision import ProvisionError

ROOT = Path(__file__).resolve().parents[2]
METAFILE = ROOT / "build" / "extension.json"
"""What esbuild says that it put into the extension's one file."""

BILL, NOTICES = "sbom.cdx.json", "THIRD-PARTY.txt"
ALLOWED = frozenset(
    (
        *("Apache-2.0", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "MIT OR Apache-2.0"),
        *("MPL-2.0", "PSF-2.0"),
    )
)
"""Licences of which works may come along with ours."""

_CLASSIFIERS = {
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_SPACE = uuid.UUID("0f0a3ec4-6f0c-5d3a-9d1c-3f6f6d9c2a11")
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|authors|third-?party)", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Part:
    """One work of others: where it is from (`pypi`, `npm`, `data`), and under which licence."""

    kind: str
    name: str
    version: str
    licence: str
    texts: tuple[str, ...]


def describe(folder: Path, target: str, version: str) -> None:
    """Write the bill and the notices into an extension's folder; raises ProvisionError."""
    parts = parts_of(folder)
    check_licences(parts)
    name = f"understudy-{target}"
    (folder / BILL).write_text(bill(name, version, parts), encoding="utf-8")
    (folder / NOTICES).write_text(notices(parts), encoding="utf-8")


def parts_of(folder: Path) -> list[Part]:
    """What an extension's folder carries beside our own."""
    found = installed_parts(folder / "bundled" / "libs")
    found += _bundled_scripts(json.loads(METAFILE.read_text(encoding="utf-8")))
    found.append(_rules_of_secrets(folder / "bundled" / "libs" / "understudy"))
    servers = folder / "bundled" / "servers"
    if servers.is_dir():
        found.append(_of_npm(servers / "typescript-language-server"))
        pins = (ROOT / "tools" / "bundle.lock").read_text(encoding="utf-8")
        for name in sorted(path.name for path in (servers / "licences").iterdir()):
            (pinned,) = re.findall(rf"^{name}==(\S+)", pins, re.MULTILINE)
            found.append(Part("pypi", name, pinned, "MIT", _texts(servers / "licences" / name)))
    return sorted(found)


def installed_parts(libraries: Path) -> list[Part]:
    """The libraries that were installed into a folder, by the records beside them."""
    found: list[Part] = []
    for records in sorted(libraries.glob("*.dist-info")):
        told = email.message_from_string((records / "METADATA").read_text(encoding="utf-8"))
        texts = _texts(records) + _texts(records / "licenses")
        found.append(Part("pypi", told["Name"], told["Version"], _licence(told), texts))
    return found


def check_licences(parts: Iterable[Part]) -> None:
    """Raise ProvisionError where a part has no licence, or one that does not go with ours."""
    wrong = [f"{part.name} ({part.licence or 'none named'})" for part in parts
             if part.licence not in ALLOWED or not part.texts]  # fmt: skip
    if wrong:
        advice = (
            "do without, or look whether it may come along and add it to tools/release/parts.py"
        )
        raise ProvisionError(f"licences that do not go with ours: {', '.join(wrong)}", advice)


def bill(name: str, version: str, parts: Sequence[Part], sha256: str | None = None) -> str:
    """The bill of materials as CycloneDX 1.6, which its own schema has been held against."""
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=sha256)] if sha256 else []
    whole = Component(
        name=name, version=version, type=ComponentType.APPLICATION, bom_ref=name,
        licenses=[LicenseFactory().make_from_string("MIT")], hashes=hashes,
    )  # fmt: skip
    components = [_component(part) for part in parts]
    content = "\n".join([name, version, sha256 or "", *map(repr, parts)])
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    bom = Bom(
        components=components,
        serial_number=uuid.uuid5(_SPACE, content),
        metadata=BomMetaData(component=whole, timestamp=made),
        dependencies=[
            Dependency(whole.bom_ref, [Dependency(one.bom_ref) for one in components]),
            *(Dependency(one.bom_ref) for one in components),
        ],
    )
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    # Loading it takes a second, which every test process would spend before its first test.
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415

    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong is not None:
        raise ProvisionError(f"the bill of {name} is no CycloneDX: {wrong}", "see bill()")
    return text + "\n"


def notices(parts: Sequence[Part]) -> str:
    """A list of the parts, and the text of every licence, each once."""
    lines = ["What this package carries of others, and under which licence.", ""]
    lines += [f"{part.name} {part.version}: {part.licence}" for part in parts]
    owners: dict[str, list[str]] = {}
    for part in parts:
        for text in part.texts:
            owners.setdefault(text, []).append(part.name)
    for text, names in owners.items():
        lines += ["", "-" * 80, ", ".join(dict.fromkeys(names)), "", text]
    return "\n".join(lines) + "\n"


def _component(part: Part) -> Component:
    place = f"{part.kind}/{part.name}"
    purl = None if part.kind == "data" else PackageURL(part.kind, None, part.name, part.version)
    kind = ComponentType.DATA if part.kind == "data" else ComponentType.LIBRARY
    return Component(
        name=part.name, version=part.version, type=kind, purl=purl,
        bom_ref=f"{place}@{part.version}",
        licenses=[LicenseFactory().make_from_string(part.licence)] if part.licence else [],
    )  # fmt: skip


def _licence(told: Message) -> str:
    """The licence as SPDX writes it: what the metadata say of it has had three forms."""
    if told["License-Expression"]:
        return told["License-Expression"]
    for line in told.get_all("Classifier", []):
        if (name := line.rpartition(" :: ")[2]) in _CLASSIFIERS and line.startswith("License"):
            return _CLASSIFIERS[name]
    return told["License"] or ""


def _bundled_scripts(metafile: dict[str, dict[str, object]]) -> list[Part]:
    inside = {re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", name) for name in metafile["inputs"]}
    names = sorted({match[1] for match in inside if match})
    return [_of_npm(ROOT / "node_modules" / name) for name in names]


def _of_npm(folder: Path) -> Part:
    told = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    return Part("npm", told["name"], told["version"], told["license"], _texts(folder))


def _rules_of_secrets(package: Path) -> Part:
    (licence,) = package.rglob("gitleaks.LICENSE")
    source = json.loads(licence.with_name("gitleaks.json").read_text(encoding="utf-8"))["source"]
    source = source.rpartition(", ")[2]
    return Part("data", "gitleaks", source, "MIT", (licence.read_text(encoding="utf-8"),))


def _texts(folder: Path) -> tuple[str, ...]:
    """The texts of a folder's own licences."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    wanted = [path for path in files if path.is_file() and _LICENCE_FILE.match(path.name)]
    return tuple(path.read_text(encoding="utf-8").strip() for path in wanted)
