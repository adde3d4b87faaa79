"""Whom an edit reaches in projects drawn by chance, beside what is known of them by the way."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dependents.drawn.go import Go
from tests.dependents.drawn.model import Drawn, Writer, drawn
from tests.dependents.drawn.native import C
from tests.dependents.drawn.python import Python
from tests.dependents.drawn.rust import Rust
from tests.dependents.drawn.script import TypeScript
from tests.dependents.graphs import edits_between, reach_of

WRITERS: list[Writer] = [Python(), TypeScript(), Go(), Rust(), C()]
in_each_language = pytest.mark.parametrize("writer", WRITERS, ids=lambda one: type(one).__name__)


@in_each_language
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_edit_reaches_who_mentions_the_name_and_no_one_who_cannot_hold_it(
    writer: Writer, data: st.DataObject
) -> None:
    compared(data.draw(drawn(writer)))


@pytest.mark.ring
@in_each_language
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_it_does_in_hundreds_of_projects(writer: Writer, data: st.DataObject) -> None:
    compared(data.draw(drawn(writer)))


def compared(project: Drawn) -> None:
    before = project.files()
    reach = reach_of(before, edits_between(before, project.files(edited=True)))
    project.hold({path: one.distance for path, one in reach.items()})
    for path in reach.keys() - {project.edited}:  # each way leads back to the edit
        way = [path]
        while way[-1] != project.edited:
            one = reach[way[-1]]
            way += [one.via, *one.carriers]
            assert len(set(way)) == len(way), str(project)
