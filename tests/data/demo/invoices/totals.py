"""Adds an invoice up; all amounts are in cents."""

from __future__ import annotations

from dataclasses import dataclass

from invoices.model import Invoice
from invoices.tax import tax_of


@dataclass(frozen=True)
class Totals:
    """The three numbers at the foot of an invoice."""

    net: int
    tax: int
    gross: int


def totals_of(invoice: Invoice) -> Totals:
    """Add up the lines and their tax."""
    tax = sum(tax_of(line, invoice.country) for line in invoice.lines)
    return Totals(invoice.net, tax, invoice.net + tax)
