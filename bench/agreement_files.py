"""Do checks agree with cold command lines where files come, go, change names, or configure?

Sixty generated edits of the sample project a server, and a fifth as many of a published project,
with other checks begun and given up in between.
"""

from __future__ import annotations

from bench.agreement import Row, run_row
from bench.report import Figure, Setup
from tests.support.edits import GeneratedEdit
from tests.support.file_edits import generate_files, scenarios_of_sources
from tests.support.kit import Pairing
from tests.support.sample import Project

SEED = 60


async def run(setup: Setup) -> list[Figure]:
    """Two figures a server: agreement and recall."""
    return await run_row(setup, Row("agreement_files", _of_sample, _of_published, abandons=True))


def _of_sample(project: Project, count: int, _: Pairing) -> list[GeneratedEdit]:
    return generate_files(project, SEED, count)


def _of_published(project: Project, count: int, _: Pairing) -> list[GeneratedEdit]:
    return generate_files(project, SEED, count, scenarios_of_sources(project))
