package main

// This file gets the passphrase of profiles, which is no argument: others on the machine can read those.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// passphraseVariable is the environment variable that may have the passphrase of profiles.
const passphraseVariable = "KAVOSH_PROFILE_PASSPHRASE"

// leastPassphrase is the least length in bytes of a new passphrase.
const leastPassphrase = 8

// passphrase returns the passphrase of profiles: the first line of a file, if one is named, else what the environment has,
// else what a person types at the terminal. A new one is asked for twice.
func passphrase(p *program, file string, isNew bool) (string, error) {
	text, err := "", error(nil)
	switch in, _ := p.in.(*os.File); {
	case file != "":
		var data []byte
		if data, err = os.ReadFile(file); err != nil {
			return "", fmt.Errorf("--passphrase-file: %w", err)
		}
		text, _, _ = strings.Cut(string(data), "\n")
		text = strings.TrimSuffix(text, "\r")
	case os.Getenv(passphraseVariable) != "":
		text = os.Getenv(passphraseVariable)
	case in == nil || !term.IsTerminal(int(in.Fd())):
		return "", usage("profiles have a passphrase: name a file with it by --passphrase-file, or set %s", passphraseVariable)
	default:
		if text, err = askUnseen(p.err, in, "Passphrase of your profiles: "); err == nil && isNew {
			var again string
			if again, err = askUnseen(p.err, in, "Once more: "); err == nil && again != text {
				err = errors.New("that was not the same passphrase: start again")
			}
		}
	}
	switch {
	case err != nil:
		return "", err
	case text == "":
		return "", usage("the passphrase is empty: write one, of several words")
	case isNew && len(text) < leastPassphrase:
		return "", usage("the passphrase has less than %d bytes, which is soon guessed: take several words", leastPassphrase)
	}
	return text, nil
}

// askUnseen asks for a line at the terminal, which does not show it.
func askUnseen(out io.Writer, in *os.File, what string) (string, error) {
	fmt.Fprint(out, what)
	line, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(out)
	return string(line), err
}
