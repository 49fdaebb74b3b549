#!/usr/bin/env bash
# Installs what `make conformance` runs Kavosh against: other programs, and documentation sites that none of us wrote.
# Debian 12. What is there already is left alone, so that a second run takes a second.
set -euo pipefail
cache=${1:?usage: conformance-tools.sh CACHE-FOLDER}

# A program counts as there whatever package brought it; the package is Debian's.
programs=(man:man-db apache2:apache2-bin chromium:chromium firefox-esr:firefox-esr gcc:gcc git:git javac:default-jdk-headless mvn:maven nginx:nginx-light node:nodejs npm:npm pdftotext:poppler-utils wget:wget)
packages=(ca-certificates python3-venv
  borgbackup-doc ckeditor debian-handbook debian-policy fgallery fossil geographiclib-doc golang-github-docker-docker-dev libcommons-lang3-java-doc libeigen3-doc libgtk-4-doc libjs-jquery-flot-docs
  libjs-jquery-ui-docs libjs-pdf liblcms2-utils libpango1.0-doc libreoffice-help-de libreoffice-help-en-us libreoffice-help-fr mkdocs-doc novnc
  openjdk-17-doc postgresql-doc-15 rust-doc scala-doc shared-mime-info syncthing)
modules=(cdxj-indexer==1.5.0 duckdb==1.4.2 http-message-signatures==3.0.0 pandas==2.3.3 polars==1.35.2 pywb==2.10.0 surt==0.3.1 wacz==0.6.0 warcio==1.8.1)

wanted=()
for program in "${programs[@]}"; do
  PATH=$PATH:/usr/sbin command -v "${program%:*}" >/dev/null || wanted+=("${program#*:}")
done
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == *" installed" ]] || wanted+=("$package")
done
if ((${#wanted[@]})); then
  command -v apt-get >/dev/null || { echo "install these by your system's means: ${wanted[*]}" >&2; exit 1; }
  root=()
  ((EUID == 0)) || root=(sudo)
  echo "installing ${wanted[*]}"
  "${root[@]}" apt-get update -qq
  # Small images leave documentation out, and here it is what is wanted.
  DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends \
    -o Dpkg::Options::=--path-include='/usr/share/doc/*' "${wanted[@]}"
fi

mkdir -p "$cache"
venv=$cache/venv
if [[ $(cat "$venv/modules" 2>/dev/null || true) != "${modules[*]}" ]]; then
  echo "making a Python environment with ${modules[*]}"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "${modules[@]}"
  echo "${modules[*]}" >"$venv/modules"
fi

if [[ ! -d $cache/java ]]; then
  pom=$(mktemp -d)
  cat >"$pom/pom.xml" <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>kavosh</groupId><artifactId>conformance</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.netpreserve</groupId><artifactId>jwarc</artifactId><version>0.36.0</version></dependency>
    <dependency><groupId>org.jwat</groupId><artifactId>jwat-archive</artifactId><version>1.2.1</version></dependency>
  </dependencies>
</project>
END
  mvn -q -B -f "$pom" dependency:copy-dependencies -DoutputDirectory="$cache/java"
  rm -r "$pom"
fi
if [[ ! -d $cache/axe ]]; then
  (cd "$cache" && npm pack --silent axe-core@4.10.3 && mkdir axe && tar -xzf axe-core-4.10.3.tgz -C axe && rm axe-core-4.10.3.tgz)
fi
# Libraries and applications that people click in, for the behaviours of the browser; what is missing is unpacked.
for library in bootstrap@5.3.3 ckeditor4@4.22.1 dijit@1.17.3 docsify@5.0.0 dojo@1.17.3 dojox@1.17.3 leaflet@0.7.7 prismjs@1.30.0 tiddlywiki@5.4.1 turn.js@1.0.5 vue@3.5.45 \
  foundation-sites@6.9.0 infinite-scroll@4.0.1 jquery@3.7.1 jquery-ui@1.14.1 klaro@0.7.22 owl.carousel@2.3.4 \
  slick-carousel@1.8.1 @splidejs/splide@4.1.4 swiper@14.4.0 uikit@3.25.29 vanilla-cookieconsent@3.1.0 video.js@8.21.0; do
  folder=$cache/applications/${library%@*}
  [[ ! -d $folder ]] || continue
  mkdir -p "$folder"
  packed=$(cd "$cache" && npm pack --silent "$library")
  tar -xzf "$cache/$packed" -C "$folder" --strip-components=1
  rm "$cache/$packed"
done
# Of these, two make a site, as their manuals say; that of docsify is in its repository (make suites).
apps=$cache/applications
[[ -d $apps/tiddlywiki/site ]] || node "$apps/tiddlywiki/tiddlywiki.js" "$apps/tiddlywiki/editions/tw5.com" --output "$apps/tiddlywiki/site" --build index
[[ -d $apps/fgallery ]] || fgallery -d -k -j 1 "$apps/turn.js/demos/magazine/pages" "$apps/fgallery" Pages >/dev/null
if [[ ! -d $cache/replaywebpage ]]; then
  (cd "$cache" && npm pack --silent replaywebpage@2.4.6 && mkdir replaywebpage && tar -xzf replaywebpage-2.4.6.tgz -C replaywebpage && rm replaywebpage-2.4.6.tgz)
fi
