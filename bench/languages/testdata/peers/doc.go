// Command peers runs other identifiers beside lib/lang, on the texts that bench/languages writes with -samples. `make
// bench-lang-peers` builds it with a go.mod of its own making, so that the program does not depend on them; CLD2 is Debian's libcld2-dev. Each
// is measured on the languages that it and lib/lang both know, close ones merged, and then on all.
package main
