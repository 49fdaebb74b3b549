package plan

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"kavosh/lib/httpwire"
	"kavosh/lib/spelling"
)

// Parse is the plan that a text of TOML or JSON describes, with all defaults. It is not checked.
func Parse(source string, text []byte) (*Plan, error) {
	p := New()
	return p, p.Read(source, text)
}

// Read gives the keys of a text their values and leaves all others. The text is flat TOML, or one JSON object. A *Mistake names source.
func (p *Plan) Read(source string, text []byte) error {
	values := map[string]any{}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err := d.Decode(&values)
		if err == nil && d.More() {
			err = errors.New("something follows the object")
		}
		if err != nil {
			return mistake("%s: it is no JSON (%v)", source, err)
		}
	} else if err := toml.Unmarshal(text, &values); err != nil {
		return mistake("%s: %w", source, explained(err, text))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		k, ok := KeyOf(name)
		if !ok {
			return mistake("%s: %s", source, unknown(name))
		}
		texts, err := k.texts(values[name])
		if err == nil {
			err = k.set(p, texts)
		}
		if err != nil {
			return mistake("--%s: in %s: %w", name, source, err)
		}
	}
	return nil
}

// commandLine are the flags of kavosh crawl that are no keys.
var commandLine = []string{"config", "resume", "explain", "help"}

// unknown says what to do with a key that is none.
func unknown(name string) string {
	if slices.Contains(commandLine, name) {
		return name + " can stand on the command line only: take it out"
	}
	var known []string
	for _, k := range keys {
		known = append(known, k.Name)
	}
	if best := spelling.Nearest(name, known); best != "" {
		return fmt.Sprintf("there is no setting %s; did you mean %s?", name, best)
	}
	return fmt.Sprintf("there is no setting %s: take it out; settings are named as the flags of kavosh crawl --help are, without dashes in front", name)
}

// explained is an error of a TOML text, with the line and what to write there.
func explained(err error, text []byte) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return err
	}
	line, column := at.Position()
	key, word, ok := strings.Cut(strings.Split(string(text), "\n")[line-1], "=")
	word, _, _ = strings.Cut(word, " #")
	key, word = strings.TrimSpace(key), strings.TrimSpace(word)
	switch k, known := KeyOf(key); {
	case ok && known && k.isNumber():
		return fmt.Errorf("line %d: a number is wanted and not %s: write %s = 10", line, word, key)
	case ok && bare.MatchString(word):
		return fmt.Errorf("line %d: text needs quotes: write %s = %q", line, key, word)
	}
	return fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(at.Error(), "toml: "))
}

// bare is a text without quotes.
var bare = regexp.MustCompile(`^\pL[^"'\[\]{}]*$`)

// texts are what a value of TOML or JSON would be on a command line, one for each time that the key would be given. A text of several
// lines is several, too, for a key that may be: that is how crawls/<id>/config.toml keeps them.
func (k *Key) texts(value any) ([]string, error) {
	items := []any{value}
	if k.many() {
		switch v := value.(type) {
		case string:
			return strings.FieldsFunc(v, func(r rune) bool { return r == '\n' }), nil
		case []any:
			items = v
		}
	}
	var all []string
	for _, item := range items {
		switch v := item.(type) {
		case string, bool, int64, json.Number:
			all = append(all, fmt.Sprint(v))
		case float64:
			all = append(all, strconv.FormatFloat(v, 'f', -1, 64))
		default:
			return nil, errors.New("one value is wanted here, not a list, a table or a date")
		}
	}
	return all, nil
}

// set gives the key its value in a plan, as texts of a command line have it.
func (k *Key) set(p *Plan, texts []string) error {
	v := k.in(p)
	if !k.many() {
		return read(v, texts[0])
	}
	list := reflect.MakeSlice(v.Type(), len(texts), len(texts))
	for i, text := range texts {
		if err := read(list.Index(i), text); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

// Change gives the key called name another value while its crawl runs: the one that text has on a command line, or of a key that may
// be given several times one more, or with remove one less. It says in words what held before and what holds now; after an error the
// plan is of no use. No list is changed in place.
func (p *Plan) Change(name, text string, remove bool) (before, after string, err error) {
	k, ok := KeyOf(name)
	if !ok {
		return "", "", mistake("%s", unknown(name))
	}
	said := func() string {
		return name + " " + cmp.Or(strings.Join(k.written(p), " "), "nothing")
	}
	before = said()
	texts, had := []string{text}, k.written(p)
	at := slices.Index(had, text)
	switch {
	case remove && at < 0:
		return "", "", mistake("%s has no %q to take away; it is %s", name, text, before)
	case remove:
		texts = slices.Delete(had, at, at+1)
	case k.many() && at >= 0:
		texts = had
	case k.many():
		texts = append(had, text)
	}
	if err = k.set(p, texts); err != nil {
		err = mistake("%s: %w", name, err)
	} else if err = k.check(p); err != nil {
		err = mistake("%s", strings.TrimPrefix(err.Error(), "--"))
	}
	return before, said(), err
}

// read gives v the value that text has on a command line.
func read(v reflect.Value, text string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("true or false is wanted, and not %q", text)
		}
		v.SetBool(b)
	default:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("a number is wanted, such as 10, and not %q", text)
		}
		v.SetInt(n)
	}
	return nil
}

// Text is the value of a key as it could be given to Read, several a line each; "" where there is none.
func (p *Plan) Text(k *Key) string { return strings.Join(k.written(p), "\n") }

// written are the texts that set would read as the value that the key has in a plan.
func (k *Key) written(p *Plan) (texts []string) {
	v := k.in(p)
	if k.many() {
		for i := range v.Len() {
			texts = append(texts, write(v.Index(i)))
		}
		return texts
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	if text := write(reflect.Indirect(v)); text != "" {
		texts = []string{text}
	}
	return texts
}

func write(v reflect.Value) string {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			panic(err) // none of ours fails
		}
		return string(text)
	}
	return fmt.Sprint(v.Interface())
}

// Hidden stands where a password or a key was.
const Hidden = "(not kept)"

// told are the texts of a key without what gives access to something.
func (k *Key) told(p *Plan) []string {
	texts := k.written(p)
	switch k.field.Tag.Get("secret") {
	case "fields":
		return slices.DeleteFunc(texts, IsSecretField)
	case "password":
		for i, text := range texts {
			switch u, err := url.Parse(text); {
			case err != nil:
				texts[i] = Hidden
			case u.User != nil:
				u.User = nil
				texts[i] = Hidden + " " + u.String()
			}
		}
	}
	return texts
}

// IsSecretField says whether a field of a request, such as "Cookie: a=b", gives access to something.
func IsSecretField(field string) bool {
	name, value, _ := strings.Cut(field, ":")
	return httpwire.IsSecret(name, strings.TrimSpace(value))
}

// values are those of all keys that have one, without secrets, as TOML and JSON have them.
func (p *Plan) values() map[string]any {
	values := map[string]any{}
	for _, k := range keys {
		texts := k.told(p)
		switch {
		case len(texts) == 0:
		case k.many():
			values[k.Name] = texts
		case k.isNumber() || k.kind().Kind() == reflect.Bool:
			values[k.Name] = reflect.Indirect(k.in(p)).Interface()
		default:
			values[k.Name] = texts[0]
		}
	}
	return values
}

// ToTOML is the plan as a text that Read reads, without secrets.
func (p *Plan) ToTOML() ([]byte, error) { return toml.Marshal(p.values()) }

// ToJSON is the plan as a text that Read reads, without secrets.
func (p *Plan) ToJSON() ([]byte, error) { return json.Marshal(p.values()) }

// Kept is what an archive keeps of a plan, by key: docs/formats/config.md. Secrets are left out, since archives are given away.
func (p *Plan) Kept() map[string]string {
	kept := map[string]string{}
	for _, k := range keys {
		if text := strings.Join(k.told(p), "\n"); k.Kept && text != "" {
			kept[k.Name] = text
		}
	}
	return kept
}

// OfKept is the plan of which an archive keeps kept. Keys that this program does not know are left out.
func OfKept(kept map[string]string) (*Plan, error) {
	p := New()
	for _, k := range keys {
		text, ok := kept[k.Name]
		if !ok {
			continue
		}
		texts, err := k.texts(text)
		if err == nil {
			err = k.set(p, texts)
		}
		if err != nil {
			return nil, mistake("--%s: in what the archive keeps of the crawl: %w", k.Name, err)
		}
	}
	return p, nil
}

// Take gives the keys of those names the values that they have in another plan.
func (p *Plan) Take(from *Plan, names map[string]bool) {
	for _, k := range keys {
		if names[k.Name] {
			k.in(p).Set(k.in(from))
		}
	}
}
