"""What guards of each language say, in the plain language."""

import pytest

from wfgate.logic import ALWAYS, Atom, GuardSyntaxError, Term, atoms, parse, terms, words
from wfgate.logic.conditions.formula import NEVER, Linear
from wfgate.model import Language

PLAIN = {
    # and, or, not in every spelling
    "a && !b || c": "a and not b or c",
    "A AND NOT B OR C": "A and not B or C",
    "a and (b or c)": "a and (b or c)",
    "not (a and b)": "not (a and b)",
    "not x == 3": "x != 3",
    "!approved": "not approved",
    # comparisons
    "env = 'prod'": "env == 'prod'",
    'env === "prod"': "env == 'prod'",
    "env <> 'prod'": "env != 'prod'",
    "env is not 'prod'": "env != 'prod'",
    "'prod' == env": "env == 'prod'",
    "3 < x": "x > 3",
    "3 >= x": "x <= 3",
    "1 < x < 10": "x > 1 and x < 10",
    "x between 1 and 5 and y": "x >= 1 and x <= 5 and y",
    "x in [1, 'b', null]": "x == 1 or x == 'b' or x == null",
    "x not in ('a', 'b')": "not (x == 'a' or x == 'b')",
    "x in ('a')": "x == 'a'",
    "x in []": "false",
    "x == -1.50": "x == -1.5",
    # sums
    "2 * x + 1 <= 7": "x <= 3",
    "a - b > 0": "a > b",
    "x == y": "x == y",
    "y < x": "x > y",
    "x * y > 3": "«x * y» > 3",
    "x / 4 >= 0.25": "x >= 1",
    "x == x": "true",
    "now() < now()": "«now() < now()»",
    # literals
    "true": "true",
    "1 == 2": "false",
    "'a' == 'a' and x": "x",
    "x == true": "x == true",
    "x == None": "x == null",
    "(x > 3) == false": "x <= 3",
    "(a > 1) == (b > 1)": "a > 1 and b > 1 or a <= 1 and b <= 1",
    "x == '1'": "x == '1'",
    # strings
    "x starts with 'a'": "x starts with 'a'",
    "startsWith(x, 'a') and x.endswith('z')": "x starts with 'a' and x ends with 'z'",
    "x does not contain 'b'": "not x contains 'b'",
    "'b' in x": "x contains 'b'",
    "x like 'a*' or x like '*b*' or x like 'c'": "x starts with 'a' or x contains 'b' or x == 'c'",
    "x like 'a*b'": "«x like 'a*b'»",
    "x =~ '^v'": "x starts with 'v'",
    "x matches '^v[0-9]+$'": "«x matches '^v[0-9]+$'»",
    "x < 'b'": "«x < 'b'»",
    "x >= 'b'": "not «x < 'b'»",
    r"x == 'it\'s'": r"x == 'it\'s'",
    # presence
    "x is null or y is not defined": "x == null or y == null",
    "exists(x) and isEmpty(y)": "x != null and (y == null or y == '')",
    "x is not empty": "not (x == null or x == '')",
    # names
    "{{ $json.x }} == 1 and ${y.z} and $.a['b'].c": "x == 1 and y.z and a.b.c",
    "`Service Level` == 'gold'": "`Service Level` == 'gold'",
    "a[0]['odd key'] > 1": "`a[0].odd key` > 1",
    "a[b]": "«a[b]»",
    "len(items) > 3": "«len(items)» > 3",
    "f( x ,'a' )": "«f(x, 'a')»",
    # sentences
    "the Customer  agrees": "«the customer agrees»",
    "the customer's order is paid": "«the customer's order is paid»",
    "not every item is there": "not «every item is there»",
    "if every item is there": "«every item is there»",
    "unless every item is there": "not «every item is there»",
    "unless x > 3": "x <= 3",
    "when approved": "approved",
    "approved and not rejected": "approved and not rejected",
    "pre-approved": "pre-approved",
    "status is null": "status == null",
    "the customer is happy": "«the customer is happy»",
    "customer is happy": "«customer is happy»",
    "name starts with a": "«name starts with a»",
    "otherwise": "«otherwise»",
    "Default": "«default»",
    "404": "«404»",
    "«Error (timeout)» and x": "«Error (timeout)» and x",
}
GITHUB = {
    "github.ref == 'refs/heads/Main'": "github.ref == 'refs/heads/main'",
    "${{ github.event_name != 'push' }}": "github.event_name != 'push'",
    "success()": "status == 'success'",
    "always() && needs.build.result == 'Success'": "needs.build.result == 'success'",
    "!cancelled() && (failure() || x)": "status != 'cancelled' and (status == 'failure' or x)",
    "! StartsWith(github.ref, 'refs/tags/')": "not github.ref starts with 'refs/tags/'",
    "contains(github.event.head_commit.message, 'it''s')": r"github.event.head_commit.message contains 'it\'s'",
    'contains(fromJSON(\'["push", "Pull"]\'), github.event_name)': (
        "github.event_name == 'push' or github.event_name == 'pull'"
    ),
    "contains(github.event.pull_request.labels.*.name, 'x')": (
        "«contains(github.event.pull_request.labels.*.name, 'x')»"
    ),
    "steps.a-b.outputs['c'] == 'true'": "steps.a-b.outputs.c == 'true'",
    "hashFiles('x') != ''": "«hashFiles('x')» != ''",
    "inputs.n >= 0x10": "inputs.n >= 16",
    "github.ref": "github.ref",
    "false": "false",
    # what stands beside the braces makes it a string, and that is true
    "${{ failure() }} && github.ref == 'x'": "true",
    "${{ failure() }}\n": "true",
}
ASL = {
    '{"Variable": "$.x", "StringEquals": "a", "Next": "B"}': "x == 'a'",
    '{"Variable": "$.x.y", "NumericGreaterThanEquals": 2.5}': "x.y >= 2.5",
    '{"Variable": "$.x", "NumericLessThanPath": "$.y"}': "x < y",
    '{"Variable": "$.x", "StringEqualsPath": "$$.Execution.Id"}': "context.Execution.Id == x",
    '{"Variable": "$.x", "BooleanEquals": false}': "x == false",
    '{"Variable": "$.x", "IsPresent": false}': "x == null",
    '{"Variable": "$.x", "IsNull": true}': "«x is null»",
    '{"Variable": "$.x", "IsNumeric": false}': "not «x is a number»",
    '{"Variable": "$.x", "StringMatches": "log-*"}': "x starts with 'log-'",
    '{"Variable": "$.x", "StringMatches": "a*b"}': '«x like "a*b"»',
    '{"Variable": "$.x", "StringLessThan": "b"}': "«x < 'b'»",
    '{"Variable": "$.x", "TimestampGreaterThan": "2020-01-01T00:00:00Z"}': "not «x <= '2020-01-01T00:00:00Z'»",
    '{"And": [{"Variable": "$.x", "IsPresent": true}, {"Not": {"Variable": "$.x", "NumericEquals": 1}}]}': (
        "x != null and x != 1"
    ),
    '{"Or": [{"Variable": "$[\'a b\']", "NumericEquals": 1}, {"Variable": "$v.w", "NumericEquals": 2}]}': (
        "`a b` == 1 or v.w == 2"
    ),
    '{"Variable": "States.ArrayContains($.xs, 1)", "BooleanEquals": true}': "«States.ArrayContains(xs, 1)» == true",
    '{"Condition": "{% $states.input.n in [1, 2] %}", "Next": "A"}': "n == 1 or n == 2",
    "{% $x > 5 and $not($exists($states.input.y)) %}": "x > 5 and y == null",
    "{% $count($states.input.xs) > 3 or $contains($name, 'a') %}": "«$count(xs)» > 3 or name contains 'a'",
    "{% $states.input.xs[type='a'].price > 3 %}": "«xs[type == 'a'].price» > 3",
}
BPMN = {
    "${amount > 1000 && !approved}": "amount > 1000 and not approved",
    "#{amount ge 5 or empty order.id}": "amount >= 5 or order.id == null or order.id == ''",
    "${status eq 'ok' and not rejected}": "status == 'ok' and not rejected",
    "${name.startsWith('a')} and ${x}": "name starts with 'a' and x",
    "${execution.getVariable('x').equals('y')}": "x == 'y'",
    "${vip ? total > 10 : total > 20}": "vip and total > 10 or not vip and total > 20",
    '= amount > 1000 and status = "ok"': "amount > 1000 and status == 'ok'",
    '= Service Level in ("gold", "silver")': "`Service Level` == 'gold' or `Service Level` == 'silver'",
    "= age in [18..65)": "age >= 18 and age < 65",
    "= age between 18 and 65": "age >= 18 and age <= 65",
    '= starts with(name, "a") and not(is defined(y))': "name starts with 'a' and y == null",
    '= some r in risks satisfies r = "red"': '«some r in risks satisfies r="red"»',
    'due < date and time("2020-01-01T00:00:00")': "«date and time('2020-01-01T00:00:00')» > due",
    "not(bpmn:getDataObject('approved'))": "not approved",
    "the customer agrees": "«the customer agrees»",
}
N8N = {
    "={{ $json.x > 3 }}": "x > 3",
    "$json.x === 'a' && $json[\"y z\"] !== undefined": "x == 'a' and `y z` != null",
    "={{ $('Get user').item.json.age >= $json.min }}": "`Get user.age` >= min",
    "={{ $node['Get'].json.x && $input.item.json.y }}": "Get.x and y",
    "={{ $json.s.startsWith('a') || $json.s.includes(\"b\") }}": "s starts with 'a' or s contains 'b'",
    "={{ ['a', 'b'].includes($json.x) }}": "x == 'a' or x == 'b'",
    "={{ !!$json.x || Boolean($json.y) }}": "x or y",
    "={{ $json.xs.find(x => x.id === 3).name === 'a' }}": "«xs.find(x=>x.id===3).name» == 'a'",
    "={{ /^a'/.test($json.x) }}": "«/^a'/.test(x)»",
    "={{ $json.a > 1 // isn't it\n && $json.b /* don't */ }}": "a > 1 and b",
    "={{ new Date($json.t) < $now }}": "$now > «new Date(t)»",
    '{"conditions": {"string": [{"value1": "={{$json[\\"a\\"]}}", "value2": "x"}], "number": [{"value1":'
    ' "={{$json.n}}", "operation": "largerEqual", "value2": 3}]}, "combineOperation": "any"}': "a == 'x' or n >= 3",
    '{"conditions": {"combinator": "or", "conditions": [{"leftValue": "={{ $json.a }}", "rightValue": "5", "operator":'
    ' {"type": "number", "operation": "gt"}}, {"leftValue": "={{ $json.b }}", "operator": {"type": "string",'
    ' "operation": "notEmpty"}}]}}': "a > 5 or not (b == null or b == '')",
    '{"conditions": {"options": {"caseSensitive": false}, "conditions": [{"leftValue": "={{ $json.a }}", "rightValue":'
    ' "X", "operator": {"type": "string", "operation": "notContains"}}]}}': "not a contains 'x'",
    '{"leftValue": "={{ $json.a > 1 }}", "operator": {"type": "boolean", "operation": "true"}}': "a > 1",
    '{"leftValue": "={{ $json.a }}", "operator": {"type": "array", "operation": "notEmpty"}}': "not «empty array a»",
    '{"leftValue": "={{ $json.t }}", "rightValue": "2020-01-01", "operator": {"type": "dateTime", "operation":'
    ' "afterOrEquals"}}': "not «t before '2020-01-01'»",
    # without = the braces are only text
    '{"leftValue": "{{ $json.a }}", "rightValue": "x", "operator": {"type": "string", "operation": "equals"}}': (
        "false"
    ),
    '{"value1": "={{$json.m}}", "value2": "image/", "operation": "contains", "dataType": "string"}': (
        "m contains 'image/'"
    ),
}
ARGO = {
    "'{{x}}' == '10'": "x == 10",
    "'{{x}}' == '010'": "x == '010'",
    "'{{x}}' == '1.0'": "x == '1.0'",
    "'{{x}}' == '-0.5'": "x == -0.5",
    "{{steps.flip-coin.outputs.result}} == heads": "steps.flip-coin.outputs.result == 'heads'",
    "heads != {{x}}": "x != 'heads'",
    '"{{inputs.parameters.n}}" == "3" || {{inputs.parameters.n}} > 5': (
        "inputs.parameters.n == 3 or inputs.parameters.n > 5"
    ),
    "{{inputs.parameters.should-print}} == true": "inputs.parameters.should-print == true",
    "{{inputs.parameters.num-1}} in (1, 2)": "`inputs.parameters.num-1` == 1 or `inputs.parameters.num-1` == 2",
    "{{x}} in (a-b, 'c')": "x == 'a-b' or x == 'c'",
    "{{x}} =~ '^v'": "x starts with 'v'",
    "{{x}} !~ 'v.*'": "not «x matches 'v.*'»",
    "{{=asInt(inputs.parameters.n) < 3}}": "inputs.parameters.n < 3",
    "{{= inputs.parameters['a-b'] == 'x' and not (item.n > 2) }} && {{y}} == z": (
        "inputs.parameters.a-b == 'x' and item.n <= 2 and y == 'z'"
    ),
    "{{= inputs.parameters.x startsWith 'a' ? true : false }}": "inputs.parameters.x starts with 'a'",
    "{{= now() > x }}": "«now()» > x",
    "{{x}}": "x",
    "false": "false",
}
CASES = [
    (language, text, said)
    for language, table in {
        "plain": PLAIN,
        "github": GITHUB,
        "asl": ASL,
        "bpmn": BPMN,
        "n8n": N8N,
        "argo": ARGO,
    }.items()
    for text, said in table.items()
]
BROKEN = [
    ("plain", "status == ", 11, "expected a value, not the end"),
    ("plain", "(a and and b)", 8, "expected a value, not and"),
    ("plain", "(a or b", 8, "expected ')', not the end"),
    ("plain", "a == 'b", 6, "the text that starts with ' is not closed"),
    ("plain", "status == ok thing", 14, "expected an operator, not thing"),
    ("plain", "if x > ", 8, "expected a value, not the end"),
    ("plain", "x > 1e999", 5, "the number is too large or too small"),
    ("plain", "(x between 1 or 2)", 14, "expected and, not or"),
    ("github", 'github.ref == "main"', 15, 'the text that starts with " is not closed'),
    ("github", "${{ github.ref = 'x' }}", 16, "expected an operator, not ="),
    ("github", "failure() and success()", 11, "expected an operator, not and"),
    ("github", "the branch is main", 5, "expected an operator, not branch"),
    (
        "asl",
        '{"Variable": "$.x", "StringEquals": 3}',
        21,
        "StringEquals is not a comparison operator, or its value has the wrong type",
    ),
    (
        "asl",
        '{"Variable": "$.x", "StringEqual": "a"}',
        21,
        "StringEqual is not a comparison operator, or its value has the wrong type",
    ),
    ("asl", '{"StringEquals": "a"}', 2, "StringEquals needs the field 'Variable'"),
    ("asl", '{"Variable": "$.x", "Next": "A"}', 1, "the rule has no comparison"),
    ("asl", '{"And": []}', 2, "the value of And must be a list of one or more rules"),
    ("asl", '{"Variable": "$.x",}', 20, None),
    ("asl", "{% $x > %}", 9, "expected a value, not the end"),
    ("asl", "$x > 3", 1, None),
    ("bpmn", "${amount > }", 12, "expected a value, not }"),
    ("bpmn", "= amount > 1000 EUR", 17, "expected an operator, not EUR"),
    ("n8n", "={{ $json.x > }}", 15, "expected a value, not the end"),
    ("n8n", "={{ $json.x y }}", 13, "expected an operator, not y"),
    ("n8n", '{"conditions": 3}', 1, "the rule has no condition"),
    (
        "n8n",
        '{"leftValue": "={{ $json. }}", "operator": {"operation": "exists"}}',
        None,
        "expected a name, not the end",
    ),
    ("argo", "{{x}} == ", 10, "expected a value, not the end"),
    ("argo", "{{x}} = a", 7, "expected an operator, not ="),
    ("argo", "{{x == a", 1, "the text that starts with { is not closed"),
    ("argo", "heads", 1, "heads is a text, not a condition"),
    ("argo", "a && {{= b > }}", 14, "expected a value, not the end"),
]


def test_what_guards_say() -> None:
    found = {(language, text): words(parse(text, language)) for language, text, _ in CASES}
    assert found == {(language, text): said for language, text, said in CASES}


@pytest.mark.parametrize(("language", "text", "column", "message"), BROKEN)
def test_what_is_broken_is_refused_where_it_is(
    language: Language, text: str, column: int | None, message: str | None
) -> None:
    with pytest.raises(GuardSyntaxError) as refused:
        parse(text, language)
    assert refused.value.column == column or column is None
    assert refused.value.message == message or message is None


def test_values_have_their_types() -> None:
    atoms_ = list(atoms(parse("a == 1 and b == true and c == 'x' and d == null and e <= 1.5 and f")))
    assert atoms_ == [
        Atom(Term("a"), "==", 1),
        Atom(Term("b"), "==", True),
        Atom(Term("c"), "==", "x"),
        Atom(Term("d"), "==", None),
        Atom(Term("e"), "<=", 1.5),
        Atom(Term("f"), "truthy"),
    ]
    assert [type(atom.value) for atom in atoms_ if isinstance(atom, Atom)][:2] == [int, bool]


def test_one_is_not_true() -> None:
    assert parse("x == 1 or x == true") != parse("x == 1")


def test_the_status_has_three_values() -> None:
    assert terms(parse("failure()", "github")) == (Term("status", values=("success", "failure", "cancelled")),)
    assert parse("always()", "github") == ALWAYS
    assert parse("!always()", "github") == NEVER


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("plain", "now() > deadline"),
        ("argo", "{{= random() > 1 }}"),
        ("asl", "{% $now() > $x %}"),
        ("asl", '{"Variable": "States.UUID()", "StringEquals": "x"}'),
        ("n8n", "={{ new Date() > $json.x }}"),
        ("n8n", "={{ Math.random() > 0.5 }}"),
        ("n8n", "={{ $now > $json.x }}"),
        ("bpmn", "= today() > due"),
    ],
)
def test_clocks_and_dice_are_not_stable(language: Language, text: str) -> None:
    assert any(not term.stable for term in terms(parse(text, language)))


def test_two_terms_make_a_linear_relation() -> None:
    (found,) = atoms(parse("x == y"))
    assert isinstance(found, Linear)
    assert [(term.text, weight) for term, weight in found.weights] == [("x", 1), ("y", -1)]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("plain", "f(x,'a')  >3", 'f( x, "a" ) > 3'),
        ("n8n", "$json.a['b'] == 1", "={{ $json.a.b === 1 }}"),
        ("bpmn", "${a == 1}", "= a = 1"),
        ("argo", "{{a}} == 'x'", "'{{ a }}' == x"),
        ("github", "a == 'X'", "${{ 'x' == a }}"),
    ],
)
def test_spellings_do_not_matter(language: Language, one: str, other: str) -> None:
    assert parse(one, language) == parse(other, language)
