"""A small document of every format that says as much as fits: where mutations start from."""

SEEDS: dict[str, str] = {
    "native": """\
wfgate: "1"
main: deploy
workflows:
  deploy:
    semantics: token
    params: {replicas: 3}
    tasks:
      - {id: provision, name: Provision, action: terraform.apply, outputs: [cluster]}
      - {id: harden, workflow: access, critical: true}
      - {id: smoke, loop: {mode: until, condition: ok, max: 10}, join: "harden or provision", inputs: [cluster]}
    gateways: [{id: gate, op: XOR}]
    flow:
      - {from: START, to: provision}
      - {from: provision, to: gate}
      - {from: gate, to: harden, guard: {expr: "x == 1", order: 1}}
      - {from: gate, to: smoke, guard: {default: true}, outcome: always}
      - {from: harden, to: smoke}
      - {from: smoke, to: provision, back: true}
      - {from: smoke, to: END}
    data: [cluster, {id: log, description: The log}]
    dataflow: [{from: provision, to: smoke, data: cluster}]
  access: {tasks: [{id: keys}]}
""",
    "worfbench": "Node:\n1: Collect figures\n2: Draw a chart\n3: Mail it\nEdge: (START,1) (1,2) (1,3) (2,END) (3,END)",
    "graph-json": """\
{"task_nodes": [{"task": "Search", "arguments": ["cats"]}, {"task": "Translate", "arguments": ["<node-0>"]}],
 "task_links": [{"source": "Search", "target": "Translate"}]}
""",
    "markdown": """\
# Tasks: deploy

## Phase 1: Setup

- [ ] T001 Create the project in src/
- [x] T002 [P] Configure linting in pyproject.toml
- [ ] T003 [P] Write the tests in tests/ (depends on T001)

## Phase 2: Ship

1. Build the image
   - push it
2. If the tests pass, deploy
3. Otherwise go back to step 1
""",
    "instructions": """\
# Rules

- Run `make test` before each commit.
- Never push to main.

You must keep the changelog short. It is read by people.
""",
    "github-actions": """\
name: CI
on: {push: {branches: [main]}, workflow_call: {}}
jobs:
  build:
    runs-on: ubuntu-latest
    strategy: {matrix: {os: [linux, mac], include: [{os: win}]}}
    outputs: {tag: "${{ steps.tag.outputs.v }}"}
    steps:
      - uses: actions/checkout@v4
      - {id: tag, run: make tag}
      - {name: Report, if: failure(), run: make report, continue-on-error: true}
  deploy:
    needs: [build]
    if: always() && needs.build.outputs.tag != ''
    steps: [{run: "make deploy ${{ needs.build.outputs.tag }}"}]
  shared: {needs: build, uses: ./.github/workflows/other.yml, with: {a: 1}}
""",
    "gitlab-ci": """\
stages: [build, test, deploy]
default: {image: "alpine:3", retry: 1}
include: [{local: ci/more.yml}]
workflow: {name: CI, rules: [{if: $CI_COMMIT_BRANCH}]}
.base: {variables: {LOG: info}, before_script: [setup]}
build: {extends: .base, stage: build, script: [make], artifacts: {paths: [dist/]}}
unit: {extends: [.base], stage: test, parallel: {matrix: [{OS: [linux, mac]}]}, script: make test}
lint: {stage: test, needs: [], script: [make lint], allow_failure: true}
deploy:
  stage: deploy
  needs: [{job: build, artifacts: true}, {job: lint, optional: true}]
  environment: {name: prod, on_stop: stop}
  rules: [{if: '$CI_COMMIT_TAG =~ /^v/', when: never}, {changes: [src/**], when: manual}, {when: on_failure}]
  script: [make deploy]
stop: {stage: deploy, when: manual, dependencies: [build], script: [make stop]}
child: {stage: deploy, trigger: {include: [{local: child.yml}]}, only: {refs: [main], variables: ['$A == "b"']}}
notify: {stage: .post, when: always, script: [make notify]}
""",
    "mermaid": """\
flowchart TD
  start([Begin]) --> check{Is it ready?}
  check -->|yes| ship[Ship it] & tell[Tell people]
  check -.->|no| wait["Wait a day"] --> check
  subgraph release [Release]
    ship --> done((Done))
  end
  tell --o release
  classDef x fill:#f9f
""",
    "asl": """\
{"Comment": "Order", "StartAt": "Check", "TimeoutSeconds": 60, "States": {
  "Check": {"Type": "Choice", "Choices": [{"Variable": "$.n", "NumericGreaterThan": 3, "Next": "Both"},
    {"And": [{"Variable": "$.a", "IsPresent": true}, {"Not": {"Variable": "$.b", "BooleanEquals": true}}],
     "Next": "Wait"}], "Default": "Bad"},
  "Both": {"Type": "Parallel", "Branches": [{"StartAt": "A", "States": {"A": {"Type": "Task",
    "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"x.$": "$.x"}, "End": true}}},
    {"StartAt": "M", "States": {"M": {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": {"StartAt": "P",
      "States": {"P": {"Type": "Pass", "End": true}}}, "End": true}}}],
    "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Bad"}], "Next": "Good"},
  "Wait": {"Type": "Wait", "Seconds": 5, "Next": "Check"},
  "Good": {"Type": "Succeed"}, "Bad": {"Type": "Fail", "Error": "E", "Cause": "c"}}}
""",
    "n8n": """\
{"name": "Mail", "nodes": [
  {"id": "1", "name": "Daily", "type": "n8n-nodes-base.scheduleTrigger", "typeVersion": 1, "position": [0, 0],
   "parameters": {"rule": {"interval": [{}]}}},
  {"id": "2", "name": "If", "type": "n8n-nodes-base.if", "typeVersion": 2, "position": [1, 0], "parameters":
   {"conditions": {"conditions": [{"leftValue": "={{ $json.a }}", "rightValue": 1,
    "operator": {"operation": "equals"}}]}}},
  {"id": "3", "name": "Loop", "type": "n8n-nodes-base.splitInBatches", "typeVersion": 3, "position": [2, 0],
   "parameters": {}},
  {"id": "4", "name": "Send", "type": "n8n-nodes-base.gmail", "typeVersion": 2, "position": [3, 0],
   "onError": "continueErrorOutput", "parameters": {"message": "={{ $('Daily').item.json.x }}"}},
  {"id": "5", "name": "Merge", "type": "n8n-nodes-base.merge", "typeVersion": 3, "position": [3, 1], "parameters": {}},
  {"id": "6", "name": "Sub", "type": "n8n-nodes-base.executeWorkflow", "typeVersion": 1, "position": [4, 1],
   "parameters": {"workflowId": "77"}}],
 "connections": {"Daily": {"main": [[{"node": "If", "type": "main", "index": 0}]]},
  "If": {"main": [[{"node": "Loop", "type": "main", "index": 0}], [{"node": "Merge", "type": "main", "index": 0}]]},
  "Loop": {"main": [[{"node": "Merge", "type": "main", "index": 1}], [{"node": "Send", "type": "main", "index": 0}]]},
  "Send": {"main": [[{"node": "Loop", "type": "main", "index": 0}], [{"node": "Sub", "type": "main", "index": 0}]]}}}
""",
    "bpmn": """\
<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d">
  <process id="p" name="Order">
    <laneSet><lane id="l" name="Shop"><flowNodeRef>pack</flowNodeRef></lane></laneSet>
    <startEvent id="s"/>
    <task id="pack" name="Pack &amp; weigh"><documentation>Carefully</documentation></task>
    <exclusiveGateway id="x" default="f4" name="Paid?"/>
    <subProcess id="sub" name="Ship"><task id="call" name="Call"/><endEvent id="e2"/>
      <sequenceFlow id="f7" sourceRef="call" targetRef="e2"/></subProcess>
    <boundaryEvent id="b" attachedToRef="pack"><timerEventDefinition/></boundaryEvent>
    <callActivity id="other" calledElement="q"><multiInstanceLoopCharacteristics isSequential="true"/></callActivity>
    <endEvent id="e" name="Sent"/>
    <dataObjectReference id="o" name="List"/>
    <sequenceFlow id="f1" sourceRef="s" targetRef="pack"/>
    <sequenceFlow id="f2" sourceRef="pack" targetRef="x"/>
    <sequenceFlow id="f3" name="yes" sourceRef="x" targetRef="sub">
      <conditionExpression>paid == true</conditionExpression></sequenceFlow>
    <sequenceFlow id="f4" sourceRef="x" targetRef="other"/>
    <sequenceFlow id="f5" sourceRef="sub" targetRef="e"/>
    <sequenceFlow id="f6" sourceRef="b" targetRef="other"/>
  </process>
</definitions>
""",
    "argo": """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: order-}
spec:
  entrypoint: main
  onExit: tidy
  arguments: {parameters: [{name: n, value: "3"}]}
  templates:
    - name: main
      dag:
        tasks:
          - {name: a, template: work, arguments: {parameters: [{name: x, value: "{{workflow.parameters.n}}"}]}}
          - {name: b, template: work, depends: "a.Succeeded && !a.Skipped", when: "{{tasks.a.outputs.result}} == 1"}
          - {name: c, template: both, dependencies: [a], withItems: [1, 2]}
    - name: both
      steps: [[{name: one, template: work}, {name: two, template: wait}], [{name: three, template: both}]]
    - {name: work, container: {image: alpine, command: [echo]}, retryStrategy: {limit: 2}}
    - {name: wait, suspend: {duration: 10}}
    - {name: tidy, container: {image: alpine}}
""",
    "dify": """\
kind: app
version: 0.1.5
app: {name: Answer, mode: workflow}
workflow:
  graph:
    nodes:
      - {id: "1", data: {type: start, title: Start, variables: [{variable: q, type: paragraph}]}}
      - {id: "2", data: {type: if-else, title: Is it long?, cases: [{case_id: "true", logical_operator: and,
          conditions: [{variable_selector: ["1", q], comparison_operator: contains, value: x}]}]}}
      - {id: "3", data: {type: llm, title: Answer, prompt_template: [{role: user, text: "{{#1.q#}}"}]}}
      - {id: "4", data: {type: iteration, title: Each, iterator_selector: ["1", q], start_node_id: "5"}}
      - {id: "5", data: {type: code, title: Count, isInIteration: true, iteration_id: "4"}, parentId: "4"}
      - {id: "6", data: {type: end, title: End, outputs: [{value_selector: ["3", text], variable: a}]}}
    edges:
      - {source: "1", target: "2", sourceHandle: source}
      - {source: "2", target: "3", sourceHandle: "true"}
      - {source: "2", target: "4", sourceHandle: "false"}
      - {source: "3", target: "6", sourceHandle: source}
      - {source: "4", target: "6", sourceHandle: fail-branch}
""",
    "serverless": """\
document: {dsl: 1.0.0, namespace: shop, name: order, version: 1.0.0}
do:
  - pay: {call: http, with: {method: post, endpoint: "https://example.com"}, if: "${ .n > 1 }"}
  - choose: {switch: [{big: {when: .n > 3, then: both}}, {small: {then: wait}}]}
  - both: {fork: {compete: false, branches: [{a: {set: {x: 1}}}, {b: {run: {workflow: {name: other}}}}]}, then: safe}
  - wait: {wait: {seconds: 5}}
  - safe: {try: [{c: {call: f}}], catch: {errors: {with: {status: 503}}, retry: {limit: {attempt: {count: 3}}},
      do: [{tell: {emit: {event: {with: {type: x}}}}}]}}
  - each: {for: {each: i, in: .items}, do: [{d: {listen: {to: {any: [{with: {type: y}}]}}}}], then: end}
""",
    "xxp": """\
package demo;
workflow W {
  define task A;
  define task B { description "Train"; implementation "b.py"; param n = 3; subworkflow S; }
  define input data D; configure data D { path "d.csv"; }
  configure task A { implementation "a.py"; dependency "x"; }
  START -> A -> PARALLEL_1; PARALLEL_1 -> B; PARALLEL_1 -> EXCLUSIVE_1;
  EXCLUSIVE_1 ?-> B { condition "x > 1"; } EXCLUSIVE_1 -> END;
  B !-> END { exception "E"; } D --> A.in --> B;
}
assembled workflow V from W { configure task B { implementation "c.py"; } }
""",
    "dot": 'digraph g { start -> build -> test; test -> ship [label="ok"]; test -> build [style=dashed]; }\n',
    "recorded-run": """\
[{"role": "user", "content": "My money, please"},
 {"role": "assistant", "content": null, "tool_calls": [
  {"id": "a", "type": "function", "function": {"name": "get_order", "arguments": "{\\"id\\": 17}"}},
  {"id": "b", "type": "function", "function": {"name": "get_invoice", "arguments": "{\\"token\\": \\"x1\\"}"}}]},
 {"role": "tool", "tool_call_id": "a", "content": "Error: timeout"},
 {"role": "tool", "tool_call_id": "b", "content": "{}"},
 {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "get_order", "input": {"id": 17}}]},
 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok", "is_error": false}]},
 {"type": "function_call", "call_id": "d", "name": "refund", "arguments": "{}"},
 {"type": "function_call_output", "call_id": "d", "output": "ok"}]
""",
}
