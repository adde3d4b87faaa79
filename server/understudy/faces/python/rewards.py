"""Scores of patches, without a `Workspace` of one's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from understudy.faces.python.async_workspace import AsyncWorkspace
from understudy.faces.python.edits import Edits
from understudy.faces.python.workspace import Workspace
from understudy.findings.rewards import Score, Weights
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RewardTerms(TypedDict, total=False):
    """What a patch is scored by; as in `Workspace.rewards`."""

    command: Sequence[str]
    fail_to_pass: Sequence[str] | str
    pass_to_pass: Sequence[str] | str
    test_patch: Edits | None
    weights: Weights | None
    scope: Scope | None
    severity: Severity | None
    servers: Sequence[str]
    timeout: float | None
    test_timeout: float | None


def reward(
    patch: Edits, folder: str | os.PathLike[str] = ".", *, trust: bool = False,
    **terms: Unpack[RewardTerms],
) -> Score:  # fmt: skip
    """What one patch of a folder is worth, fact by fact; as `Workspace.rewards`.

    Where many are scored, `rewards` judges them on one host.
    """
    return rewards([patch], folder, trust=trust, **terms)[0]


def rewards(
    patches: Sequence[Edits], folder: str | os.PathLike[str] = ".", *, trust: bool = False,
    **terms: Unpack[RewardTerms],
) -> tuple[Score, ...]:  # fmt: skip
    """The scores of many patches of one folder, in their order; as `Workspace.rewards`."""
    with Workspace(folder, trust=trust) as workspace:
        return workspace.rewards(patches, **terms)


async def async_reward(
    patch: Edits, folder: str | os.PathLike[str] = ".", *, trust: bool = False,
    **terms: Unpack[RewardTerms],
) -> Score:  # fmt: skip
    """As `reward`, for an event loop."""
    return (await async_rewards([patch], folder, trust=trust, **terms))[0]


async def async_rewards(
    patches: Sequence[Edits], folder: str | os.PathLike[str] = ".", *, trust: bool = False,
    **terms: Unpack[RewardTerms],
) -> tuple[Score, ...]:  # fmt: skip
    """As `rewards`, for an event loop."""
    async with AsyncWorkspace(folder, trust=trust) as workspace:
        return await workspace.rewards(patches, **terms)
