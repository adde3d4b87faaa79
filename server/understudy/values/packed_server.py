"""Where a server lies in a folder that an editor brings, as data of its profile."""

from __future__ import annotations

from dataclasses import field

from understudy.values.fields import Lower, Word, doc
from understudy.values.frozen import frozen


@frozen
class PackedServer:
    """Where a server lies in a folder that an editor brings: a program, or a script (`main`)."""

    extension: Lower = field(
        default=Lower(""),
        metadata=doc("id of the extension whose folder is meant; none in `bundled`"),
    )
    main: Word | None = field(
        default=None, metadata=doc("the script that the editor's Node.js runs")
    )
    program: Word | None = field(
        default=None,
        metadata=doc(
            "the program: one that begins with `~` is where the extension installs it in the "
            "user's home; `${config:NAME}` and `${env:NAME}` are settings of the editor and of the "
            "environment"
        ),
    )
