package profile

// This file seals profiles. A sealed profile is a line with a length, so many bytes of a key that is sealed with the passphrase, and
// the profile as JSON, sealed with that key. Both are age files (age-encryption.org/v1). Making a key of a passphrase is slow on
// purpose, so a crawl that saves what its logins go on with does it once. Earlier profiles are one age file for the passphrase.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"filippo.io/age"

	"kavosh"
)

const (
	// workFactor makes guessing a passphrase slow: scrypt with 2^17 rounds takes 128 MB and about half a second.
	workFactor = 17
	maxSealed  = 64 << 20 // bytes of a profile
	maxLock    = 4 << 10  // bytes of its sealed key

	heading = "kavosh profile, key of " // and its bytes begin a sealed profile
)

// ErrPassphrase means that a passphrase does not open a profile.
var ErrPassphrase = errors.New("this passphrase does not open it: give the one with which it was made, or make it anew")

// lock is the key of a profile, and the same sealed with the passphrase.
type lock struct {
	key    *age.X25519Identity
	sealed []byte
}

func newLock(passphrase string) (*lock, error) {
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, errors.New("a profile needs a passphrase, and none was given")
	}
	to.SetWorkFactor(workFactor)
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	sealed, err := encrypt([]byte(key.String()), to)
	return &lock{key, sealed}, err
}

// seal returns p sealed.
func (l *lock) seal(p *kavosh.Profile) ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	sealed, err := encrypt(text, l.key.Recipient())
	return fmt.Appendf(nil, "%s%d\n%s%s", heading, len(l.sealed), l.sealed, sealed), err
}

// open returns the profile that was sealed, and its lock.
func open(sealed []byte, passphrase string) (*kavosh.Profile, *lock, error) {
	with, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, nil, errors.New("it needs a passphrase, and none was given")
	}
	with.SetMaxWorkFactor(workFactor)
	p, l, err := unseal(sealed, with)
	if err == nil && l == nil {
		l, err = newLock(passphrase)
	}
	if wrong := new(age.NoIdentityMatchError); errors.As(err, &wrong) {
		return nil, nil, ErrPassphrase
	}
	if err != nil {
		return nil, nil, fmt.Errorf("it is damaged, or no file of kavosh profile: %w", err)
	}
	return p, l, nil
}

// unseal returns a profile with its lock, which is nil if it is an earlier one.
func unseal(sealed []byte, with age.Identity) (*kavosh.Profile, *lock, error) {
	var l *lock
	if rest, ok := bytes.CutPrefix(sealed, []byte(heading)); ok {
		line, rest, _ := bytes.Cut(rest, []byte{'\n'})
		n, err := strconv.Atoi(string(line))
		if err != nil || n < 0 || n > min(maxLock, len(rest)) {
			return nil, nil, errors.New("its key is cut off")
		}
		text, err := decrypt(rest[:n], with)
		if err != nil {
			return nil, nil, err
		}
		key, err := age.ParseX25519Identity(string(text))
		if err != nil {
			return nil, nil, errors.New("its key is none") // the error may repeat it
		}
		l, with, sealed = &lock{key, rest[:n]}, key, rest[n:]
	}
	text, err := decrypt(sealed, with)
	if wrong := new(age.NoIdentityMatchError); l != nil && errors.As(err, &wrong) {
		return nil, nil, errors.New("its key is another's")
	}
	p := new(kavosh.Profile)
	if err == nil && json.Unmarshal(text, p) != nil { // its error may repeat what is secret
		err = errors.New("its text is not as kavosh writes it")
	}
	return p, l, err
}

func encrypt(text []byte, to age.Recipient) ([]byte, error) {
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

func decrypt(sealed []byte, with age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), with)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxSealed))
}
