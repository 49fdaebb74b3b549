package about

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

// Description is about.json: what people call an archive and say of it, each in English, in Persian or in both. It is no part of
// archive.json, on which it hangs what of the archive is closed.
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

// Title is text as a title: in one line, of at most MaxTitle letters, without what turns the direction of the text around it.
func Title(text string) string {
	return cut(strings.Join(strings.Fields(plain(text)), " "), MaxTitle)
}

// Text is text as a description: paragraphs, of at most MaxText letters in all.
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

// plain is text in valid UTF-8 without controls, those of direction too.
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

// Bounded is d as it may be shown, whoever wrote it.
func (d Description) Bounded() Description {
	return Description{Title(d.Title), Title(d.TitleFa), Text(d.Text), Text(d.TextFa)}
}

// Described reads the description of the archive in dir: an empty one for an archive that has none.
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

// Describe gives the archive in dir a description.
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

// DescribeFirst gives an archive that has no title the title of what was put into it, with the description.
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

// Picture is the picture of the archive in dir and its media type; nil where there is none, or none that may be shown.
func Picture(fs vfs.FS, dir string) (data []byte, mediaType string) {
	info, err := os.Lstat(picture(fs, dir))
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxPicture { // a link could lead to what nobody wants to show
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

// SetPicture keeps a picture in the archive in dir; nil removes the one that is there. The error says what may be one.
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

// imageType is the media type of a picture by its bytes: of a closed list, in which nothing has scripts.
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
