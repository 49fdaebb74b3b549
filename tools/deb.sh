#!/usr/bin/env bash
# tools/deb.sh PROGRAM VERSION ARCH OUT packs a built kavosh as a .deb, with its manual page and completions (needs dpkg-deb).
# bin/kavosh, which runs on this machine, writes these.
set -euo pipefail
program=$1 version=${2//-/.} arch=$3 out=$4
[[ $version =~ ^[0-9]+\. ]] || version=0~$version # no release: older than all releases
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
share=$root/usr/share
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
  "$share/fish/vendor_completions.d" "$share/doc/kavosh"
install -m 755 "$program" "$root/usr/bin/kavosh"
bin/kavosh man | gzip -9n >"$share/man/man1/kavosh.1.gz"
bin/kavosh completion bash >"$share/bash-completion/completions/kavosh"
bin/kavosh completion zsh >"$share/zsh/vendor-completions/_kavosh"
bin/kavosh completion fish >"$share/fish/vendor_completions.d/kavosh.fish"
cp LICENSE "$share/doc/kavosh/copyright"
cat >"$root/DEBIAN/control" <<END
Package: kavosh
Version: $version
Architecture: $arch
Maintainer: Kavosh
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Recommends: ca-certificates, chromium
Section: web
Priority: optional
Description: crawls a part of the web, archives it as WARC, and shows it again
 One program: crawling with a purpose, web archives that last, replay with
 Memento, search, access rules and exports.
END
chmod -R u=rwX,go=rX "$root"
dpkg-deb --root-owner-group --build "$root" "$out" >/dev/null
