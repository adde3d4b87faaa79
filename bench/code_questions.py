"""500 questions about code over five languages: ours, and the bare server that is asked the same.

The bare server has every file open, and answers over the same pipe; ours had none open before. What
is compared are the places; what is timed is one question after another, both sides in turn, once
each has answered it before.
"""

from __future__ import annotations

from bench.report import Figure, Setup, milliseconds, spread
from tests.support.code_questions import Asked, Pair, differences, pair_of, questions
from tests.support.servers import program

MAX_RATIO = 1.1
LANGUAGES = (
    ("python", "basedpyright"),
    ("typescript", "typescript-language-server"),
    ("javascript", "typescript-language-server"),
    ("go", "gopls"),
    ("cpp", "clangd"),
)
N_QUESTIONS = 500


async def run(setup: Setup) -> list[Figure]:
    """One figure a language, and one for all."""
    ours: list[float] = []
    theirs: list[float] = []
    n_equal = n_asked = 0
    figures: list[Figure] = []
    for language, server in LANGUAGES:
        command = [str(program("clangd")), "-j=2"] if server == "clangd" else []
        folder = setup.folder / f"{language}-{server}"
        async with pair_of(language, server, folder, command) as pair:
            asked = questions(pair, N_QUESTIONS // len(LANGUAGES))
            wrong = await differences(pair, asked)
            for text in wrong:
                setup.say(f"{language}: {text}")
            mine, bare = await _timed(pair, asked)
        figures.append(_figure(f"{language} ({server})", mine, bare, len(asked) - len(wrong)))
        n_asked += len(asked)
        n_equal += len(asked) - len(wrong)
        ours += mine
        theirs += bare
    figures.append(_figure(f"all {n_asked}", ours, theirs, n_equal, bar=True))
    return figures


async def _timed(pair: Pair, asked: list[Asked]) -> tuple[list[float], list[float]]:
    ours: list[float] = []
    theirs: list[float] = []
    for number, one in enumerate(asked):
        for turn in (0, 1) if number % 2 else (1, 0):
            elapsed = (await (pair.ours(one) if turn == 0 else pair.theirs(one)))[1]
            (theirs if turn else ours).append(elapsed)
    return ours, theirs


def _figure(
    name: str, ours: list[float], theirs: list[float], n_equal: int, *, bar: bool = False
) -> Figure:
    ratio = sum(ours) / sum(theirs)
    return Figure(
        "code_questions", name,
        f"{n_equal}/{len(ours)} equal, {milliseconds(sum(ours) / len(ours))} each",
        f"{milliseconds(sum(theirs) / len(theirs))} bare server",
        ratio,
        f"all equal; <= {MAX_RATIO} x" if bar else "-",
        n_equal == len(ours) and ratio <= MAX_RATIO if bar else None,
        {"ours_s": spread(ours), "bare_s": spread(theirs)},
    )  # fmt: skip
