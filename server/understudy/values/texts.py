"""A file's text that can always be written back to the very same bytes."""

from __future__ import annotations

import codecs
import hashlib
import zlib
from functools import cached_property
from typing import Literal

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be"]

MAX_TEXT_BYTES = 20 * 1024 * 1024
"""Larger files are never read as text: error `too-large`, reason `too-large`."""

_BOMS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PACK_ABOVE = 8 * 1024
_SHORT, _LONG = b"=", b"z"


@frozen
class Text:
    """Decoded text with what is needed to encode it again, byte for byte.

    `content` keeps its line ends (`\\n`, `\\r\\n`, `\\r`) and has no BOM. Bytes that are not valid
    in the encoding stand in it as lone surrogates U+DC80..U+DCFF (PEP 383).
    """

    content: str
    encoding: Encoding = "utf-8"
    bom: bool = False

    @staticmethod
    def decode(data: bytes, where: str | None = None) -> Text:
        """Decode a file's bytes; raises BadInput `too-large` or `not-text` (NULs, odd UTF-16)."""
        encoding, n_mark = encoding_of(data, where)
        return Text(_decode_body(data[n_mark:], encoding, where), encoding, bom=n_mark > 0)

    def encode(self) -> bytes:
        """Return the file's bytes; the inverse of `decode`."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        body = self.content.encode(self.encoding, errors)
        mark = next(mark for mark, name in _BOMS if name == self.encoding)
        return mark + body if self.bom else body

    def replaced(self, content: str) -> Text:
        """Return a text with other content in the same encoding."""
        return Text(content, self.encoding, self.bom)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, in hex."""
        return hashlib.sha256(self.encode()).hexdigest()

    @property
    def sendable(self) -> str:
        """The content as JSON can carry it: each undecodable byte is one U+FFFD."""
        if self.content.isascii():
            return self.content
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in self.content)


@frozen(slots=True)
class PackedText:
    """A text at rest: compressed when long, so that hundreds of branches fit in memory."""

    digest: str
    size: int
    _packed: bytes | None
    _plain: Text | None
    _form: tuple[Encoding, bool]

    @staticmethod
    def pack(text: Text) -> PackedText:
        """Pack a text; short ones are kept as they are."""
        if len(text.content) <= _PACK_ABOVE:
            return PackedText(text.digest, len(text.content), None, text, (text.encoding, text.bom))
        raw = text.content.encode("utf-8", "surrogatepass")
        packed = zlib.compress(raw, level=1)
        return PackedText(text.digest, len(raw), packed, None, (text.encoding, text.bom))

    @staticmethod
    def hold(text: Text) -> PackedText:
        """Hold a text that will change again soon, such as an open buffer: not compressed."""
        return PackedText(text.digest, len(text.content), None, text, (text.encoding, text.bom))

    @staticmethod
    def restore(digest: str, size: int, stored: bytes, form: tuple[Encoding, bool]) -> PackedText:
        """Return a text at rest from what `stored` gave; `digest` is not computed again."""
        if stored[:1] == _LONG:
            return PackedText(digest, size, stored[1:], None, form)
        text = Text(stored[1:].decode("utf-8", "surrogatepass"), *form)
        text.__dict__["digest"] = digest
        return PackedText(digest, size, None, text, form)

    @property
    def stored(self) -> bytes:
        """What a store keeps: a mark (compressed or not), then the content in UTF-8."""
        if self._packed is not None:
            return _LONG + self._packed
        assert self._plain is not None
        return _SHORT + self._plain.content.encode("utf-8", "surrogatepass")

    @property
    def form(self) -> tuple[Encoding, bool]:
        """The encoding of the file, and whether it starts with a byte order mark."""
        return self._form

    def unpack(self) -> Text:
        """Return the text."""
        if self._plain is not None:
            return self._plain
        assert self._packed is not None
        text = Text(zlib.decompress(self._packed).decode("utf-8", "surrogatepass"), *self._form)
        text.__dict__["digest"] = self.digest  # known already: spare the hashing
        return text


def encoding_of(data: bytes, where: str | None = None) -> tuple[Encoding, int]:
    """The encoding of a file's bytes and the length of its BOM (0: none), without decoding them.

    Raises BadInput `too-large` or `not-text` (NULs).
    """
    if len(data) > MAX_TEXT_BYTES:
        raise BadInput("too-large", f"{len(data)} bytes, the limit is {MAX_TEXT_BYTES}", where)
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding, len(mark)
    if b"\0" in data:
        raise BadInput("not-text", "the file is binary (it has NUL bytes)", where)
    return "utf-8", 0


def _decode_body(body: bytes, encoding: Encoding, where: str | None) -> str:
    if encoding == "utf-8":
        return body.decode("utf-8", "surrogateescape")
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput("not-text", f"not valid {encoding} at byte {error.start}", where) from error
