"""Prints one sample invoice."""

from datetime import date

from invoices import Invoice, Line
from invoices.printing import invoice_text
from invoices.reminders import late_fee


def main() -> None:
    """Make an invoice, print it, and the fee if it is paid in March."""
    invoice = Invoice("2026-017", "Brass & Sons", "CH", date(2026, 1, 30))
    invoice.lines.append(Line("Hinge, stainless", 40, 315))
    invoice.lines.append(Line("Catalogue, printed", 3, 1200, reduced_rate=True))
    print(invoice_text(invoice))
    print("fee when late:", late_fee(invoice, date(2026, 3, 2)))


if __name__ == "__main__":
    main()
