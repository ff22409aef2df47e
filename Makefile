# make            set up .venv and write the reports (reports/index.html); changes no tracked file
# make refresh    the same, and write stored outputs, figures and the claims ledger back
# make test       tests, doctests and stored notebooks, in parallel; SLOW=1 adds the slow tests and variants of others
# make claims     measure the claims whose stored entry is out of date; FORCE=1 all
# make lab        JupyterLab on this folder; ARGS="--no-browser --port 9999" are options of its own
# make docs       the documentation, one site (reports/site/index.html)
# make course     editions for students and teachers and a syllabus (reports/course/index.html)
# make benchmarks the timing tables; ONLY=lvq: one group
# make matrix     the same on other Pythons, libraries and threads (benchmarks/matrix.md); CELLS=oldest: a part
# make mutants    the mutation score: do the tests notice small changes of the mathematics? ONLY=fisher takes one folder
# make honesty    simulations: is what `look` says true? (benchmarks/honesty.md); DRAWS=10: fewer
# make clean      remove what make made
# make lock       resolve requirements.lock anew (for maintainers)
# Variables: FORCE=1 (run also what has not changed), SCALE=quick|default|paper, JOBS=N, PYTHON=python3.12,
#            TIMEOUT=SECONDS (allowed to one cell of a notebook)

# One thread for each numerical library: results do not depend on the number of cores, parallelism is by processes.
export OMP_NUM_THREADS = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS = 1

# And the same kernels on all processors with AVX2: those for AVX-512 add in another order (toolkit/report/execute.py).
ifneq ($(shell grep -ow -m1 avx2 /proc/cpuinfo 2>/dev/null),)
export OPENBLAS_CORETYPE = Haswell
export NPY_DISABLE_CPU_FEATURES = X86_V4 AVX512_ICL AVX512_SPR
endif

# Kernels and workers load what the first of them has compiled.
unexport PYTHONDONTWRITEBYTECODE

SCALE ?= default
PY = .venv/bin/python
READY = .venv/.ready
LAB_SETTINGS = .venv/share/jupyter/lab/settings/overrides.d
UV = .make/uv/bin/uv
PIP = $(PY) -m pip install --disable-pip-version-check --progress-bar on
REPORT = $(PY) -m toolkit report --scale $(SCALE) $(if $(JOBS),--jobs $(JOBS)) $(if $(FORCE),--force) \
	$(if $(TIMEOUT),--timeout $(TIMEOUT))
# The first Python that is new enough.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

.PHONY: all refresh test claims lab docs course benchmarks matrix mutants honesty clean lock setup
all: setup
	@$(REPORT)

# Runs what has changed and measures what is out of date; then all of it is written back at once.
refresh: setup
	@$(REPORT)
	@$(PY) -m toolkit measure --refresh --scale $(SCALE) $(if $(JOBS),--jobs $(JOBS))
	@$(PY) -m toolkit report --scale $(SCALE) --refresh

# Everything but the experiments behind the claims; the cells of a notebook run in one process, in their order. No
# process starts others for each core.
test: setup
	@LOKY_MAX_CPU_COUNT=1 $(PY) -m pytest -n $(or $(JOBS),logical) --dist loadgroup \
		-m "$(if $(SLOW),,not slow)" --durations=20 --doctest-modules --ignore=tests/claims \
		--nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg tests toolkit notebooks

claims: setup
	@$(PY) -m toolkit measure --scale $(SCALE) $(if $(JOBS),--jobs $(JOBS)) $(if $(FORCE),--force)

# Files beside the notebooks are within reach. Root needs leave to run it, as in containers; nobody else gets that.
lab: setup
	@$(PY) -m jupyterlab --ServerApp.root_dir="$(CURDIR)" --LabApp.default_url=/lab/tree/notebooks \
		$(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

# Of a copy of the sources, to which docs/pages.py adds pages; then its links, and what the search finds, are checked.
docs: setup
	@rm -rf .make/site .make/doctrees reports/site && mkdir -p .make/site
	@cp -r --parents docs notebooks figures data/README.md CHANGELOG.md CONTRIBUTING.md .make/site
	@$(PY) -m sphinx -q -W --keep-going -d .make/doctrees -c docs .make/site reports/site
	@$(PY) -m pytest -q tests/check_site.py
	@echo "Wrote reports/site/index.html."

course: setup
	@$(PY) -m toolkit course

benchmarks: setup
	@$(PY) benchmarks/bench.py $(ONLY)
	@$(if $(ONLY),,$(PY) benchmarks/task_sizes.py && $(PY) benchmarks/cluster.py)

mutants: setup
	@PYTHONHASHSEED=0 $(PY) benchmarks/mutants.py $(if $(ONLY),--only $(ONLY)) $(if $(JOBS),--jobs $(JOBS))

honesty: setup
	@$(PY) -m tests.honesty $(if $(DRAWS),--draws $(DRAWS))

setup: $(READY)

# An editable install leaves out what a wheel puts there: JupyterLab saves the state of widgets in notebooks.
$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found (set PYTHON=...)." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "Python 3.11 or newer is needed; $(PYTHON) is older or missing." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
		|| { echo "$(PYTHON) cannot make environments: its venv module is missing (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@mkdir -p .make; exec 9> .make/lock; \
	! command -v flock >/dev/null || flock -n 9 || { echo "Another make is setting up .venv here; wait for its end." >&2; exit 2; }; \
	begin=$$(date +%s); \
	echo "Setting up .venv: once, a few minutes, about a gigabyte." && \
	echo "1/3 an environment of $$($(PYTHON) --version) ..." && $(PYTHON) -m venv .venv && \
	echo "2/3 $$(grep -c '==' requirements.lock) packages, as in requirements.lock ..." && \
	$(PIP) --require-hashes -r requirements.lock && \
	echo "3/3 the toolkit itself ..." && $(PIP) --no-build-isolation --no-deps -e . && touch $@ && \
	echo "Ready after $$(($$(date +%s) - begin)) s. make: the reports; make test: the tests; make lab: JupyterLab."

matrix: setup .matrix/oldest.txt
	@$(PY) benchmarks/matrix.py $(CELLS) $(if $(PARTS),--parts $(PARTS)) $(if $(JOBS),--jobs $(JOBS)) $(if $(FORCE),--force)

.matrix/oldest.txt: pyproject.toml | $(UV)
	@mkdir -p .matrix
	@$(UV) pip compile --quiet --resolution lowest-direct --no-annotate --no-header --python-version 3.11 \
		--extra all --extra cluster --extra compare --extra test --extra build pyproject.toml -o $@

$(UV):
	@$(PYTHON) -m venv .make/uv && .make/uv/bin/python -m pip install --quiet --disable-pip-version-check uv

lock: $(UV)
	@$(UV) pip compile --quiet --universal --generate-hashes --no-annotate \
		--custom-compile-command "make lock" --python-version 3.11 --extra dev --extra build \
		pyproject.toml -o requirements.lock

clean:
	rm -rf .venv .make .matrix reports build dist ./*.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
