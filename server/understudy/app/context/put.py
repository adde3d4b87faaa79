"""The verb `put`: a long output to a file, and a receipt in its place."""

from __future__ import annotations

from pathlib import Path

from understudy.context.policy import DEFAULT, Policy
from understudy.context.receipt import OutputReceipt, receipt_text, totals_of
from understudy.disk.layout import workspace_contexts
from understudy.disk.store.retention import Retention, forget_daily, forget_users_daily
from understudy.disk.store.store import BlobKind, Tier
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen
from understudy.workspace.context_place import ContextPlace
from understudy.workspace.settings import Settings

_MB = 1024 * 1024


@frozen
class Put:
    """The receipt and the file it names; or, where nothing could be written, why."""

    receipt: OutputReceipt | None
    file: Path | None
    failure: OutsideFailure | None = None


def put_output(
    place: ContextPlace,
    data: bytes,
    label: str,
    exit_status: int | None = None,
    kind: BlobKind = "tool",
    policy: Policy = DEFAULT,
    tier: Tier = "project",
) -> Put:
    """Store the exact bytes, then make their receipt; every workspace reads the user's tier.

    A failure of the disk is an answer: the caller goes on with the text itself.
    """
    store = place.store_of(tier)
    try:
        blob = store.put(data, label, kind)
    except OutsideFailure as failure:
        return Put(None, None, failure)
    totals = totals_of(data, blob.path, exit_status)
    text = receipt_text(data, totals, policy)
    receipt = OutputReceipt(blob.path, blob.sha256, blob.size, totals.lines, text)
    return Put(receipt, store.file_of(blob.path))


def tidy(place: ContextPlace, settings: Settings) -> None:
    """Once a day, forget what is old and what no log in use refers to, in both stores.

    Raises OutsideFailure `state-unwritable`.
    """
    days = settings.context_log_days
    if place.store.folder.is_dir():  # else nothing was ever kept here
        mb = settings.context_mb
        forget_daily(place.store, Retention(days, settings.context_days, mb * _MB))
    if place.user_store.folder.is_dir():
        mb = settings.context_user_mb
        retention = Retention(days, settings.context_user_days, mb * _MB)
        forget_users_daily(place.user_store, workspace_contexts(), retention)
