"""Configuration that takes other files, in each form, and an edit that these decide about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.projects import project

LIBRARY = {
    path: text
    for path, text in project("javascript").files.items()
    if path.startswith("node_modules/")
}
PYTHON = {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n"}
RUFF = (PYTHON, "src/b.py", "assert print\n", 'lint.select = ["S101"]\n', "")
PYRIGHT = (
    PYTHON,
    "src/b.py",
    "def f() -> int:\n    return ''\n",
    '{"reportReturnType": "error"}\n',
    '{"reportReturnType": "none"}\n',
)
KNOWN = {
    "code": "reportReturnType",
    "range": {"startColumn": 11, "endColumn": 13, "lineCount": 1},
}
SCRIPT = {"src/a.ts": "export const a = 1;\n", "src/b.ts": "export const b = 1;\n"}
TYPESCRIPT = (
    {**SCRIPT, "package.json": '{"name": "p"}\n'},
    "src/b.ts",
    "export const b = (x) => x;\n",
    '{"compilerOptions": {"noImplicitAny": true}}\n',
    '{"compilerOptions": {"noImplicitAny": false}}\n',
)
ESLINT = (
    {**LIBRARY, "src/a.mjs": "export const a = 1;\n", "src/b.mjs": "export const b = 1;\n"},
    "src/b.mjs",
    "export const b = unknown;\n",
    'module.exports = { "no-undef": "error" };\n',
    'module.exports = { "no-undef": "off" };\n',
)
ESLINT_ABOVE = (
    *ESLINT[:3],
    'module.exports = [{ rules: { "no-undef": 2 } }];\n',
    'module.exports = [{ rules: { "no-undef": 0 } }];\n',
)
ESLINT_READS = (*ESLINT[:3], '{"no-undef": 2}\n', '{"no-undef": 0}\n')
READS = """\
const fs = require("node:fs"), path = require("node:path");
const rules = JSON.parse(fs.readFileSync({}, "utf8"));
module.exports = [{{ rules }}];
"""
COMPUTED = '__dirname + "/conf/" + ["rules", "json"].join(".")'
MODULE = (*ESLINT[:3], 'export default { "no-undef": 2 };\n', 'export default { "no-undef": 0 };\n')


@dataclass(frozen=True)
class Case:
    """A server, what configures it, and the file that this takes; told strict, or not (None)."""

    server: str
    language: tuple[Mapping[str, str], str, str, str, str]
    taken: str
    configuration: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def strict(self) -> str:
        return self.language[3]

    @property
    def lax(self) -> str:
        return self.language[4]


def flat(imported: str) -> str:
    return f'module.exports = [{{ rules: require("{imported}") }}];\n'


CASES = {
    "ruff": Case(
        "ruff", RUFF, "shared/rules.toml", {"ruff.toml": 'extend = "shared/rules.toml"\n'}
    ),
    "ruff-pyproject": Case(
        "ruff", RUFF, "base.toml", {"pyproject.toml": '[tool.ruff]\nextend = "./base.toml"\n'}
    ),
    "ruff-chain": Case(
        "ruff",
        RUFF,
        "more/last.toml",
        {"ruff.toml": 'extend = "one.toml"\n', "one.toml": 'extend = "more/last.toml"\n'},
    ),
    "ruff-up": Case(
        "ruff",
        RUFF,
        "with space/rules.toml",
        {"src/ruff.toml": 'extend = "../with space/rules.toml"\n'},
    ),
    "ruff-no-ending": Case("ruff", RUFF, "rules", {"ruff.toml": 'extend = "rules"\n'}),
    "ruff-outside": Case(
        "ruff", RUFF, "../rules.toml", {"ruff.toml": 'extend = "../rules.toml"\n'}
    ),
    "ruff-home": Case(
        "ruff", RUFF, "../home/rules.toml", {"ruff.toml": 'extend = "~/rules.toml"\n'}
    ),
    "ruff-variable": Case(
        "ruff", RUFF, "../home/rules.toml", {"ruff.toml": 'extend = "${HOME}/rules.toml"\n'}
    ),
    "ruff-of-the-user": Case("ruff", RUFF, "../home/.config/ruff/ruff.toml"),
    "ruff-above": Case("ruff", RUFF, "../ruff.toml"),
    "eslint-above": Case("eslint", ESLINT_ABOVE, "../eslint.config.cjs"),
    "basedpyright": Case(
        "basedpyright",
        PYRIGHT,
        "shared/p.json",
        {"pyrightconfig.json": '{"extends": "shared/p.json"}'},
    ),
    "basedpyright-pyproject": Case(
        "basedpyright",
        PYRIGHT,
        "p.jsonc",
        {"pyproject.toml": '[tool.pyright]\nextends = "p.jsonc"\n'},
    ),
    "pyright-chain": Case(
        "pyright",
        PYRIGHT,
        "of all/base",
        {
            "pyrightconfig.json": '{"extends": "shared/p.json"}',
            "shared/p.json": '{"extends": "../of all/base"}',
        },
    ),
    "typescript": Case(
        "typescript-language-server",
        TYPESCRIPT,
        "shared/base.json",
        {"tsconfig.json": '{"extends": "./shared/base", "include": ["src"]}'},
    ),
    "typescript-package": Case(
        "typescript-language-server",
        TYPESCRIPT,
        "node_modules/@our/conf/base.json",
        {
            "tsconfig.json": '{"extends": "@our/conf/base.json", "include": ["src"]}',
            "node_modules/@our/conf/package.json": '{"name": "@our/conf"}',
        },
    ),
    "typescript-reference": Case(
        "typescript-language-server",
        TYPESCRIPT,
        "options",
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./apart.json"}]}',
            "apart.json": '{"extends": "./options", "include": ["src"]}',
        },
    ),
    "typescript-package-above": Case(
        "typescript-language-server",
        TYPESCRIPT,
        "../node_modules/@our/conf/base.json",
        {
            "tsconfig.json": '{"extends": "@our/conf/base.json", "include": ["src"]}',
            "../node_modules/@our/conf/package.json": '{"name": "@our/conf"}',
        },
    ),
    "typescript-package-exports": Case(
        "typescript-language-server",
        TYPESCRIPT,
        "node_modules/@our/conf/all/base.json",
        {
            "tsconfig.json": '{"\\u0065xtends": "@our/conf/base", "include": ["src"]}',
            "node_modules/@our/conf/package.json": '{"exports": {"./*": "./all/*.json"}}',
        },
    ),
    "basedpyright-baseline": Case(
        "basedpyright",
        (*PYRIGHT[:3], '{"files": {}}', json.dumps({"files": {"./src/b.py": [KNOWN]}})),
        "known.json",
        {"pyrightconfig.json": '{"baselineFile": "known.json", "reportReturnType": "error"}'},
    ),
    "basedpyright-usual-baseline": Case(
        "basedpyright",
        (*PYRIGHT[:3], '{"files": {}}', json.dumps({"files": {"./src/b.py": [KNOWN]}})),
        ".basedpyright/baseline.json",
        {"pyrightconfig.json": '{"reportReturnType": "error"}'},
    ),
    "typescript7": Case(
        "typescript7",
        TYPESCRIPT,
        "shared/base",
        {"tsconfig.json": '{"extends": "./shared/base", "include": ["src"]}'},
    ),
    "eslint": Case("eslint", ESLINT, "lint/rules.js", {"eslint.config.js": flat("./lint/rules")}),
    "eslint-folder": Case(
        "eslint", ESLINT, "lint/index.cjs", {"eslint.config.js": flat("./lint/index.cjs")}
    ),
    "eslint-module": Case(
        "eslint",
        MODULE,
        "rules.mjs",
        {"eslint.config.mjs": 'import rules from "./rules.mjs";\nexport default [{ rules }];\n'},
    ),
    "eslint-reads": Case(
        "eslint",
        ESLINT_READS,
        "conf/rules.json",
        {"eslint.config.js": READS.format('path.join(__dirname, "conf/rules.json")')},
    ),
    "eslint-reads-computed": Case(
        "eslint",
        ESLINT_READS,
        "conf/rules.json",
        {"eslint.config.js": READS.format(COMPUTED)},
    ),
    "eslint-reads-joined": Case(
        "eslint",
        ESLINT_READS,
        "conf/more/rules.json",
        {"eslint.config.js": READS.format('path.join(__dirname, "conf", "more", "rules.json")')},
    ),
    "eslint-reads-added": Case(
        "eslint",
        ESLINT_READS,
        "conf/rules.json",
        {"eslint.config.js": READS.format('__dirname + "/conf/rules" + ".json"')},
    ),
    "eslint-imports-computed": Case(
        "eslint",
        ESLINT,
        "lint/rules.js",
        {"eslint.config.js": 'module.exports = [{ rules: require(__dirname + "/lint/rules") }];\n'},
    ),
    "eslint-imports-by-another-name": Case(
        "eslint",
        ESLINT,
        "lint/rules.cjs",
        {
            "eslint.config.mjs": 'import { createRequire } from "node:module";\n'
            "const load = createRequire(import.meta.url);\n"
            'export default [{ rules: load("./lint/rules.cjs") }];\n'
        },
    ),
    "eslint-folder-main": Case(
        "eslint",
        ESLINT,
        "lint/rules.js",
        {"eslint.config.js": flat("./lint"), "lint/package.json": '{"main": "rules.js"}'},
    ),
    "eslint-package-main": Case(
        "eslint",
        ESLINT,
        "node_modules/our-rules/rules.js",
        {
            "eslint.config.js": flat("our-rules"),
            "node_modules/our-rules/package.json": '{"main": "rules.js"}',
        },
    ),
    "eslint-own-name": Case(
        "eslint",
        MODULE,
        "lint/rules.mjs",
        {
            "package.json": '{"name": "p", "exports": {"./rules": "./lint/rules.mjs"}}',
            "eslint.config.mjs": 'import rules from "p/rules";\nexport default [{ rules }];\n',
        },
    ),
    "eslint-private-name": Case(
        "eslint",
        MODULE,
        "lint/rules.mjs",
        {
            "package.json": '{"name": "p", "imports": {"#rules": "./lint/rules.mjs"}}',
            "eslint.config.mjs": 'import rules from "#rules";\nexport default [{ rules }];\n',
        },
    ),
    "eslint-package": Case(
        "eslint",
        ESLINT,
        "node_modules/our-rules/index.js",
        {
            "eslint.config.js": flat("our-rules"),
            "node_modules/our-rules/package.json": '{"name": "our-rules"}',
        },
    ),
}  # fmt: skip
