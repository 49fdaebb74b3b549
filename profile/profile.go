// Package profile keeps logins, so that a crawl sees what somebody sees who has logged in.
//
// A profile is what a browser keeps of a site after a person logged in there: cookies and storage. Each is one file,
// NAME.profile, in a folder of the user's, outside all archives and readable by the user alone. It is sealed with a
// passphrase (sealed.go): without it nobody reads even of which site it is.
package profile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kavosh"
)

// suffix ends the names of files of profiles.
const suffix = ".profile"

// Folder is where profiles lie. It need not be there yet.
type Folder string

// UserFolder returns the folder of this user's profiles, such as ~/.config/kavosh/profiles.
func UserFolder() (Folder, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for profiles: %w", err)
	}
	return Folder(filepath.Join(dir, "kavosh", "profiles")), nil
}

var name = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`)

// CheckName returns an error that says what a name of a profile is, if text is none.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return fmt.Errorf("%q is no name of a profile: write up to 64 letters, digits, dots, - and _, such as news", text)
	}
	return nil
}

// Path returns the path of the file of a profile.
func (f Folder) Path(name string) string { return filepath.Join(string(f), name+suffix) }

// Names returns the names of all profiles, in order.
func (f Folder) Names() (names []string, err error) {
	files, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, file := range files {
		if n, ok := strings.CutSuffix(file.Name(), suffix); ok && CheckName(n) == nil {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names, err
}

func (f Folder) read(name string) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	sealed, err := os.ReadFile(f.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no profile %s: make one with `kavosh profile new %s URL`, or see `kavosh profile list`", name, name)
	}
	return sealed, err
}

// Save writes a profile under its name, in place of one that is there. It is whole or not there after a crash.
func (f Folder) Save(p *kavosh.Profile, passphrase string) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	l, err := newLock(passphrase)
	if err == nil {
		_, err = f.write(p, l)
	}
	return err
}

// write writes a profile and returns its file's sum.
func (f Folder) write(p *kavosh.Profile, l *lock) (sum [sha256.Size]byte, err error) {
	sealed, err := l.seal(p)
	if err != nil {
		return sum, err
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return sum, err
	}
	file, err := os.CreateTemp(string(f), ".new-*") // for its owner alone
	if err != nil {
		return sum, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(sealed)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return sum, err
	}
	return sha256.Sum256(sealed), os.Rename(file.Name(), f.Path(p.Name))
}

// Opened are profiles that were opened, and can be saved as long as nobody else makes them anew. Use Folder.Open to make one.
type Opened struct {
	folder Folder
	locks  map[string]*lock
	sums   map[string][sha256.Size]byte // of the files, as they were read or written
}

// Open returns what opens profiles.
func (f Folder) Open() *Opened {
	return &Opened{f, map[string]*lock{}, map[string][sha256.Size]byte{}}
}

// Load reads a profile. Its errors contain nothing of it.
func (o *Opened) Load(name, passphrase string) (*kavosh.Profile, error) {
	sealed, err := o.folder.read(name)
	if err != nil {
		return nil, err
	}
	p, l, err := open(sealed, passphrase)
	if err != nil {
		return nil, fmt.Errorf("profile %s (%s): %w", name, o.folder.Path(name), err)
	}
	o.locks[name], o.sums[name] = l, sha256.Sum256(sealed)
	return p, nil
}

// Save writes a profile that was loaded, sealed as it was. It leaves one that somebody made anew or removed.
func (o *Opened) Save(p *kavosh.Profile) error {
	sealed, err := o.folder.read(p.Name)
	if err != nil || sha256.Sum256(sealed) != o.sums[p.Name] {
		return err
	}
	sum, err := o.folder.write(p, o.locks[p.Name])
	if err == nil {
		o.sums[p.Name] = sum
	}
	return err
}

// Remove removes a profile.
func (f Folder) Remove(name string) error {
	if _, err := f.read(name); err != nil {
		return err
	}
	return os.Remove(f.Path(name))
}
