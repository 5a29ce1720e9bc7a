#!/bin/bash
# The stations come from the data; every rule names all it reads. .DELETE_ON_ERROR takes away what a failed script had begun.
set -euo pipefail
cat > /srv/station/Makefile <<'MAKE'
# Builds build/report.txt from the measurements in data/.
CLEANED := $(patsubst data/%,build/clean/%,$(sort $(wildcard data/*.csv)))

.PHONY: all clean
.DELETE_ON_ERROR:

all: build/report.txt

build/clean:
	mkdir -p $@

build/clean/%.csv: data/%.csv tools/clean.sh | build/clean
	tools/clean.sh $< > $@

build/total.txt: $(CLEANED) tools/total.sh
	tools/total.sh $(CLEANED) > $@

build/report.txt: title.txt build/total.txt
	cat title.txt build/total.txt > $@

clean:
	rm -rf build
MAKE
make -C /srv/station
