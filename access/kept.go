package access

// This file names the files of decisions that access reads and writes, and accepts what is left of damaged ones.

import (
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/decisions"
	"kavosh/internal/journal"
)

const (
	rulesName  = "access.jsonl"
	tokensName = "tokens.jsonl"
)

// file returns one of the files.
func file(fs vfs.FS, archive, name string) decisions.File {
	return decisions.File{FS: fs, Archive: archive, Name: name,
		Until: fmt.Sprintf("nothing is shown until somebody has looked at it and accepts what is left: `kavosh access %s accept`", archive)}
}

// Accepted is what Accept found and did.
type Accepted struct {
	journal.Mended      // of the rules
	Tokens         bool // the tokens were damaged, and all were revoked
}

// Accept makes the readable part of an archive's damaged decisions the valid decisions, after a person has checked
// them. It keeps the damaged files beside the new ones. If the file of tokens is damaged, all tokens are revoked,
// because nobody knows which were revoked before.
func Accept(fs vfs.FS, archive string) (a Accepted, err error) {
	unlock, err := decisions.Hold(fs, archive)
	if err != nil {
		return a, err
	}
	defer unlock.Close()
	a.Mended, err = file(fs, archive, rulesName).Mend(func(line []byte) error {
		_, err := parse(line)
		return err
	})
	if err != nil {
		return a, err
	}
	if _, wrong := Tokens(fs, archive); wrong != nil {
		a.Tokens = true
		tokens := file(fs, archive, tokensName)
		if err := fs.Rename(tokens.Path(), tokens.Path()+".damaged"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return a, err
		}
		err = tokens.Accept()
	}
	return a, err
}
