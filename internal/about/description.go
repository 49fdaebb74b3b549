package about

// This file keeps what people say about an archive: title, text and picture.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"strings"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"
	_ "golang.org/x/image/webp"

	"kavosh/internal/disk"
)

// Description is about.json: title and text about an archive, each in English, Persian or both. It is separate from
// archive.json, because access to the archive depends on that one.
type Description struct {
	Title   string `json:"title,omitempty"`
	TitleFa string `json:"title_fa,omitempty"`
	Text    string `json:"description,omitempty"`
	TextFa  string `json:"description_fa,omitempty"`
}

// Bounds on a description, in letters, and on a picture.
const (
	MaxTitle   = 200
	MaxText    = 4000
	MaxPicture = 2 << 20 // bytes
	maxSide    = 4096    // pixels
)

// Title cleans a title: one line of at most MaxTitle letters, without characters that change the text direction.
func Title(text string) string {
	return cut(strings.Join(strings.Fields(plain(text)), " "), MaxTitle)
}

// Text cleans a description: paragraphs, at most MaxText letters in all.
func Text(text string) string {
	var lines []string
	for line := range strings.Lines(plain(text)) {
		line = strings.Join(strings.Fields(line), " ")
		if line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	return cut(strings.TrimSpace(strings.Join(lines, "\n")), MaxText)
}

// plain returns text as valid UTF-8 without control and direction characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Bidi_Control):
			return -1
		case r != '\n' && unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

func cut(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// Bounded returns d cleaned for display, whoever wrote it.
func (d Description) Bounded() Description {
	return Description{Title(d.Title), Title(d.TitleFa), Text(d.Text), Text(d.TextFa)}
}

// Described reads the description of the archive in dir; it is empty if there is none.
func Described(fs vfs.FS, dir string) (d Description, err error) {
	name := fs.PathJoin(dir, "about.json")
	data, err := disk.ReadFile(fs, name)
	if errors.Is(err, os.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		return d, fmt.Errorf("%s is damaged: %w; delete it, and describe the archive again by kavosh describe", name, err)
	}
	return d.Bounded(), nil
}

// Describe stores a description of the archive in dir.
func Describe(fs vfs.FS, dir string, d Description) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d.Bounded()); err != nil {
		return err
	}
	return disk.WriteFile(fs, fs.PathJoin(dir, "about.json"), b.Bytes())
}

// DescribeFirst stores d if the archive has no title yet: the title and description of what was put into it.
func DescribeFirst(fs vfs.FS, dir string, d Description) error {
	have, err := Described(fs, dir)
	if err != nil || have.Title != "" || have.TitleFa != "" || Title(d.Title) == "" {
		return err
	}
	have.Title = d.Title
	if have.Text == "" && have.TextFa == "" {
		have.Text = d.Text
	}
	return Describe(fs, dir, have)
}

func picture(fs vfs.FS, dir string) string { return fs.PathJoin(dir, "picture") }

// Picture returns the picture of the archive in dir and its media type; nil if none may be shown.
func Picture(fs vfs.FS, dir string) (data []byte, mediaType string) {
	info, err := os.Lstat(picture(fs, dir))
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxPicture { // a symbolic link could lead to a file that must not be shown
		return nil, ""
	}
	if data, err = disk.ReadFile(fs, picture(fs, dir)); err != nil {
		return nil, ""
	}
	if mediaType, err = imageType(data); err != nil {
		return nil, ""
	}
	return data, mediaType
}

// SetPicture stores a picture in the archive in dir; nil removes it. The error says which pictures are accepted.
func SetPicture(fs vfs.FS, dir string, data []byte) error {
	if data == nil {
		if err := fs.Remove(picture(fs, dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return disk.SyncDir(fs, dir)
	}
	if _, err := imageType(data); err != nil {
		return err
	}
	return disk.WriteFile(fs, picture(fs, dir), data)
}

// imageType returns the media type of a picture by its bytes, from a closed list of types that cannot contain scripts.
func imageType(data []byte) (string, error) {
	if len(data) > MaxPicture {
		return "", fmt.Errorf("it has more than %d MB: make it smaller", MaxPicture>>20)
	}
	about, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("it is no PNG, JPEG, GIF or WebP picture: convert it to one")
	}
	if about.Width < 1 || about.Height < 1 || about.Width > maxSide || about.Height > maxSide {
		return "", fmt.Errorf("it is %d by %d pixels: make it smaller, at most %d a side", about.Width, about.Height, maxSide)
	}
	return "image/" + kind, nil
}
