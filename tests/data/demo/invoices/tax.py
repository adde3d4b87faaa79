"""Value added tax by country; all amounts are in cents."""

from __future__ import annotations

from invoices.model import Line

STANDARD_PERCENT = {"AT": 20, "CH": 8, "DE": 19, "FR": 20}
REDUCED_PERCENT = {"AT": 10, "CH": 3, "DE": 7, "FR": 6}


def percent_for(country: str, reduced: bool) -> int:
    """The rate that applies in a country."""
    table = REDUCED_PERCENT if reduced else STANDARD_PERCENT
    return table[country]


def tax_of(line: Line, country: str) -> int:
    """The tax on one line, rounded half up."""
    percent = percent_for(country, line.reduced_rate)
    return (line.net * percent + 50) // 100
