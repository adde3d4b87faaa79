"""`python -m understudy` and the `understudy` program: the command line."""

from __future__ import annotations

import sys
import traceback


def main() -> None:
    """Run the command line; one that cannot even be loaded exits with 4, not with Python's 1."""
    try:
        from understudy.faces.cli import main as run  # noqa: PLC0415 - to catch its failure
    except Exception:  # noqa: BLE001 - the boundary: 1 would say that a check found something
        traceback.print_exc()
        sys.exit(4)
    run()


if __name__ == "__main__":
    main()
