#!/usr/bin/env bash
# Brings the test vectors that other projects publish to $KAVOSH_TESTDATA, by default ../shared/data beside the checkout.
# They stay outside this repository, each under its own licence. A folder that is there already is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${KAVOSH_TESTDATA:-../shared/data}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# bring FOLDER OWNER/REPOSITORY PATH…: the paths of a repository's newest commit, as they lie there. A path that ends in
# a slash gives what it holds.
bring() {
  local folder=$data/$1 repository=$2 clone path
  shift 2
  if [[ -e $folder ]]; then
    echo "$folder is there"
    return
  fi
  clone=$tmp/${repository//\//+}
  if [[ ! -d $clone ]]; then
    git clone --quiet --depth 1 "https://github.com/$repository.git" "$clone"
  fi
  mkdir -p "$folder"
  for path in "$@"; do
    if [[ $path == */ ]]; then
      cp -R "$clone/$path." "$folder/"
    else
      cp -R "$clone/$path" "$folder/"
    fi
  done
  echo "$folder is from $repository at $(git -C "$clone" rev-parse --short HEAD)"
}

bring acid machawk1/archivalAcidTest 1f.css 1f_recursive.css 2j.css 3c.html arrayBuffer.js dynamicallyIncludedScript.js externalScript.js favicon.ico \
  index.php localScript.js pixel.png pixel_1f.png pixel_2i.png pixel_2j.png pixel_3c.png pixel_3f.mp4 red.png red_1f.png red_2j.png transparent_1f.png \
  transparent_2j.png
bring jsonld/tests w3c/json-ld-api tests/
bring language/perso-arabic sinaahmadi/PersoArabicLID corpora/ LICENSE
bring microdata/tests w3c/microdata-rdf tests/
bring microformats microformats/tests tests LICENSE
bring pages/readability mozilla/readability test/test-pages/
bring pages/scrapinghub scrapinghub/article-extraction-benchmark html/
bring rdf/rdf11 w3c/rdf-tests rdf/rdf11/
bring rdfa/test-suite rdfa/rdfa.github.io test-suite/manifest.jsonld test-suite/test-cases
bring robots-sitemaps/crawler-commons crawler-commons/crawler-commons src/test/resources/
bring url/urlcanon iipc/urlcanon testdata/
bring url/wpt servo/rust-url url/tests/urltestdata.json url/tests/setters_tests.json url/tests/expected_failures.txt
bring w3id perma-id/w3id.org .htaccess ARK DFDP OSCD affectedBy aktagon bimxel bufalinis-notebook cno crmrp dave dingo dsv eusoilvoc force \
  gno icddl knowledge-sake libeas mirapie obo onsir ops plato rdo rtc shp srcnet swot vair
bring warc/cdxj-indexer webrecorder/cdxj-indexer test
bring warc/gowarc internetarchive/gowarc testdata
bring warc/ipwb oduwsdl/ipwb samples
bring warc/jwarc iipc/jwarc test-resources
bring warc/py-wacz webrecorder/py-wacz tests
bring warc/pywb webrecorder/pywb sample_archive
bring warc/warc-specifications iipc/warc-specifications primers specifications
bring warc/warcio webrecorder/warcio test
bring warc/whirlwind-python commoncrawl/whirlwind-python whirlwind.warc whirlwind.warc.gz
