"""Whether a value is a secret, by the name that it is given: `API_KEY=…`, `"password": "…"`.

Names and values come from any program's output, so both are judged: a name that ends in `_key` may
be that of a cache, and what `password:` is followed by may be a word of a message.
"""

from __future__ import annotations

import math
import re
from collections import Counter

NAME = (
    r"([\w.-]{0,60}?(?:(?i:secret|token|passw(?:or)?d|passwd|passphrase|pwd|credential"
    r"|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key)[\w-]{0,40}"
    r"|[A-Za-z0-9][_-](?i:key|pat|pass|dsn|auth)|[a-z0-9](?:Key|Pat|KEY)))"
)
_SIGN = r"""\s{0,3}(?:=>|:=|[:=])\s{0,3}"""

QUOTED = (
    rf"""{NAME}\\{{0,3}}["'`]?\]?{_SIGN}(?:b|u)?"""
    r"""(?:"([^"\\]{4,})"|'([^'\\]{4,})'|`([^`\\]{4,})`|\\{1,3}"([^"\\]{4,})\\|\\{1,3}'([^'\\]{4,})\\)"""
)
_CHARACTER = r"""[^\s"'`,;()<>\[\]{}&\\|"""
PLAIN = rf"""{NAME}\\{{0,3}}["'`]?{_SIGN}\\{{0,3}}["'`]?({_CHARACTER}=]{_CHARACTER}]{{5,}})"""
ENVIRONMENT = r"(?:^|[\s'\"`;])([A-Z][A-Z0-9_]{2,60})=([^\s'\"`$(<{][^\s'\"`]{5,})"
FLAG = rf"--?{NAME}(?:\s+|=)[\"']?([^\s\"'=-][^\s\"']{{5,}})"

GATE = (
    r"(?i:secret|token|passw|passphrase|pwd|credential|[a-z0-9][_-]?key|[_-](?:pat|pass|dsn|auth)|[a-z]pat)"
    r"""[\w-]{0,40}\\{0,3}["'`]?\]?(?:\s{0,3}(?:=>|:=|[:=])|\s)"""
)

_PASSWORD = re.compile(r"passw(?:or)?d|passwd|passphrase|pwd|(?:^|[_-])pass$|secret", re.IGNORECASE)
_OTHER_NAMES = re.compile(
    r"(?:count|length|len|size|limit|max|min|type|name|names|url|uri|path|file|dir|ref|refs|ttl|"
    r"expir\w*|version|format|policy|field|class|kind|status|state|error|hint|prompt|label|index|"
    r"position|endpoint|provider|manager|store|ring|pair|board|code|frame|s)$"
    r"|(?:cache|public|pub|primary|foreign|sort|partition|hash|group|object|routing|idempotency|"
    r"unique|lookup|registry|host|map|dict|row|column|query|message|project|issue|translation|"
    r"restore|websocket|widget|shortcut|hot|mon|tur|don|hoc|joc|whis|s3|i18n|react|list|item|"
    r"node|tree|option|setting|menu|tab|event|label|parent)[_-]?key(?:[_-]?id)?$"
    r"|(?:^|[_-])(?:num|n|max|min|total|prompt|completion|input|output|cached|csrf)[_-]tokens?$",
    re.IGNORECASE,
)
_OTHER_VALUES = re.compile(
    r"[$%<{*]|\.{3}|x{3,}|\[REDACTED|(?:null|none|nil|true|false|undefined|empty|unset|required|"
    r"invalid|missing|redacted|masked|hidden|secret|password|passwd|token|string|process\.env|"
    r"os\.environ|change_?me|example|placeholder|your[_-])",
    re.IGNORECASE,
)
_VERSION = re.compile(r"[~^>=v]*\d+(?:\.\d+)+(?:[-+.\w]{0,60})$|\d{4}-\d\d-\d\d")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@:/\\-]*$|\w+://[^\s:@]*$")
_WORD_OF_PATH = re.compile(r"(?:^|[/\\])[a-z][a-z._-]{2,}(?:[/\\]|$)")
_PATH_OF_NAMES = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+$")
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[a-z]+(?:_[a-z0-9]+)+$|[a-z]+(?:-[a-z]+)+$")


def is_secret(name: str, value: str, *, is_quoted: bool) -> bool:
    """Whether a value of that name is one to take out."""
    if _OTHER_NAMES.search(name) or _OTHER_VALUES.match(value) or _VERSION.match(value):
        return False
    if _PATH.match(value) and _WORD_OF_PATH.search(value):
        return False
    has_digit = any(map(str.isdigit, value))
    has_letter = any(map(str.isalpha, value))
    is_mixed = any(map(str.islower, value)) and any(map(str.isupper, value[1:]))
    is_password = _PASSWORD.search(name) is not None
    if _PATH_OF_NAMES.match(value) and not is_quoted:
        return False
    if is_password and (is_quoted or name.isupper()) and not value.isspace():
        return " " not in value or (has_digit and len(value) < 40)
    if len(value) < 8 or " " in value or _CODE.match(value):
        return False
    if is_password:
        return (has_digit and has_letter) or is_mixed
    if not (has_digit and has_letter) and not (is_mixed and len(value) >= 16):
        return False
    return not _is_key_alone(name) or (len(value) >= 16 and entropy(value) >= 3.0)


def is_stand_in(value: str) -> bool:
    """Whether a value only stands for one (`<password>`, `${TOKEN}`, `***`), or is a version."""
    return _OTHER_VALUES.match(value) is not None or _VERSION.match(value) is not None


def entropy(value: str) -> float:
    """Bits that a character of the value tells, by how often each stands in it (Shannon)."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def is_random_run(value: str) -> bool:
    """Whether a long run of letters and digits is made of chance, not of words."""
    run = re.split(r"[_-]", value)[-1]
    kinds = (str.isdigit, str.isupper, str.islower)
    if min(sum(map(kind, run)) for kind in kinds) < 4 or re.search(r"[a-z]{7}|[A-Z]{7}", run):
        return False
    return entropy(run) >= 4.0


def _is_key_alone(name: str) -> bool:
    """Whether nothing but the ending of a name says that its value may be a secret."""
    words = r"secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key"
    return re.search(words, name, re.IGNORECASE) is None
