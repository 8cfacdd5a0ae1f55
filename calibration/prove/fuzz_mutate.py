"""Mutates documents: drops, repeats, exchanges or exaggerates words, lines and parts of the data."""

import json
import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import yaml

LONGEST = 16_000
"""Maximum size of a mutated input in characters; for larger documents see `fuzz_large.py`."""
MOST_CHANGES = 5
_TOKEN = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")
_NUMBERS = """
0 -1 -0.0 00 1e999 -1e999 1e-999 NaN -Infinity 0x7f 0b2 0o9 1_000 1. .5 2147483648 -9223372036854775809
18446744073709551616 0000-00-00 9999-12-31 10000-01-01 2026-02-30 25:61:61 1970-01-01T00:00:00+99:99
"""
_WORDS = r"""
{{ }} ${{ {% %} {{= ${ $. $.. [*] [?(@.x)] __proto__ constructor null ~ true yes START END '' % // /* */ # () [] {} ->
-->|x| [[ ]] ` ' ~~~ %% ../../etc/passwd /dev/zero CON wfgate steps nodes jobs on \ \u0000 \ud800 \x \N{BULLET} %00
&#0; &#x110000; &x; <![CDATA[ ]]> <!-- --> </ /> *a | " \"\"\"
"""
_LONG_NUMBERS = ["9" * 400, "9" * 5000, "0." + "0" * 400 + "1", "\u0661\u0662"]
_ODD = [
    *"\0\x07\x7f\x85\xa0\t\v\r\u0130\u0430\u1e9e\u200b\u2028\u202e\u2066\u3000\ud800\udfff\ufeff\ufffe\uff29\U000e0041",
    *("\x1b[2J", "\U0001f469\u200d\U0001f469", "e\u0301", "\r\n", "<?x ", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&a "),
    *("<<: *a\n", "!!python/object/apply:os.system ", "!!int ", "!!binary ", "!!set ", "!<tag:x> ", "? ", "- ", ": "),
    *("---\n", "...\n", "%YAML 9.9\n", "%TAG ! x\n", ">-\n", "```\n"),
    *_WORDS.split(),
]
_BRACKETS = [
    *(("(", ")"), ("[", "]"), ("{", "}"), ("<a>", "</a>"), ('{"a":', "}")),
    *(("- ", ""), ("> ", ""), ("!", ""), ("not ", "")),
]
_LEAVES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 1.5, -0.0, 10**30, 10**400, 1e308, float("nan"), float("inf"), "", " ", "x"),
    *(
        "START",
        "END",
        "1",
        "true",
        "null",
        "a.b",
        "\u2028",
        "\ud800",
        "a" * 3000,
        "${{ x }}",
        "{{x}}",
        "=x",
        "$.x",
        "*",
    ),
    *(
        [],
        {},
        [[]],
        [None],
        [{}],
        {"": ""},
        {"x": "y"},
        ["x", "x"],
        [["a", "b"]],
        {"id": "a"},
        [{"id": "a"}, {"id": "a"}],
    ),
]


def mutated(rng: random.Random, pool: Sequence[str], notation: str) -> str:
    """Return a mutated document.

    Args:
        rng: Random generator.
        pool: Documents to mutate and to take parts from.
        notation: "data" for JSON and YAML, "toml", "lines" for JSON Lines, "text" for everything else. Some changes
            are made to the text regardless of the notation.
    """
    text = rng.choice(pool)
    changes = min(MOST_CHANGES, 1 + int(rng.expovariate(1.2)))
    of_data = sum(rng.random() < 0.65 for _ in range(changes)) if notation != "text" else 0
    if of_data:
        text = _with_data(rng, text, pool, notation, of_data)[:LONGEST]
    for _ in range(changes - of_data):
        text = rng.choice(_TEXT_CHANGES)(rng, text, pool)[:LONGEST]
    return text


# --- text ---------------------------------------------------------------------------------------------------------
def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _part(rng: random.Random, items: Sequence[Any], most: int = 12) -> slice:
    start = rng.randrange(len(items) + 1)
    return slice(start, start + rng.randint(1, most))


def _drop(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    tokens = _tokens(text)
    del tokens[_part(rng, tokens)]
    return "".join(tokens)


def _repeat(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    tokens = _tokens(text)
    part = _part(rng, tokens)
    tokens[part] = tokens[part] * rng.choice((2, 2, 2, 3, 9, 60, 400))
    return "".join(tokens)


def _exchange(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    """Insert words of another document."""
    tokens, other = _tokens(text), _tokens(rng.choice(pool))
    tokens[_part(rng, tokens)] = other[_part(rng, other, 40)]
    return "".join(tokens)


def _swap(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    tokens = _tokens(text)
    if len(tokens) > 1:
        a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        tokens[a], tokens[b] = tokens[b], tokens[a]
    return "".join(tokens)


def _rename(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    """Replace a name by another name of the document, everywhere or once."""
    words, others = re.findall(r"\w+", text), re.findall(r"\w+", rng.choice((text, rng.choice(pool))))
    if not words or not others:
        return text
    return text.replace(rng.choice(words), rng.choice(others), rng.choice((-1, 1)))


def _number(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    place = rng.choice(found)
    return text[: place.start()] + rng.choice((*_NUMBERS.split(), *_LONG_NUMBERS)) + text[place.end() :]


def _odd(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + rng.choice(_ODD) * rng.choice((1, 1, 1, 2, 30)) + text[start + rng.choice((0, 0, 1, 5)) :]


def _cut(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] if rng.random() < 0.7 else text[start:]


def _splice(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    other = rng.choice(pool)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def _nest(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.randint(0, 60))
    left, right = rng.choice(_BRACKETS)
    times = rng.choice((1, 2, 20, 99, 101, 300, 1500))
    return text[:start] + left * times + text[start:end] + right * times + text[end:]


def _line(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    done = rng.randrange(6)
    if done == 0:
        del lines[at]
    elif done == 1:
        lines.insert(other, lines[at])
    elif done == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif done == 3:
        lines[at] = " " * rng.choice((1, 2, 4, 200)) + lines[at]
    elif done == 4:
        lines[at] = lines[at].lstrip()
    else:
        lines.insert(at, rng.choice(rng.choice(pool).split("\n")))
    return "\n".join(lines)


def _case(rng: random.Random, text: str, _pool: Sequence[str]) -> str:
    tokens = _tokens(text)
    for place in rng.sample(range(len(tokens)), min(3, len(tokens))):
        tokens[place] = tokens[place].swapcase()
    return "".join(tokens)


_TEXT_CHANGES: tuple[Callable[[random.Random, str, Sequence[str]], str], ...] = (
    *(_drop, _repeat, _exchange, _exchange, _swap, _rename, _rename, _number, _odd, _odd, _cut, _splice, _nest),
    *(_line, _line, _case),
)


# --- data ---------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=4096)
def _data(text: str, notation: str) -> Any:
    """Return the data in a text, None if it has none. The value is shared and must not be changed."""
    try:
        if notation == "toml":
            import tomllib  # noqa: PLC0415 - needed by two targets only

            return tomllib.loads(text)
        if text[:1] in "{[":
            return json.loads(text)
        return yaml.load(text, yaml.CSafeLoader) if len(text) <= LONGEST else None
    except (ValueError, RecursionError, yaml.YAMLError, TypeError, AttributeError, LookupError):  # `!!int ""` and such
        return None


def _with_data(rng: random.Random, text: str, pool: Sequence[str], notation: str, changes: int) -> str:
    """Return the text with parts of its data changed, written as JSON (which is also YAML)."""
    if notation == "lines":
        lines = text.split("\n")
        place = rng.randrange(len(lines))
        others = rng.choice(pool).split("\n")
        lines[place] = _with_data(rng, lines[place], others, "data", changes)
        return "\n".join(lines)
    data, other = _data(text, notation), _data(rng.choice(pool), notation)
    if not isinstance(data, dict | list):
        return rng.choice(_TEXT_CHANGES)(rng, text, pool)
    for _ in range(changes):
        data = _changed(rng, data, other)
    try:
        return _toml(data) if notation == "toml" else json.dumps(data, ensure_ascii=False, default=str)
    except (ValueError, RecursionError, TypeError):  # YAML keys that JSON cannot express, numbers with too many digits
        return text


def _changed(rng: random.Random, value: Any, other: Any) -> Any:
    """Return the value with one part changed, selected by a random walk from the root."""
    if isinstance(value, dict | list) and value and rng.random() > 0.15:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = rng.choice(keys)
        copied = value.copy()
        if rng.random() < 0.2:
            return _beside(rng, copied, key)
        copied[key] = _changed(rng, value[key], other)
        return copied
    return rng.choice((_extreme, _extreme, _foreign, _wrapped, _other, _other))(rng, value, other)


def _extreme(rng: random.Random, _value: Any, _other: Any) -> Any:
    return rng.choice(_LEAVES)


def _foreign(rng: random.Random, _value: Any, other: Any) -> Any:
    return _any_part(rng, other)


def _wrapped(rng: random.Random, value: Any, _other: Any) -> Any:
    for _ in range(rng.choice((1, 1, 2, 60, 105))):
        value = [value] if rng.random() < 0.5 else {rng.choice(("x", "id", "steps", "and")): value}
    return value


def _other(rng: random.Random, value: Any, other: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, str):
        return rng.choice(_TEXT_CHANGES)(rng, value, [value, str(_any_part(rng, other))])
    if isinstance(value, int | float):
        return rng.choice((-value, value + 1, value * 10**9, str(value), float(value) if abs(value) < 1e300 else 0))
    if isinstance(value, list):
        return value * rng.choice((0, 2, 30)) if rng.random() < 0.7 else rng.sample(value, len(value))
    return value


def _beside(rng: random.Random, holder: Any, key: Any) -> Any:
    """Drop, duplicate, move or rename an entry."""
    part, done = holder[key], rng.randrange(4)
    if isinstance(holder, list):
        if done == 0:
            del holder[key]
        elif done == 1:
            holder.insert(rng.randrange(len(holder) + 1), part)
        elif done == 2:
            rng.shuffle(holder)
        else:
            return {str(place): item for place, item in enumerate(holder)}
        return holder
    if done == 0:
        del holder[key]
    elif done == 1:
        holder[rng.choice(("x", "", "id", f"{key}_", *map(str, holder)))] = part
    elif done == 2:
        del holder[key]
        holder[rng.choice(("x", "START", str(key).upper(), f" {key}", f"{key}\u200b"))] = part
    else:
        return list(holder.values())
    return holder


def _any_part(rng: random.Random, value: Any) -> Any:
    while isinstance(value, dict | list) and value and rng.random() > 0.3:
        value = rng.choice(list(value.values()) if isinstance(value, dict) else value)
    return value


def _toml(data: Any) -> str:
    """Return data as TOML with inline tables; values that TOML cannot express give invalid TOML, as wanted."""
    return (
        "".join(f"{_key(key)} = {_inline(value)}\n" for key, value in data.items()) if isinstance(data, dict) else "x"
    )


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, bool | str) or value is None:
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _key(key: Any) -> str:
    return str(key) if re.fullmatch(r"[\w-]+", str(key), re.ASCII) else json.dumps(str(key), ensure_ascii=False)
