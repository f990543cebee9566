# `make` prints the targets. A target first builds what it needs. Outside this folder, only the caches of sbt, Maven and
# pip change.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo unit test test-long strict live faults chaos compat sim build wheel venv options lint lint-scala lint-python format docs site bench bench-engines bench-page release-dry-run clean

# Stands for the three jars, which one sbt builds side by side, and for the Maven repository target/maven with two of them.
JARS := target/.jars
BUILD_FILES := build.sbt version.sbt $(wildcard project/*.scala project/*.sbt project/build.properties) LICENSE NOTICE $(wildcard project/licences/*)
# The demo needs two of the jars, and an environment of its own with a tenth of the packages.
DEMO_JARS := target/.demo-jars
DEMO := .venv-demo
PYTHON ?= python3
VENV := .venv
WHEEL_STAMP := python/dist/.built
# A wheel of the same version does not replace an installed one, so both are removed first.
DISTRIBUTIONS := spark-eventhubs spark-eventhubs-core
# Spark's classes in the form in which the JVMs of the end-to-end tests load them.
CLASSES := $(VENV)/spark-classes.jsa
# Two event hubs of the namespace, which nothing else uses.
LIVE_HUBS ?= live-1 live-2
# Tests that depend on the version of Spark. The demo, the pages and the packaging do not.
COMPAT_TESTS := tests/reading tests/writing tests/bodies tests/mistakes tests/delivery/test_exactly_once.py \
	tests/monitoring/test_watch.py tests/session/test_standalone_cluster.py tests/session/test_secrets.py \
	tests/command/test_checkpoint_command.py tests/signin/test_ways.py
# The engine without a jar is for Spark 4.
COMPAT_TESTS += $(if $(filter 4.%,$(SPARK)),tests/pure)
COMPAT_TESTS += $(if $(filter 4.1% 4.2% 4.3%,$(SPARK)),tests/pipelines)
# What PySpark needs for Spark Connect and, where it has them, for pipelines.
EXTRA := $(if $(filter 4.0%,$(SPARK)),[connect],$(if $(filter 4.%,$(SPARK)),[pipelines]))
# The package of Iceberg is for this Spark.
COMPAT_TESTS += $(if $(filter 4.1%,$(SPARK)),tests/lakes)
# The README's commands for Spark 3.5 name another jar. Those for Spark 4 run with `make test`.
COMPAT_TESTS += $(if $(filter 3.5%,$(SPARK)),tests/first_sight/test_readme.py)

help: ## this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## the main job on the local hub; RATE=events/s limits the replay, DATA=folder keeps it
	@$(MAKE) --no-print-directory -j2 $(DEMO)/.ready
	$(DEMO)/bin/python examples/flight_delays.py $(if $(RATE),--rate $(RATE)) $(if $(DATA),--data $(DATA))

unit: $(VENV)/.tools ## tests that need no hub, no Spark job and no wheel, in 3 minutes
	$(VENV)/bin/python tools/run_tests.py unit

test: $(VENV)/.wheel $(CLASSES) ## everything that protects a change: unit, over AMQP, end to end in PySpark; SHARD=1/3 is a third of it
	$(VENV)/bin/python tools/run_tests.py test $(SHARD)

test-long: $(VENV)/.wheel $(CLASSES) ## fault tests, soak tests, the other Spark versions
	$(VENV)/bin/python tools/run_tests.py long

strict: $(VENV)/.wheel $(CLASSES) ## suites of behaviour on a local hub that is strict, in an hour; HUB_SERVICE=strict is stricter
	$(VENV)/bin/python tools/run_tests.py strict

live: $(VENV)/.wheel ## `spark-eventhubs verify` on a real namespace; needs EVENTHUBS_LIVE_CONNECTION_STRING
	@test -n "$$EVENTHUBS_LIVE_CONNECTION_STRING" || { echo "skipped: EVENTHUBS_LIVE_CONNECTION_STRING is not set" >&2; exit 2; }
	mkdir -p target
	EVENTHUBS_CONNECTION_STRING="$$EVENTHUBS_LIVE_CONNECTION_STRING" $(VENV)/bin/python -m spark_eventhubs verify $(LIVE_HUBS) \
		--format markdown --output target/live.md --trace target/live-frames.jsonl

# Repetitions and durations that are large enough to find rare faults. The tests' own defaults are small.
faults: export DRIVER_KILLS ?= 30
faults: export EXECUTOR_KILLS ?= 10
faults: export OWNER_KILLS ?= 10
faults: export THROTTLED_SECONDS ?= 60
faults: export TESTS ?= all
faults: $(VENV)/.wheel ## the long forms of the fault tests: killed drivers, executors and owners of partitions, a throttled minute
	$(VENV)/bin/python -m pytest -s tests/delivery/test_exactly_once_kills.py tests/processor/test_hand_over.py
	./sbt "core/It/testOnly *ExactlyOnceClusterSuite *ThrottledWriteSuite *KilledOwnersSuite"

chaos: $(VENV)/.wheel ## everything around four queries fails at random, and each event is accounted for: SECONDS=180 SEED=1 RUNS=1
	PYTHONPATH=tests/chaos:tests/shared:examples $(VENV)/bin/python tests/chaos/run_chaos.py \
		--seconds $(or $(SECONDS),180) --seed $(or $(SEED),1) --runs $(or $(RUNS),1)

sim: ## the read path under a virtual clock: HOURS=2000, SEED=85 replays, MUTATIONS=all tries defects
	SEED="$(SEED)" KEEP="$(KEEP)" SALT="$(SALT)" FROM="$(FROM)" HOURS="$(HOURS)" MUTATIONS="$(MUTATIONS)" ./sbt "sim/run"

compat: $(WHEEL_STAMP) ## the end-to-end tests with the same wheels on another Spark: SPARK=3.5.8 (3.5, 4.0 to 4.3)
	$(PYTHON) -m venv .venv-spark-$(SPARK)
	.venv-spark-$(SPARK)/bin/python -m pip install --quiet "pyspark$(EXTRA)==$(SPARK)" "pandas>=2.2,<3" pyarrow pytest pytest-timeout azure-eventhub azure-identity \
		azure-schemaregistry azure-schemaregistry-avroencoder websocket-client
	.venv-spark-$(SPARK)/bin/python -m pip uninstall --quiet --yes $(DISTRIBUTIONS)
	.venv-spark-$(SPARK)/bin/python -m pip install --quiet python/dist/*.whl
	test -f .venv-spark-$(SPARK)/spark-classes.jsa || .venv-spark-$(SPARK)/bin/python tests/shared/quick_jvm.py
	.venv-spark-$(SPARK)/bin/python -m pytest $(if $(REPORT),--junitxml $(REPORT)) $(COMPAT_TESTS)

build: ## the jars of the connector, for Spark 4 and for 3.5, and of the hub; a Maven repository in target/maven
	./sbt "all core/assembly spark35/assembly localhub/assembly core/publish spark35/publish"
	touch $(JARS) $(DEMO_JARS)

wheel: $(WHEEL_STAMP) ## the wheels of the package and of its jars, in python/dist

venv: $(VENV)/.wheel ## .venv with the wheels, PySpark and the tools

options: $(VENV)/.tools ## what is generated from the option table: docs/options.md, Python's table and keywords
	UPDATE=1 ./sbt "core/testOnly *OptionDocsSuite"
	PYTHONPATH=python/src $(VENV)/bin/python tools/conf_keywords.py --write

lint: lint-scala lint-python ## formatting, lint, types and layers, as CI checks them

lint-scala:
	LINT=yes ./sbt "scalafmtCheckAll; scalafmtSbtCheck; scalafixAll --check"

lint-python: $(VENV)/.tools
	$(VENV)/bin/python tools/check_layers.py
	$(VENV)/bin/python tools/check_prose.py
	$(VENV)/bin/ruff format --check . && $(VENV)/bin/ruff check . && $(VENV)/bin/mypy
	$(MAKE) --no-print-directory site

site: $(VENV)/.tools ## the pages of the documentation site in target/site, without the Scala API
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict --quiet

docs: site ## the documentation site in target/site
	./sbt "core/doc"
	rm -rf target/site/scaladoc && cp -R core/target/scala-2.13/api target/site/scaladoc

format: $(VENV)/.tools ## fixes what lint would refuse, where a tool can
	./sbt "scalafixAll; scalafmtAll; scalafmtSbt"
	$(VENV)/bin/ruff format . && $(VENV)/bin/ruff check --fix .

bench: $(VENV)/.tools ## everything side by side, into docs/benchmarks.md; BENCH=quick is the short form, BENCH=cloud only the profile cloud, BENCH=streams only its long streams and 0 ms
	./sbt "benchmarks/run $(or $(BENCH),full) benchmarks/results"
	$(VENV)/bin/python tools/benchmark_page.py

bench-engines: $(VENV)/.wheel ## both engines next to each other: rates and CPU time for each event; EVENTS=300000 ROUNDS=5 BYTES=1000
	$(VENV)/bin/python benchmarks/engines.py

bench-page: $(VENV)/.tools ## docs/benchmarks.md and its plot, from the results that are there
	$(VENV)/bin/python tools/benchmark_page.py

release-dry-run: $(VENV)/.tools ## builds and checks what a release publishes, with a throw-away key; uploads nothing
	$(VENV)/bin/python tools/release_build.py

clean: ## removes what was built
	rm -rf target */target core/spark-3.5/target python/dist python/jars/src/spark_eventhubs_jars/*.jar $(VENV) $(DEMO) .demo .venv-spark-*

$(JARS): $(shell find core/src/main core/spark-3.5/src/main localhub/src/main -type f) $(BUILD_FILES)
	$(MAKE) --no-print-directory build

$(DEMO_JARS): $(shell find core/src/main localhub/src/main -type f) $(BUILD_FILES)
	./sbt "all core/assembly localhub/assembly"
	touch $@

# Packages arrive while the jars are built.
$(DEMO)/.packages: python/pyproject.toml
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --upgrade pip
	$(DEMO)/bin/python -m pip install --quiet --group python/pyproject.toml:demo
	touch $@

$(DEMO)/.ready: $(DEMO_JARS) $(DEMO)/.packages python/jars/pyproject.toml
	$(DEMO)/bin/python -m pip install --quiet --editable python --editable python/jars
	touch $@

$(VENV)/.tools: python/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet --group python/pyproject.toml:dev
	$(VENV)/bin/python -m pip install --quiet --group python/pyproject.toml:proton || echo "Qpid proton could not be built: its tests are skipped."
	touch $@

$(CLASSES): $(VENV)/.tools
	$(VENV)/bin/python tests/shared/quick_jvm.py

$(WHEEL_STAMP): $(JARS) $(VENV)/.tools $(shell find python/src -type f -name '*.py' -o -path '*/java_home/*') python/jars/hatch_build.py python/jars/pyproject.toml
	rm -f python/dist/*.whl
	$(VENV)/bin/python -m build --wheel --no-isolation --outdir python/dist python
	$(VENV)/bin/python -m build --wheel --no-isolation --outdir python/dist python/jars
	touch $@

$(VENV)/.wheel: $(WHEEL_STAMP)
	$(VENV)/bin/python -m pip uninstall --quiet --yes $(DISTRIBUTIONS)
	$(VENV)/bin/python -m pip install --quiet python/dist/*.whl
	touch $@
