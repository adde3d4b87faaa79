"""`python -m understudy` is the command line."""

from understudy.faces.cli import main

main()
