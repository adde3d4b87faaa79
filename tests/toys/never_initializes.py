"""Reads everything, answers nothing."""

from wire import read

while True:
    read()
