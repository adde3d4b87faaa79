"""Late fees for invoices that were not paid in time."""

from __future__ import annotations

from datetime import date, timedelta

from invoices.model import Invoice
from invoices.totals import totals_of

GRACE = timedelta(days=14)
FEE_PERCENT = 2


def late_fee(invoice: Invoice, today: date) -> int:
    """The fee in cents: nothing within the days of grace, then a share of the gross amount."""
    if today - invoice.issued <= GRACE:
        return 0
    return totals_of(invoice).gross * FEE_PERCENT // 100
