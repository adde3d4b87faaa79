"""Exits before it has read a byte."""

import sys

sys.stderr.write("no licence\n")
sys.exit(3)
