#!/usr/bin/env bash
# Makes lib/vazirmatn/vazirmatn.woff2 again: the letters, signs and digits of the Arabic script out of the typeface that
# npm has, from regular to bold. Latin is left out, because pages take it from the reader's system.
# Needs npm and Python 3 with venv. The same versions give the same file.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

(cd "$work" && npm pack --silent vazirmatn@33.0.3 >/dev/null && tar -xzf vazirmatn-33.0.3.tgz)
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet fonttools==4.68.0 brotli==1.1.0

font="$work/package/fonts/variable/Vazirmatn[wght].ttf"
export SOURCE_DATE_EPOCH=0
"$work/venv/bin/fonttools" varLib.instancer "$font" wght=400:700 --quiet --no-recalc-timestamp --output "$work/weights.ttf"
# The ranges stand in vazirmatn.go too, for browsers.
"$work/venv/bin/pyftsubset" "$work/weights.ttf" --unicodes=U+0600-06FF,U+200C-200F,U+FD3E-FD3F,U+FDFC \
  --layout-features=ccmp,locl,init,medi,fina,isol,rlig,calt,liga,mark,mkmk,kern --no-hinting --no-recalc-timestamp \
  --flavor=woff2 --output-file=lib/vazirmatn/vazirmatn.woff2
cp "$work/package/OFL.txt" lib/vazirmatn/OFL.txt
