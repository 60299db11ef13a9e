# make run: everything from nothing to a served page. make test: the whole test suite. See README.md.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
BUNDLE := web/dist/manifest.json
MCP_TESTS := tests/mcp/node_modules/.lock-hash
WEB_SOURCES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/dist*')
.PHONY: run test soak lint check-content train setup setup-dev setup-system web pictures audit sbom clean

run: $(VENV)/.installed $(BUNDLE)
	@$(BIN)/python run.py

test: $(VENV)/.installed-dev $(BUNDLE) $(MCP_TESTS)
	@$(BIN)/python -m scripts.setup_system
	@HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# A hundred kill -9 at random points, each followed by an integrity check; a thousand reloads while people talk; three
# workers under load through fifty reloads
# and longer outages; an hour of load on one worker with its memory watched (SOAK_S=3600).
soak: $(VENV)/.installed-dev
	@KILLS=100 RELOADS=1000 SOAK=1 HF_HUB_OFFLINE=1 $(BIN)/python -m pytest tests/faults/test_kill.py tests/scale
	@HF_HUB_OFFLINE=1 $(BIN)/python -m scripts.bench_load --soak $${SOAK_S:-3600}

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check app scripts tests run.py run_mcp.py
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.lint_data
	$(BIN)/python -m scripts.lint_engine
	$(BIN)/python -m scripts.lint_size
	$(BIN)/python -m scripts.lint_weights

# A company's own folder (CONTENT_DIR=examples/…): its faults, and the router's heads for its tools.
check-content: $(VENV)/.installed
	@$(BIN)/python -m scripts.check_content
train: $(VENV)/.installed
	@$(BIN)/python -m scripts.routing_train

setup: $(VENV)/.installed $(BUNDLE)
setup-dev: $(VENV)/.installed-dev $(BUNDLE) $(MCP_TESTS)
# Chromium, fonts, PostgreSQL, Redis and nginx for the tests: installed as root with apt-get, else named. With CI=true an error.
setup-system: $(BIN)/python
	@$(BIN)/python -m scripts.setup_system
web: $(BUNDLE)
# The picture and the clip of the README, from the real page; needs Chromium.
pictures: $(VENV)/.installed-dev $(BUNDLE)
	@HF_HUB_OFFLINE=1 $(BIN)/python -m tests.web.film

# The pages: Node from the machine, or from a PyPI wheel where there is none.
$(BUNDLE): $(WEB_SOURCES) scripts/build_web.py | $(VENV)/.installed
	@echo "화면을 만듭니다."
	@$(BIN)/python -m scripts.build_web
	@touch $@

# The conformance suite and the Inspector of the protocol, for the tests alone.
$(MCP_TESTS): tests/mcp/package-lock.json | $(VENV)/.installed
	@$(BIN)/python -m scripts.setup_mcp_tests
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "파이썬 3.11이 필요합니다. https://www.python.org 에서 설치한 뒤 다시 실행해 주세요. (Python 3.11 is needed.)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))' || { echo "파이썬 3.11 또는 3.12가 필요합니다. 지금은 $$($(PYTHON) --version)입니다. 'make run PYTHON=/path/to/python3.11'로 지정할 수 있습니다."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "가상환경을 만들지 못했습니다. 디스크 공간과 python3-venv 설치를 확인해 주세요."; exit 1; }

# Exactly the locked files, each checked by its hash; torch (whose CPU build differs from index to index) by its version.
$(VENV)/.installed: pyproject.toml requirements.lock | $(BIN)/python
	@echo "필요한 패키지를 설치합니다. 처음 한 번만 몇 분 걸립니다."
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock \
	  && $(BIN)/python -m pip install --quiet -c constraints.txt "$$(sed -n 's/^ *"\(torch==[^"]*\)".*/\1/p' pyproject.toml)" \
	  && $(BIN)/python -m pip install --quiet --no-deps -e . \
	  || { echo "설치에 실패했습니다. 네트워크(패키지 저장소)와 디스크 공간(3GB)을 확인한 뒤 다시 실행해 주세요."; exit 1; }
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements-dev.lock || { echo "개발 도구 설치에 실패했습니다. 네트워크와 디스크 공간을 확인해 주세요."; exit 1; }
	@touch $@

# Known vulnerabilities of the locked versions; needs a package index and a vulnerability service: a package that could
# not be looked up fails it. No part of the tests.
audit: $(VENV)/.installed
	@$(PYTHON) -m venv var/audit-env && var/audit-env/bin/python -m pip install --quiet pip-audit \
	  || { echo "pip-audit을 설치하지 못했습니다. 패키지 저장소에 닿는 곳에서 실행해 주세요."; exit 1; }
	@var/audit-env/bin/pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict

sbom: $(VENV)/.installed
	@$(BIN)/python -m scripts.sbom sbom.json

clean:
	rm -rf var
