# Everything that is done with Kavosh from a shell. `make help` lists it.

# A failure must not be lost in the pipe into tally.
SHELL := bash
.SHELLFLAGS := -o pipefail -c

GO      ?= go
MODULES := ./...
CACHE   := $(CURDIR)/.cache
TAG     := $(shell git describe --tags --exact-match --match 'v*' 2>/dev/null)
VERSION := $(or $(TAG:v%=%),$(shell git describe --tags --always --dirty --match 'v*' 2>/dev/null),dev)
BLOGS   ?= $(CACHE)/lab/mihanblog6
KNAKK   ?= $(CACHE)/bench/knakk-rdf
LDFLAGS := -s -w -X main.released=$(VERSION)

# Tests that need other projects' vectors or programs: their packages, and their names, since `make test` runs the others.
CONFORMANCE = $(sort $(dir $(shell grep -rlE --include='*_test.go' '^//go:build .*\bconformance\b' .)))
CONFORMS    = $(shell grep -rlE --include='*_test.go' '^//go:build .*\bconformance\b' . | xargs sed -nE 's/^func ((Test|Fuzz|Example)[A-Za-z0-9_]*).*/\1/p' | sort -u | paste -sd '|')

# The longest of those: of the ones in Chromium a smaller one says nearly the same, TestHostilePages, TestTwiceInTheBrowserWhereNeeded.
LONG = TestHostile|TestPopUps|TestTwiceInTheBrowser|TestRelease|TestMillionSeeds|TestScriptLinks

.PHONY: build test race lint conformance conformance-every suites conformance-tools conformance-data fuzz bench bench-browser browser-sites bench-crawl bench-against bench-change bench-importance bench-fidelity bench-frontier bench-hosts bench-resume bench-lang bench-lang-pages bench-lang-peers bench-quality bench-rdf bench-replay bench-search bench-search-load bench-standin lab-data lab-histories lab-rdf lab-series standin-data soak soak-browser simulate simulate-revisits hostile arrows pictures release clean help
.DEFAULT_GOAL := build

build: ## build bin/kavosh, one static file
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/kavosh ./cmd/kavosh

test: lint ## all tests, formatting and static checks first; some minutes on two cores
	$(GO) test -timeout 15m -json $(MODULES) | $(GO) run ./tools/tally

# Tests that run command after command to read what they say, or measure: no two parts of the program meet there.
WORDS = AccessTable|NothingClosedIsTold|NumberHasBounds|NumbersInTextsHaveBounds|NoVerbTouches|LargeRequests|SimulationBoundsMemory|House|Linear|EveryWriting|HostileFilesEnd|GraphAndFullFetch|OrdersSeeOnly|SecretsReach|CoherenceByIntersection|DefectsOfAScript|PublishedSQL|NamesOfCollections|PackagesDescribe

# Packages in which something runs beside something else.
BESIDE = $(sort $(dir $(shell grep -rlE --include='*.go' '^\s+go [a-z]|"sync"|"sync/atomic"|\.Go.func' .)))

# A program under the race detector sleeps for a second before it ends, unless told not to.
race: ## the tests under the race detector, the longest shorter, without those that only read words; 20 minutes (needs gcc)
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(GO) test -race -short -skip '$(WORDS)' -timeout 40m -json $(BESIDE) | $(GO) run ./tools/tally

lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	  if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w them):" $$unformatted; exit 1; fi
	$(GO) vet -tags conformance,suites $(MODULES)
	$(GO) run honnef.co/go/tools/cmd/staticcheck -tags conformance,suites $(MODULES)

CONFORM = KAVOSH_AXE=$(CACHE)/axe/package/axe.min.js KAVOSH_REPLAYWEBPAGE=$(CACHE)/replaywebpage/package KAVOSH_PYTHON=$(CACHE)/venv/bin/python KAVOSH_JAVA=$(CACHE)/java \
  $(GO) test -tags conformance -count=1 -p 1 -run '^($(or $(ONLY),$(CONFORMS)))$$' -json

conformance: conformance-tools ## other projects' vectors, other programs, kills and real sites, a part of the longest: some 40 minutes
	$(CONFORM) -short -timeout 40m -skip '^($(LONG))$$' $(CONFORMANCE) | $(GO) run ./tools/tally -v

conformance-every: conformance-tools ## all of it, whole: every damage, kill, page and way out of the replay; two hours (ONLY=TestDamage for one)
	$(CONFORM) -timeout 3h $(CONFORMANCE) | $(GO) run ./tools/tally -v

suites: conformance-tools ## what comes with `make conformance-data` alone: RDFa, microformats, the Archival Acid Test, w3id.org, saved pages; pages of widely used libraries, whole applications
	$(GO) test -tags suites -count=1 -v -run Acid ./conformance/acid
	$(GO) test -tags conformance,suites -count=1 -run W3ID ./conformance/crawl
	docs=$(CACHE)/applications/docsify-site; [ -d $$docs/docs ] || { mkdir -p $$docs && git init -q --bare $(CACHE)/docsify && git -C $(CACHE)/docsify fetch -q --depth 1 \
	  $(or $(DOCSIFY),https://github.com/docsifyjs/docsify) c8f93ff3fc1093a3f46073bfbb2bc45e227f0a5e && git -C $(CACHE)/docsify archive FETCH_HEAD docs | tar -x -C $$docs; }
	tools/applications.sh $(CACHE)/applications
	KAVOSH_APPLICATIONS=$(CACHE)/applications $(GO) test -tags conformance,suites -count=1 -timeout 45m -v -run Applications ./fetch/browser
	$(GO) test -tags suites -count=1 ./lib/htmltree ./lib/rdf/rdfa ./lib/microformats ./replay/rewrite

conformance-tools: ## install the programs and sites that conformance runs against (Debian, quick when they are there)
	tools/conformance-tools.sh $(CACHE)

conformance-data: ## clone other projects' test vectors to ../shared/data or $KAVOSH_TESTDATA
	tools/conformance-data.sh

fuzz: ## every fuzz target for FUZZTIME, 30s by default
	@grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | while IFS=: read -r file _ func; do \
	  echo "$${file%/*} $${func#func }"; \
	  $(GO) test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(or $(FUZZTIME),30s) "$${file%/*}" || exit 1; \
	done

bench: ## every benchmark, with its peer beside it
	$(GO) test -run '^$$' -bench . -benchmem $(MODULES)

bench-browser: build ## what crawls with the browser find and take on 40 sites of others, PAGES (350) of each: hours (make browser-sites first; apt-get install chromium)
	$(GO) run ./bench/browser -modes $(or $(MODES),never,auto,always) -pages $(or $(PAGES),350) -delay $(or $(DELAY),0s) $(CACHE)/browser-sites

browser-sites: ## the 40 sites of bench/browser/sites.tsv, to .cache/browser-sites: some minutes, 7 GB (Debian, git; CLONES=… for clones)
	mkdir -p $(or $(CLONES),$(CACHE)/browser-sites/clones)
	$(GO) run ./bench/browser make $(or $(CLONES),$(CACHE)/browser-sites/clones) $(CACHE)/browser-sites

bench-crawl: build ## pages a CPU-second beside other crawlers and the ceiling (apt-get install wget wget2 httrack python3-scrapy)
	$(GO) run ./bench/crawl

bench-against: ## processor time of a crawl now beside that of BASE=<commit>, N programs (6) of each in random layouts: half an hour
	$(GO) run ./bench/crawl against -base '$(BASE)' -layouts $(or $(N),6) -pages $(or $(PAGES),12000)

bench-frontier: ## 1, 10 and 100 million URLs offered ten times each: an hour or two, 40 GB of disk
	$(GO) run ./bench/frontier urls

bench-hosts: ## ten minutes of crawling with 10 million hosts known
	$(GO) run ./bench/frontier hosts

bench-resume: ## from start to first lease with 100 million URLs queued
	$(GO) run ./bench/frontier resume

lab-data: ## stored webs with labels for kavosh lab, to .cache/lab: a quarter of an hour, 1.5 GB (Debian, git; BLOGS=… for a clone)
	mkdir -p $(CACHE)/lab
	$(GO) build -o $(CACHE)/lab/labdata ./tools/labdata
	$(CACHE)/lab/labdata webkb $(or $(KAVOSH_TESTDATA),../shared/data)/webkb-three-universities.tar.gz $(CACHE)/lab
	$(CACHE)/lab/labdata debian $(CACHE)/lab
	[ -d $(BLOGS) ] || git clone --bare https://github.com/asemanam-blog/mihanblog6 $(BLOGS)
	$(CACHE)/lab/labdata blogs $(BLOGS) $(CACHE)/lab
	[ -d $(CACHE)/lab/clickhouse ] || { git init -q --bare $(CACHE)/lab/clickhouse && git -C $(CACHE)/lab/clickhouse fetch -q --depth 1 \
	  https://github.com/akuzm/clickhouse.github.io 14d0d60e11d2ae84a6962e549f558eb94393adbc; } || { rm -rf $(CACHE)/lab/clickhouse; exit 1; }
	$(CACHE)/lab/labdata focus $(CACHE)/lab/clickhouse $(CACHE)/lab
	$(MAKE) lab-rdf

lab-rdf: ## of these, sites with RDF for kavosh lab recipe semantic: some minutes, 2 GB (git)
	mkdir -p $(CACHE)/lab/clones
	$(GO) run ./tools/labdata rdf $(CACHE)/lab/clones $(CACHE)/lab

lab-histories: ## when the pages of 25 real sites changed, for kavosh lab recipe histories, to .cache/lab: some GB (git)
	mkdir -p $(CACHE)/lab/histories
	grep -v '^#' tools/labdata/histories.tsv | while read -r repository commit; do \
	  dir=$(CACHE)/lab/histories/$$(echo $$repository | tr / +).git; \
	  [ -d $$dir ] || git clone -q --bare https://github.com/$$repository $$dir || exit 1; done
	$(GO) run ./tools/labdata histories $(CACHE)/lab/histories $(CACHE)/lab

lab-series: build ## sites as a hundred crawls found them over years, to .cache/lab/series, and what kavosh quality --series says of each (git, 500 MB)
	mkdir -p $(CACHE)/lab/histories $(CACHE)/lab/series
	grep -v '^#' tools/labdata/series.tsv | while read -r name url repository commit folder; do \
	  dir=$(CACHE)/lab/histories/$$(echo $$repository | tr / +).git; \
	  [ -d $$dir ] || git clone -q --bare https://github.com/$$repository $$dir || exit 1; done
	$(GO) run ./tools/labdata series $(CACHE)/lab/histories $(CACHE)/lab/series
	for file in $(CACHE)/lab/series/*.warc.gz; do \
	  bin/kavosh import $$file $${file%.warc.gz}.kavosh && bin/kavosh quality $${file%.warc.gz}.kavosh --series || exit 1; done

standin-data: ## real answers with labels for bench-standin, to .cache/standin: out of 263 repositories (git)
	mkdir -p $(CACHE)/standin/clones
	$(GO) run ./tools/standindata $(CACHE)/standin/clones $(CACHE)/standin

bench-change: ## what of known changes to real pages is found, and how fast (make lab-data first)
	$(GO) run ./bench/change $(CACHE)/lab

bench-importance: ## how well the importance of a change tells that the content changed, on sites whose sources tell it (git, 3 GB)
	mkdir -p $(CACHE)/lab/histories
	grep -v '^#' bench/change/sites.tsv | while read -r repository branch commit part; do \
	  dir=$(CACHE)/lab/histories/$$(echo $$repository | tr / +).git; \
	  [ -d $$dir ] || git clone -q --bare https://github.com/$$repository $$dir || exit 1; done
	$(GO) run ./bench/change -labelled held $(CACHE)/lab/histories

bench-fidelity: ## how well the damage of pages tells what is seen of it, on half of 14 sites (Debian, some hundred MB; apt-get install chromium)
	mkdir -p $(CACHE)/fidelity
	cd $(CACHE)/fidelity && for name in $$(cd $(CURDIR) && $(GO) run ./bench/fidelity -packages); do \
	  [ -e $$name.deb ] || { apt-get download -q $$name && mv $${name}_*.deb $$name.deb && dpkg -x $$name.deb .; } || exit 1; done
	$(GO) run ./bench/fidelity -half held $(CACHE)/fidelity

bench-standin: ## how well answers that stand in for a page are told, on those that were not looked at (make standin-data first)
	$(GO) run ./bench/standin $(CACHE)/standin/held
	$(GO) run ./bench/standin $(CACHE)/standin/unseen

bench-lang: ## how well languages are told apart, on text of unseen sources (tools/langdata.sh first)
	$(GO) run ./bench/languages

bench-lang-pages: ## verdicts on 340 real pages that were labelled by hand before (fetches 70 repositories)
	mkdir -p $(CACHE)/standin/clones
	$(GO) run ./bench/languages -labelled $(CACHE)/standin/clones

bench-lang-peers: ## the same beside lingua-go, whatlanggo and CLD2 (apt-get install libcld2-dev)
	mkdir -p $(CACHE) && cp go.mod $(CACHE)/peers.mod && cp go.sum $(CACHE)/peers.sum
	$(GO) get -modfile $(CACHE)/peers.mod github.com/abadojack/whatlanggo@v1.0.1 github.com/pemistahl/lingua-go@v1.4.0
	$(GO) run ./bench/languages -samples $(CACHE)/samples.tsv
	$(GO) run -modfile $(CACHE)/peers.mod -tags peers ./bench/languages/testdata/peers $(CACHE)/samples.tsv

bench-search: ## a search index of the stored webs of make lab-data: building, 8 clients, known pages in Persian and English
	$(GO) run ./bench/search build -index $(CACHE)/bench/search -captures 7 $(CACHE)/lab/*.warc.gz
	$(GO) run ./bench/search load -index $(CACHE)/bench/search
	$(GO) run ./bench/search known -index $(CACHE)/bench/search -lang fa
	$(GO) run ./bench/search known -index $(CACHE)/bench/search -lang en

bench-search-load: ## eight clients ask the search index of the archive of make bench-replay
	$(GO) run ./bench/search load -index $(CACHE)/bench/million/derived/search@1

bench-replay: build ## look-ups and replay of a million captures beside pywb: 40 minutes the first time, 4 GB (Debian; as root, apt-get install wrk)
	$(GO) run ./bench/replay

bench-quality: build ## defects and coherence of a million captures: ten minutes the first time, 1 GB
	$(GO) run ./bench/quality $(CACHE)/bench/quality

bench-rdf: ## 100 MB of N-Triples and of Turtle read beside knakk/rdf, libserd and serdi (apt-get install serdi libserd-dev; KNAKK=… for a clone)
	mkdir -p $(CACHE)/bench && cp go.mod $(CACHE)/rdfpeers.mod && cp go.sum $(CACHE)/rdfpeers.sum
	[ -d $(KNAKK) ] || git clone --quiet https://github.com/knakk/rdf $(KNAKK)
	$(GO) mod edit -require github.com/knakk/rdf@v0.0.0 -replace github.com/knakk/rdf=$(KNAKK) $(CACHE)/rdfpeers.mod
	$(GO) build -modfile $(CACHE)/rdfpeers.mod -tags peers -o $(CACHE)/bench/rdfpeers ./bench/rdf/testdata/peers
	$(GO) run ./bench/rdf -peers $(CACHE)/bench/rdfpeers -json $(CACHE)/bench/rdf.json

soak: build ## an hour of crawling a made-up web of millions of hosts
	$(GO) run ./bench/soak

soak-browser: build ## crawls 2,000 pages in the browser, one in ten hostile, and kills it 100 times: hours (PAGES=60 KILLS=4 for minutes)
	mkdir -p $(CACHE)/browser-soak
	$(GO) run ./bench/browser soak -pages $(or $(PAGES),2000) -kills $(or $(KILLS),100) -memory $(or $(MEMORY),4GB) $(CACHE)/browser-soak

simulate: ## 10 million simulated fetches with faults and kills, and bugs planted on purpose: hours (FETCHES=1000000 for fewer)
	mkdir -p $(CACHE)/bench
	$(GO) test -tags simulation -count=1 -timeout 0 -v -run 'TestSimulatedMillions|TestSimulationRepeats|TestPlantedBugs' ./engine \
	  -fetches $(or $(FETCHES),10000000) -sums $(CACHE)/bench/simulation.json

simulate-revisits: ## a crawl that goes on for 30 simulated days over 10,000 pages, killed again and again: an hour
	$(GO) test -tags simulation -count=1 -timeout 0 -v -run TestRevisitsLong ./engine

hostile: ## take away each bound that a hostile case names, one after the other, and want the case to fail: ten minutes
	$(GO) test -tags simulation -count=1 -timeout 0 -parallel 6 -v -run TestWithoutBounds ./engine

arrows: ## draw who imports whom, docs/architecture.svg
	$(GO) run ./tools/arrows docs/architecture.svg

pictures: build ## pictures of pages for README.md, docs/pictures (Chromium; not as root, whose Chromium has no sandbox for thumbnails)
	$(GO) run ./tools/pictures bin/kavosh docs/pictures

release: build ## static programs for each system (SYSTEMS, ARCHS), packages for Debian, checksums, in dist/ (dpkg-deb)
	rm -rf dist && mkdir -p dist
	for system in $(or $(SYSTEMS),linux darwin windows); do for arch in $(or $(ARCHS),amd64 arm64); do \
	  name=dist/kavosh-$(VERSION)-$$system-$$arch; [ $$system = windows ] && name=$$name.exe; echo $$name; \
	  CGO_ENABLED=0 GOOS=$$system GOARCH=$$arch $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $$name ./cmd/kavosh || exit 1; \
	  [ $$system = linux ] || continue; \
	  tools/deb.sh $$name '$(VERSION)' $$arch dist/kavosh_$$arch.deb || exit 1; \
	done; done
	cd dist && sha256sum kavosh* > SHA256SUMS

clean: ## remove what was built
	rm -rf bin dist

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

