"""Which language a file is in, by its name or its first line."""

import pytest

from understudy.outline.detection import language_of


@pytest.mark.parametrize(
    ("path", "start", "language"),
    [
        ("a/b.py", b"", "python"),
        ("b.PY", b"", "python"),
        ("x.d.ts", b"", "typescript"),
        ("x.tsx", b"", "tsx"),
        ("Makefile", b"", "make"),
        ("a/Dockerfile", b"", "dockerfile"),
        ("list.h", b"#pragma once\nstruct node;\n", "c"),
        ("list.h", b"#pragma once\nnamespace a {\nclass B;\n}\n", "cpp"),
        ("tool", b"#!/usr/bin/env -S PYTHONPATH=x python3.12 -u\n", "python"),
        ("tool", b"#!/bin/sh\n", "bash"),
        ("tool", b"#! /usr/bin/node\n", "javascript"),
        ("tool.py", b"#!/bin/sh\n", "python"),
        ("tool", b"<?php echo 1;", "php"),
        ("tool", b"#!\n", None),
        ("tool", b"#!/usr/bin/env\n", None),
        ("tool", b"plain words", None),
        ("x.unknown", b"", None),
        (".gitignore", b"", None),
        ("", b"", None),
    ],
)
def test_language(path: str, start: bytes, language: str | None):
    assert language_of(path, start) == language
