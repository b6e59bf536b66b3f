setup:
	ci/setup.sh $(DEVICE)

# What needs the environment names this.
$(VENV)/bin/python:
	@echo "run \`make setup\` first: there is no $@" >&2; exit 1

lint: $(VENV)/bin/python
	ci/lint.sh

test: $(VENV)/bin/python
	ci/test.sh
