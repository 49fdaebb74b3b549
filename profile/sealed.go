package profile

// This file seals profiles: an age file (age-encryption.org/v1) for a passphrase, whose text is JSON.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"kavosh"
)

const (
	// workFactor makes guessing a passphrase slow: scrypt with 2^17 rounds takes 128 MB and about half a second.
	workFactor = 17
	maxSealed  = 64 << 20 // bytes of a profile
)

// ErrPassphrase means that a passphrase does not open a profile.
var ErrPassphrase = errors.New("this passphrase does not open it: give the one with which it was made, or make it anew")

// seal returns p sealed with a passphrase.
func seal(p *kavosh.Profile, passphrase string) ([]byte, error) {
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, errors.New("a profile needs a passphrase, and none was given")
	}
	to.SetWorkFactor(workFactor)
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, to)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return sealed.Bytes(), err
}

// open returns the profile that seal sealed.
func open(sealed []byte, passphrase string) (*kavosh.Profile, error) {
	with, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, errors.New("it needs a passphrase, and none was given")
	}
	with.SetMaxWorkFactor(workFactor)
	r, err := age.Decrypt(bytes.NewReader(sealed), with)
	if wrong := new(age.NoIdentityMatchError); errors.As(err, &wrong) {
		return nil, ErrPassphrase
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(r, maxSealed))
	}
	p := new(kavosh.Profile)
	if err == nil && json.Unmarshal(text, p) != nil { // its error may repeat what is secret
		err = errors.New("its text is not as kavosh writes it")
	}
	if err != nil {
		return nil, fmt.Errorf("it is damaged, or no file of kavosh profile: %w", err)
	}
	return p, nil
}
