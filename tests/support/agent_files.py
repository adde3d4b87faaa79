"""Configurations of agents as people have them by hand: thirty texts for each form of file."""

from __future__ import annotations

from understudy.workspace.agents.profile import Form

_JSON = (
    "{}",
    "{}\n",
    "{\n}\n",
    "{ }",
    '{"a": 1}',
    '{"a":1,"b":[1,2,{"c":null}]}\n',
    '{ "a" : 1 }\n',
    '{\n  "a": 1\n}',
    '{\n  "a": 1\n}\n\n',
    '{\n    "z": 1,\n    "a": [1.50, 1e3, -0.0],\n    "n": 12345678901234567890\n}\n',
    '{\n\t"tab": {\n\t\t"deep": true\n\t}\n}\n',
    '{\n  "mcpServers": {}\n}\n',
    '{\n  "mcpServers": {\n  }\n}\n',
    '{\n  "mcpServers": {\n    "other": {"command": "o", "args": ["1"]}\n  }\n}\n',
    '{"mcpServers": {"other": {"command": "o"}}}',
    '{\n  "mcp": {"other": {"type": "local", "command": ["o"]}},\n  "theme": "x"\n}\n',
    '{\n  "hooks": {}\n}\n',
    '{\n  "hooks": {"Stop": []}\n}\n',
    (
        '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "x"}]}\n'
        "    ]\n  }\n}\n"
    ),
    (
        '{\n  "hooks": {\n    "PostToolUse": [\n      {\n        "matcher": "Write",\n'
        '        "hooks": [{"type": "command", "command": "fmt"}]\n      }\n    ],\n'
        '    "AfterTool": [{"hooks": []}],\n    "BeforeAgent": []\n  }\n}\n'
    ),
    '{"hooks":{"Stop":[{"hooks":[]}],"UserPromptSubmit":[{"hooks":[]}]},"x":"{hook}"}',
    (
        '{\n  "permissions": {\n    "additionalDirectories": ["/data"],\n    "deny": ["R(.e)"]\n'
        "  }\n}\n"
    ),
    '{\n  "permission": {"external_directory": {"/data/*": "ask"}}\n}\n',
    '{\n  "context": {"includeDirectories": [\n    "../lib"\n  ]}\n}\n',
    '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "true"}]}\n}\n',
    '{"version": 1, "hooks": {}}\n',
    '{\n  "text": "a \\"quoted\\" // no comment, [no list] {no table}\\n",\n  "é": "\\u00fc"\n}\n',
    '\ufeff{\n  "bom": true\n}\n',
    '{\r\n  "crlf": {\r\n    "a": []\r\n  }\r\n}\r\n',
    '{\r\n\t"crlf": "tabs"\r\n}',
)

_COMMENTS = (
    '// mine\n{\n  "a": 1\n}\n',
    "{\n  // mine\n}\n",
    "{ /* mine */ }",
    '{\n  "a": 1 // one\n}\n',
    '{\n  "a": 1, // one\n  "b": 2, // trailing\n}\n',
    '{\n  "a": [\n    1, // one\n    2\n    /* last */\n  ], /* more */\n}\n// end',
    '{\n  "mcp": {\n    // nothing yet\n  },\n  "mcpServers": { /* none */ },\n}\n',
    '{\r\n  "hooks": {\r\n    // mine\r\n    "Stop": [ /* none */ ],\r\n  },\r\n}\r\n',
)

_LINES = (
    *("", "\n", "# mine", "# mine\n", "# mine\n\n\n", "\ufeff# mine\n", "# mine\r\n", "# a\r\n# b"),
    *(f"# {'x' * length}\n" for length in (1, 10, 100)),
)

_TOML = (
    *_LINES,
    *('model = "x"', 'model = "x"\n', 'model = "x"  # kept\n\n', 'a = [ "1",\n "2" ]\n'),
    '[mcp_servers.other]\ncommand = "o"\n',
    '[mcp_servers]\nother = { command = "o" }\n',
    'model = "x"\r\n[mcp_servers.other]\r\ncommand = "o"',
    '[tools]\nweb = true\n\n[projects."/src"]\ntrust_level = "trusted"',
    *(f'[table{number}]\nkey = """\nlong\ntext"""\n' for number in range(11)),
)

_YAML = (
    *_LINES,
    *("model: x", "model: x\n", "model: x  # kept\n\n", "read:\n  - CONVENTIONS.md\n  - b.md\n"),
    *("read: [a.md, b.md]", "auto-commits: false\r\nmodel: y\r\n", "---\nmodel: x\n"),
    *(f"key{number}: |\n  long\n  text\n" for number in range(12)),
)


def hand_made(form: Form, path: str) -> list[str]:
    """Thirty texts, or some more, that a file of that form may have before we come."""
    if form == "json":
        return list(_JSON)
    if form == "jsonc":
        return [*_JSON[:24], *_COMMENTS]
    return list(_TOML if path.endswith(".toml") else _YAML)
