"""The invoice as the customer reads it."""

from __future__ import annotations

from invoices.model import Invoice, Line
from invoices.tax import percent_for
from invoices.totals import totals_of


def money(cents: int) -> str:
    """An amount in the form 1'234.50."""
    return f"{cents / 100:,.2f}".replace(",", "'")


def line_text(line: Line, country: str) -> str:
    """One row: quantity, text, amount and its tax rate."""
    percent = percent_for(country, line.reduced_rate)
    return f"{line.quantity:>4} x {line.text:<40} {money(line.net):>12} {percent:>3d} %"


def invoice_text(invoice: Invoice) -> str:
    """The whole invoice, ready to print."""
    totals = totals_of(invoice)
    rows = [line_text(line, invoice.country) for line in invoice.lines]
    foot = f"{money(totals.net)} + {money(totals.tax)} = {money(totals.gross)}"
    return "\n".join([f"Invoice {invoice.number} for {invoice.customer}", *rows, foot])
