"""The verb `reward` for requests: the question that their params are, and the scores as JSON."""

from __future__ import annotations

from dataclasses import asdict

from understudy.app.reward.named_tests import TaskTests
from understudy.app.reward.reward import RewardQuestion, reward
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params.calls import Reward
from understudy.findings.rewards import Weights
from understudy.values.errors import BadInput
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import Audience


async def score_patches(side: Side, params: Reward, audience: Audience) -> Json:
    """The scores, in the order of the patches."""
    if not all(isinstance(one, list) for one in params.patches):
        raise BadInput("bad-params", "expected a list of edits for each patch", "patches")
    question = RewardQuestion(
        params.patches,
        CheckOptions(params.scope, params.severity, params.servers, params.timeout),
        TaskTests(
            params.command, params.fail_to_pass, params.pass_to_pass, params.test_patch,
            params.test_timeout, environ=params.environ or None,
        ),
        _weights(params.weights),
    )  # fmt: skip
    session, base = side.host.session, side.live_base
    return {
        "scores": [asdict(one) for one in await reward(session, question, base, audience.progress)]
    }


def _weights(given: dict[str, float]) -> Weights:
    try:
        return Weights(**given)
    except TypeError as error:
        raise BadInput("bad-weights", str(error), "weights") from error
