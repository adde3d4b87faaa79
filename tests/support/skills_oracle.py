"""What the reference validator says of skills; run by itself, with its packages in front.

Usage: skills_oracle.py PACKAGES FOLDER; stdin is a JSON list of `[name of the folder, text]`,
stdout a list with the reasons why each skill is refused, none if it is not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    from skills_ref import validate  # noqa: PLC0415 - it is in the folder that was named

    answers: list[list[str]] = []
    for number, (name, text) in enumerate(json.load(sys.stdin)):
        folder = Path(sys.argv[2]) / str(number) / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
        answers.append(list(validate(folder)))
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
