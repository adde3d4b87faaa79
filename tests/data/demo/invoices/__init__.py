"""Invoices: what was sold, what tax is due, what the customer reads."""

from invoices.model import Invoice, Line

__all__ = ["Invoice", "Line"]
