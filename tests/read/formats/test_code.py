"""Code without comments and layout: the same tokens do the same; where that is not certain, it is another code."""

from time import process_time

import pytest

from wfgate.read.formats.code import tokens_of

SCRIPT = r"""
// Keep the paid orders.
const paid = items.filter((item) => item.json.paid / 100 > 1);
const url = `https://shop.example/${paid.map((one) => `id=${one.json.id}`).join("&")}`; // not a // comment
const name = "it's /* no comment */".replace(/["'`/]\/*[/*]\//g, '//');
if (paid.length === 0) {
  return []
}
return [{ json: { url, name } }];
"""


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("// Keep the paid orders.\n", ""),
        ("// Keep the paid orders.", "/* Keep\n * them `all` */"),
        (" // not a // comment", ""),
        ("  return []", "\treturn [ ]"),
        ("{ json: { url, name } }", "{\n  json: {\n    url,\n    name\n  }\n}"),
        ("item.json.paid / 100", "item.json.paid/100 /* cents */"),
        ("paid.map(", "paid\n  .map( // one by one\n"),
        ("\n", "\r\n"),
    ],
)
def test_other_comments_and_another_layout_of_javascript(was, now):
    assert was in SCRIPT
    assert tokens_of(SCRIPT, "javascript") == tokens_of(SCRIPT.replace(was, now), "javascript") is not None


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("const url", "// const url"),
        ("/* no comment */", ""),
        ("'//'", "''"),
        ("shop.example/$", "shop.example$"),
        ("`id=", "`id ="),
        ("return [{", "return\n[{"),
        ("return []\n}", "return [] // }\n"),
        ("[/*]", "[/]"),
        ("const paid", "constpaid"),
        ("/ 100", "// 100"),
    ],
)
def test_another_javascript(was, now):
    assert was in SCRIPT
    assert tokens_of(SCRIPT, "javascript") != tokens_of(SCRIPT.replace(was, now), "javascript")


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("a\n++b", "a++\nb"),
        ("a - -b", "a --b"),
        ("x = a + +b", "x = a ++b"),
        ("return a", "return\na"),
        ("return a", "return /* \n */ a"),
        ("f('a b')", "f('a  b')"),
        ("f(`a\n`)", "f(`a\n\n`)"),
        ("f(`${a}`)", "f(`${a} `)"),
        ("a ? .1 : b", "a ?. 1 : b"),
    ],
)
def test_white_space_with_an_effect(golden, candidate):
    assert tokens_of(golden, "javascript") != tokens_of(candidate, "javascript")


@pytest.mark.parametrize(
    "code",
    [
        "} /a/ // b/",
        "if (a) /'/.test(b)",
        "a++ / 2 // b",
        "x.return / 2 // b",
        "of / 2 /g // b",
        "a = 'b",
        "a = `b ${c}",
        "/* a",
        "f(a]",
        "a <!-- b",
        "#!/usr/bin/env node",
        "={{ $json.a // b }}",
        "a = /b",
    ],
)
def test_what_is_not_certain_is_not_read(code):
    assert tokens_of(code, "javascript") is None
    assert tokens_of("a", "ruby") is None


PROGRAM = """\
# Keep the paid orders.
def main(orders):
    '''Return them.'''
    for order in orders:
        if order["paid"]:  # in full
            print(f"#{order['id'] = }")
    return orders
"""


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [
        ("# Keep the paid orders.\n", "\n\n", True),
        ("  # in full", "", True),
        ("    ", "  ", True),
        ("    ", "\t", True),
        ("main(orders)", "main(\n        orders,  # all\n    )", False),
        ("main(orders)", "main(\n        orders  # all\n    )", True),
        ("    return orders", "            return orders", False),
        ("Return them.", "Return them. ", False),
        ("'] = }", "']= }", False),
        ("#{", "# {", False),
        ("  # in full", "  #: in full\n            pass", False),
        ("    for", "\tfor", False),
    ],
)
def test_python(was, now, same):
    assert was in PROGRAM
    found = tokens_of(PROGRAM, "python3"), tokens_of(PROGRAM.replace(was, now), "Python")
    assert found[0] is not None
    assert (found[0] == found[1]) is same


@pytest.mark.parametrize("code", ["def f(:\n  'a", "if a:\n    b\n  c", "a = '''b", "a\0", f"a = {'b + ' * 2000}c"])
def test_python_that_is_not_certain_is_not_read(code):
    assert tokens_of(code, "python") is None


@pytest.mark.parametrize(
    "part",
    ["/*", "`${", "(", "'", "/[", "\\", "//", "a/", "`", "{", "[", "$", "'''", "\t ", "0", "f'{", "if a:\n ", "é\n"],
)
def test_hostile_code_takes_linear_time(part):
    start = process_time()
    for language in ("javascript", "python"):
        tokens_of(part * (60_000 // len(part)), language)
        tokens_of("\n".join([part * 100] * (60_000 // (100 * len(part) + 1))), language)
    assert process_time() - start < 4
