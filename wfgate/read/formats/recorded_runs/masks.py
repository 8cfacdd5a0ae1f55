"""Masks what looks like a secret in the arguments of calls, before anything else sees it."""

import hashlib
import re
from typing import Any

_KEY = re.compile(
    r"password|passwd|passphrase|secret|credential|authorization|(?:api|private|access)[-_ .]?key"
    r"|(?:^|[-_ .])(?:token|auth|cookie|pwd|pin|otp)$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IN_TEXT = re.compile(
    r"""(?x)
    (?P<before>
        \b(?:bearer|basic)\s+
      | ://[^\s/:@]{0,200}:(?=[^\s/@]{1,200}@)
      | (?i:(?:password|passwd|pwd|secret|token|api[-_]?key|authorization)["']?(?:\s*[=:]\s*|\s+)["']?(?!bearer|basic))
        (?=[^\s"'&]*[0-9!$%])
    )?
    (?P<secret>
        (?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,} | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,}
      | glpat-[A-Za-z0-9_-]{16,} | xox[abeprs]-[A-Za-z0-9-]{10,} | (?:AKIA|ASIA)[A-Z0-9]{16}
      | AIza[A-Za-z0-9_-]{30,} | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,} | hf_[A-Za-z0-9]{20,}
      | -----BEGIN[ A-Z]{0,40}PRIVATE\ KEY-----[^-]*+(?:-----END[ A-Z]{0,40}-----)?
      | (?(before)[^\s"'&@]+ | (?!))
    )
    """,
    re.IGNORECASE,
)


def masked(value: Any, key: str = "") -> Any:
    """Return a value in which secrets are `***` and four digits of a hash.

    Args:
        value: The value; nested at most as deep as a document.
        key: The key of the value.

    Example:
        >>> masked({"city": "Rome", "max_tokens": 7, "api_key": "hunter2", "run": "curl -H 'X: Bearer abcdef'"})
        {'city': 'Rome', 'max_tokens': 7, 'api_key': '***f52f', 'run': "curl -H 'X: Bearer ***bef5'"}
    """
    if isinstance(value, dict):
        named = next((value[each] for each in ("name", "key") if isinstance(value.get(each), str)), "")
        own = {
            each: named if each == "value" and _is_secret(named) else each for each in value
        }  # as headers are listed
        return {each: masked(inner, key if _is_secret(key) else own[each]) for each, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner, key) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    if _is_secret(key):
        return _mask(str(value)) if value != "" else value
    if isinstance(value, str):
        return _IN_TEXT.sub(lambda match: (match["before"] or "") + _mask(match["secret"]), value)
    return value


def _is_secret(key: str) -> bool:
    return _KEY.search(_CAMEL.sub("_", key)) is not None


def _mask(secret: str) -> str:
    return f"***{hashlib.sha256(secret.encode('utf-8', 'surrogatepass')).hexdigest()[:4]}"
