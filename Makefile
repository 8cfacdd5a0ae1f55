# Every target sets up what it needs; nothing but Python >= 3.11 and make is assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= auto
# Steps come in tens, not thousands: threads of the linear algebra only get in each other's way.
export OPENBLAS_NUM_THREADS ?= 1
# The tests start many processes: each would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all check lint types layers docs docs-check site bench bench-peers prove profile screenshots licences wheel sbom audit clean

# --- the two commands of the README -------------------------------------------------------------------------------
demo: $(VENV)/.runtime
	@echo "The demo takes two or three minutes, nearly all of it for the calibration."
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not slow and not browser and not semantic and not adapters"

# --- what CI runs ---------------------------------------------------------------------------------------------------
test-all: $(VENV)/.dev
	ALL_EXAMPLES=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not semantic and not adapters"

check: test-all lint types layers docs-check

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint Dockerfile; fi # there is a package of it for Linux on x86-64 only

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

docs: $(VENV)/.dev
	$(BIN)/python calibration/docs.py --write --slow

docs-check: $(VENV)/.dev
	$(BIN)/python calibration/docs.py --check

# The pages of docs/ as a site in .site/; a broken link is an error.
site: $(VENV)-site/.made
	NO_MKDOCS_2_WARNING=1 $(VENV)-site/bin/mkdocs build --strict --quiet

# --- what people run by hand ----------------------------------------------------------------------------------------
bench: $(VENV)/.runtime
	$(BIN)/python calibration/bench/run.py

# wfgate beside other tools (target: 15 minutes on two idle cores). WORFBENCH=/path/to/clone of github.com/zjunlp/WorFBench
# adds WorFEval; PEERS='--half fit --pairs 24' is a quick look. `make docs` then writes calibration/beside-others.md.
bench-peers: $(VENV)/.dev $(VENV)-peers/.made
	$(BIN)/python calibration/bench/peers/measure.py --python $(VENV)-peers/bin/python \
	  $(if $(WORFBENCH),--worfbench "$(WORFBENCH)") $(PEERS)

# Hours; `make prove PROVE=--short` takes minutes.
prove: $(VENV)/.dev
	$(BIN)/python calibration/prove/run.py $(PROVE)

profile: $(VENV)/.runtime
	$(BIN)/python calibration/step_equivalence/fit_profile.py

screenshots: $(VENV)/.dev
	$(BIN)/python calibration/screenshots.py

licences: $(VENV)/.dev
	$(BIN)/python calibration/prove/licences.py --write

wheel: $(VENV)/.dev
	rm -rf dist && $(BIN)/python -m build --wheel --outdir dist

# What is installed with the wheel (as locked for the action), as CycloneDX; the tool checks it against its schema.
sbom: $(VENV)-tools/.made wheel
	rm -rf $(VENV)-sbom && $(PYTHON) -m venv --without-pip $(VENV)-sbom
	$(BIN)/python -m pip --python $(VENV)-sbom/bin/python install --quiet --require-hashes -r .ci/action/requirements.txt
	$(BIN)/python -m pip --python $(VENV)-sbom/bin/python install --quiet --no-deps dist/*.whl
	$(VENV)-tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --validate \
	  --output-file dist/sbom.cdx.json $(VENV)-sbom/bin/python
	$(BIN)/python calibration/prove/sbom.py dist/sbom.cdx.json

# Known vulnerabilities of what is locked. Asks a service; where none answers it fails, and says so.
audit: $(VENV)-tools/.made
	$(VENV)-tools/bin/pip-audit --strict --disable-pip --require-hashes --requirement .ci/action/requirements.txt

clean:
	rm -rf $(VENV) $(VENV)-* .demo .site .bench .screenshots dist build

# --- environments -----------------------------------------------------------------------------------------------------
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wfgate needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml
	.ci/install $(BIN)/python -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	.ci/install $(BIN)/python -e '.[dev]'
	@touch $@ $(VENV)/.runtime

$(VENV)-tools/.made: $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)-tools
	.ci/install $(VENV)-tools/bin/python cyclonedx-bom==7.5.0 pip-audit==2.10.1
	@touch $@

$(VENV)-site/.made: $(VENV)/bin/python .ci/site-requirements.txt
	$(PYTHON) -m venv $(VENV)-site
	.ci/install $(VENV)-site/bin/python -r .ci/site-requirements.txt
	@touch $@

# torch first and by pip: with its plain name, others fetch gigabytes of GPU libraries.
$(VENV)-peers/.made: $(VENV)/bin/python .ci/peers-requirements.txt
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip install --quiet --no-compile "$$(grep '^torch==' .ci/peers-requirements.txt)"
	.ci/install $(VENV)-peers/bin/python -r .ci/peers-requirements.txt
	@touch $@

# Other test tools, in which the adapters of examples/ are tested.
$(VENV)-adapters/.made: $(VENV)/bin/python pyproject.toml .ci/adapters-requirements.txt
	$(PYTHON) -m venv $(VENV)-adapters
	.ci/install $(VENV)-adapters/bin/python -e . -r .ci/adapters-requirements.txt
	@touch $@
