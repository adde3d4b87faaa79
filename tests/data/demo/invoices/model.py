"""What an invoice is made of; all amounts are in cents."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True)
class Line:
    """One position: so many pieces at one price."""

    text: str
    quantity: int
    unit_price: int
    reduced_rate: bool = False

    @property
    def net(self) -> int:
        return self.quantity * self.unit_price


@dataclass
class Invoice:
    """What one customer owes for one delivery."""

    number: str
    customer: str
    country: str
    issued: date
    lines: list[Line] = field(default_factory=list)

    @property
    def net(self) -> int:
        return sum(line.net for line in self.lines)
