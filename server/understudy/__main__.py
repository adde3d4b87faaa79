"""`python -m understudy` and the `understudy` program: the command line."""

import gc
import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    # `python -m` looks for modules in the working directory first. That is a folder of the user's,
    # and a `typing.py` in it is not to be executed; until here, only built-in modules were loaded.
    del sys.path[0]


def main() -> None:
    """Run the command line; one that cannot even be loaded exits with 4, not with Python's 1.

    An interrupt exits with 130 also while it is loaded.
    """
    try:
        from understudy.process.user_environment import put_back  # noqa: PLC0415 - to catch its failure

        put_back()
        if sys.argv[1:2] == ["check"]:  # the others need not load it
            from understudy.faces.hosting.coming import begin_early  # noqa: PLC0415 - the same

            begin_early(sys.argv[1:])
        from understudy.faces.cli.main import main as run  # noqa: PLC0415 - the same
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:  # noqa: BLE001 - the boundary: 1 would say that a check found something
        import traceback  # noqa: PLC0415 - see above

        traceback.print_exc()
        sys.exit(4)
    try:
        run()
    finally:
        gc.freeze()  # Python would look through all that is loaded once more before it ends


if __name__ == "__main__":
    main()
