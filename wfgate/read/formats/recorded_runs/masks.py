"""Masks what looks like a secret in the arguments of calls, before anything else sees it."""

import hashlib
import re
from typing import Any

from wfgate.errors import FormatError
from wfgate.read.documents.json_text import parse_value

_WORDS = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secrets?(?:[-_ .]?(?:access[-_ .]?)?key)?|credentials?|authorization"
    r"|(?:api|private|access|account|shared|signing|encryption|master|subscription|ssh)[-_ .]?keys?(?:[-_ .]?id)?)"
)
"""Words that stand for a secret inside any name."""
_ENDS = r"(?:tokens?|auth|cookies?|pass|pin|otp|cvv|cvc|jwt|bearer|signature|sig|session[-_ .]?id)"
"""Words that stand for a secret at the end of a name: `csrf_token`, not `token_limit`."""
_KEY = re.compile(rf"{_WORDS}|(?:^|[-_ .]){_ENDS}$", re.IGNORECASE)
_LABEL = re.compile(rf"{_WORDS}|\b{_ENDS}\b", re.IGNORECASE)
"""A label or selector beside a value: "Password field", `input[name=token]`."""
_LABELS = ("name", "key", "label", "field", "header", "variable", "element", "selector", "placeholder", "id")
_VALUES = ("value", "val", "text", "content", "input")
_LONGEST_LABEL = 200
_AMOUNT = re.compile(r"\d{0,12}")
"""`max_tokens` is an amount, not a secret."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NESTED = 5
"""JSON in texts of JSON: how deep it is parsed."""
_SURE = 20
"""Characters from which on a secret cannot be guessed, so that more of its hash may be shown."""
_NAMED = rf"(?:{_WORDS}|(?<![a-z]){_ENDS.replace('tokens?', 'token')})"
_IN_TEXT = re.compile(
    rf"""(?x)
    (?P<before>
        [?&][\w.-]{{0,40}}(?:{_NAMED}|key|code)=(?P<query>)
      | ://[^\s/:@]{{0,200}}:(?=[^\s/]{{1,200}}@)(?P<url>)
      | ://(?=[^\s/:@]{{16,200}}@)(?P<user>)
      | (?<![\w-])(?:-u|--user)[\s=]+["']?[^\s:"']{{1,100}}:
      | \bcookie["']?:\s*(?P<line>)
      | {_NAMED}(?:\\*["'])?\s*(?:=>|[=:])\s*(?:(?:bearer|basic|token|digest|apikey)\s+)?
        (?P<quote>\\*["'])?(?:(?:bearer|basic|token|digest|apikey)\s+)?
      | (?<![\w-])--?[\w-]{{0,40}}{_NAMED}\s+(?!-)(?P<flag>\\*["'])?
      | \b(?:{_WORDS}|token|pin|otp)(?:\s+is)?\s+(?=[^\s"'&]*[0-9!$%])
      | \bbearer\s+
      | \bbasic\s+(?=[a-z+/]*[0-9=+/])(?=[a-z0-9+/]{{6}})
    )?
    (?P<secret>
        -----BEGIN[ A-Z0-9]{{0,40}}PRIVATE\ KEY(?:\ BLOCK)?-----
        (?>(?:(?!-----END)[\s\S])*)(?:-----END[ A-Z0-9]{{0,60}}-----)?
      | (?(before)
            (?(query)[^\s"'&\#]+ | (?(url)[^\s/]{{1,200}}(?=@) | (?(user)[^\s/:@]+ | (?(line)[^\r\n"']+
          | (?(quote)(?:(?!(?P=quote))(?:\\[\s\S]|[^\\])){{1,10000}}
          | (?(flag)(?:(?!(?P=flag))(?:\\[\s\S]|[^\\])){{1,10000}}
          | [^\s"']+ ))))))
          | (?!)
        )
      | (?<![a-z0-9])(?:
            (?:sk|pk|rk|gsk|xai|whsec|shpat|lin_api|dop_v1)[-_](?=[a-z_-]{{0,40}}[0-9])[a-z0-9_-]{{16,}}
          | gh[pousr]_[a-z0-9]{{20,}} | github_pat_[a-z0-9_]{{20,}} | glpat-[a-z0-9_-]{{16,}} | hf_[a-z0-9]{{20,}}
          | npm_[a-z0-9]{{30,}} | pypi-[a-z0-9_-]{{30,}} | xox[abeprs]-[a-z0-9-]{{10,}} | hvs\.[a-z0-9_-]{{20,}}
          | sg\.[a-z0-9_-]{{16,}}\.[a-z0-9_-]{{16,}} | ya29\.[a-z0-9_-]{{16,}} | age-secret-key-1[a-z0-9]{{20,}}
          | (?-i:(?:AKIA|ASIA)[A-Z0-9]{{16}} | AIza[A-Za-z0-9_-]{{30,}} | eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_.-]{{8,}})
        )
      | (?<=hooks\.slack\.com/services/)[a-z0-9/]{{20,}} | (?<=/api/webhooks/)[0-9]{{10,}}/[a-z0-9_-]{{20,}}
    )
    """,
    re.IGNORECASE,
)


def masked(value: Any) -> Any:
    """Return a value in which secrets are `***` and some digits of a hash.

    Args:
        value: Plain data.

    Example:
        >>> masked({"city": "Rome", "max_tokens": 7, "api_key": "hunter2", "run": "curl -H 'X: Bearer abcdef'"})
        {'city': 'Rome', 'max_tokens': 7, 'api_key': '***f52f', 'run': "curl -H 'X: Bearer ***bef5'"}
    """
    return _masked(value, secret=False, nested=0)


def masked_text(text: str) -> str:
    """Return a text in which secrets are masked.

    Example:
        >>> masked_text("postgres://ada:hunter2@db/orders")
        'postgres://ada:***f52f@db/orders'
    """
    return _IN_TEXT.sub(lambda match: (match["before"] or "") + _mask(match["secret"]), text)


def _masked(value: Any, *, secret: bool, nested: int) -> Any:
    """Return a value with masks; the whole of it is masked if its key or label stands for a secret."""
    if isinstance(value, dict):
        return _masked_mapping(value, secret=secret, nested=nested)
    if isinstance(value, list):
        before = [None, *value]  # an option and its value, a header as a pair
        return [
            _masked(inner, secret=secret or (isinstance(inner, str) and _is_option(option)), nested=nested)
            for option, inner in zip(before, value, strict=False)
        ]
    if value is None or isinstance(value, bool) or value == "":
        return value
    if secret:
        return _mask(str(value))
    return _masked_words(value, nested) if isinstance(value, str) else value


def _masked_mapping(value: dict[str, Any], *, secret: bool, nested: int) -> dict[str, Any]:
    labels = [value[each] for each in _LABELS if isinstance(value.get(each), str)]
    labelled = any(_LABEL.search(_CAMEL.sub("_", label[:_LONGEST_LABEL])) for label in labels)
    result: dict[str, Any] = {}
    for key, inner in value.items():
        own = secret or (labelled and key in _VALUES) or (_is_secret(key) and not _is_amount(key, inner))
        name = masked_text(key)
        while name in result:
            name += "*"
        result[name] = _masked(inner, secret=own, nested=nested)
    return result


def _masked_words(text: str, nested: int) -> str:
    """Return a text with masks; of JSON in a text, by its keys, too."""
    if nested < _NESTED and text.lstrip().startswith(("{", "[")):
        try:
            value = parse_value(text, "arguments")
        except FormatError:
            return masked_text(text)
        hidden = _masked(value, secret=False, nested=nested + 1)
        if hidden != value:
            import json  # noqa: PLC0415 - only for secrets in JSON in a text

            return json.dumps(hidden, ensure_ascii=False)
        return text
    return masked_text(text)


def _is_secret(key: str) -> bool:
    return _KEY.search(_CAMEL.sub("_", key)) is not None


def _is_amount(key: str, value: Any) -> bool:
    """Return whether a value under a plural key (`max_tokens`) is a number."""
    return key.lower().endswith("s") and not isinstance(value, dict | list) and bool(_AMOUNT.fullmatch(str(value)))


def _is_option(value: Any) -> bool:
    """Return whether an item of a list names the next one: `--password`, `Authorization`."""
    return isinstance(value, str) and len(value) <= _LONGEST_LABEL and " " not in value and _is_secret(value)


def _mask(secret: str) -> str:
    digits = 12 if len(secret) >= _SURE else 4
    return f"***{hashlib.sha256(secret.encode('utf-8', 'surrogatepass')).hexdigest()[:digits]}"
