"""Every number that decides what stays in a prompt, in one immutable value."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.structure import structure

Unit = Literal["round", "step"]
"""A round begins with a message of the user's, a step with a call of the model."""
Rule = Literal["auto", "batch", "cost", "never"]

INGEST, KEEP = 4096, 5
"""Bytes and units, where a rule other than `auto` is silent on them."""
_AUTO_KEEP = 6


def _doc(text: str) -> dict[str, str]:
    return {"doc": text}


@frozen
class Policy:
    """What goes to files, when, and when a summary is wanted."""

    ingest: int | None = field(
        default=None,
        metadata=_doc(
            "bytes; a longer result becomes a receipt before it is sent; null: as the log shows "
            "(rule `auto`), else 4096"
        ),
    )
    receipt_bytes: int = field(default=2048, metadata=_doc("bytes of a receipt at most"))
    head_lines: int = field(default=5, metadata=_doc("first lines that a receipt shows"))
    tail_lines: int = field(default=15, metadata=_doc("last lines that a receipt shows"))
    error_lines: int = field(
        default=10, metadata=_doc("lines between them that look like errors, at most")
    )
    rule: Rule = field(
        default="auto",
        metadata=_doc(
            "when old inputs and outputs leave: `auto` (by prices, window, and what the log was "
            "seen to read again), `batch`, `cost` (when it pays: the break-even rule), `never`"
        ),
    )
    unit: Unit | None = field(
        default=None,
        metadata=_doc(
            "what `keep` and `batch` count: user turns (`round`) or model calls (`step`); null: "
            "`step` with rule `auto`, else `round`"
        ),
    )
    keep: int | None = field(
        default=None,
        metadata=_doc("the newest so many units stay as they are; null: 6 with `auto`, else 5"),
    )
    batch: int = field(default=5, metadata=_doc("so many units leave at once (rule `batch`)"))
    horizon: int = field(
        default=50, metadata=_doc("model calls still to come, at most (rules `auto`, `cost`)")
    )
    patience: float = field(
        default=1.0,
        metadata=_doc(
            "what may leave must have cost this share of the rewrite first (rules `auto`, `cost`); "
            "0: the bare break-even rule"
        ),
    )
    read: float = field(
        default=0.1, metadata=_doc("price of a cached token, an uncached input token being 1")
    )
    write: float = field(default=1.25, metadata=_doc("price of a token that enters the cache"))
    warm: int = field(default=300, metadata=_doc("s; so long a provider keeps a prefix cached"))
    window: int = field(default=200_000, metadata=_doc("tokens of the model's window"))
    bytes_a_token: float = field(
        default=4.0, metadata=_doc("bytes of a token, until the log has a `usage` to go by")
    )
    model: str = field(
        default="",
        metadata=_doc(
            "the model's name: its row of `models.toml` gives `window`, `read`, `write`, `warm` "
            "and `bytes_a_token` where the policy does not"
        ),
    )
    summary_at: float = field(
        default=0.7, metadata=_doc("a summary is wanted at this share of the window")
    )
    topic_min: int = field(
        default=3000, metadata=_doc("tokens; on a new topic a shorter history stays")
    )
    topic_min_warm: int = field(
        default=30_000, metadata=_doc("the same while the prefix is still cached")
    )
    topic_rounds: int = field(default=3, metadata=_doc("rounds in the text to tell a topic by"))
    outline_lines: int = field(
        default=3000, metadata=_doc("an attached file with more lines is outlined")
    )
    variation: int | None = field(
        default=None, metadata=_doc("a seed: results are worded in turn, against ruts; null: off")
    )
    instructions: str = field(
        default="", metadata=_doc("the user's own, appended to the prompt for a summary")
    )

    def __post_init__(self) -> None:
        """Raise BadInput `bad-policy` for a number that makes no sense."""
        for name in ("ingest", "keep", "batch", "window", "receipt_bytes", "tail_lines"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput("bad-policy", "must be at least 1", name)
        counts = ("head_lines", "error_lines", "horizon", "warm", "topic_rounds")
        for name in (*counts, "patience", "read"):
            if getattr(self, name) < 0:
                raise BadInput("bad-policy", "must not be negative", name)
        if not 0 < self.summary_at <= 1:
            raise BadInput("bad-policy", "a share is more than 0 and at most 1", "summary_at")
        if self.bytes_a_token <= 0:
            raise BadInput("bad-policy", "must be more than 0", "bytes_a_token")
        if self.write < self.read:
            raise BadInput("bad-policy", "a token costs at least what reading it costs", "write")
        if self.receipt_bytes < _LEAST_RECEIPT:
            raise BadInput("bad-policy", f"must be at least {_LEAST_RECEIPT}", "receipt_bytes")

    @property
    def kept(self) -> int:
        """The newest so many units stay."""
        return self.keep or (_AUTO_KEEP if self.rule == "auto" else KEEP)

    @property
    def counted(self) -> Unit:
        """What units are."""
        return self.unit or ("step" if self.rule == "auto" else "round")


_LEAST_RECEIPT = 400
DEFAULT = Policy()


def policy_of(raw: object, where: str = "policy") -> Policy:
    """A policy from JSON, the defaults where it is silent; raises BadInput `bad-policy`."""
    table: Any = {} if raw is None else raw
    return structure(table, Policy, "bad-policy", where)


def tokens_of(text: str) -> int:
    """How many tokens a text counts: its bytes in UTF-8, by four, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // 4)
