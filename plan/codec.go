package plan

// This file reads and writes plans: as TOML and JSON, as command lines give values, and in the form that archives keep.

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

// Read sets the keys of a plan that a text names, and leaves all others as they are. The text is flat TOML, or one JSON
// object. A *Mistake names source.
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
	if list, ok := values["seed"].([]any); ok && len(list) > 0 {
		if _, table := list[0].(map[string]any); table {
			return mistake("%s: tables [[seed]] are a list of seeds: give it by --seeds, or by seeds = [%q] in the file of settings", source, source)
		}
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

// commandLine lists the flags of kavosh crawl that are no keys of a plan.
var commandLine = []string{"config", "resume", "explain", "dry-run", "help"}

// unknown says what to do about a name that no key has.
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

// explained returns an error of a TOML text, with the line and what to write there.
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

// bare matches a text without quotes.
var bare = regexp.MustCompile(`^\pL[^"'\[\]{}]*$`)

// texts returns a value of TOML or JSON as command lines would give it: one text for each time that the key is given.
// If the key may be given several times, a text of several lines is split, because crawls/<id>/config.toml keeps lists
// in this form.
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

// set gives the key its value in a plan, from texts of a command line.
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
	v.Set(lastOfEach(list))
	return nil
}

// subject is a value that is about something. Of several values of a key about one thing the last counts.
type subject interface{ subject() string }

// lastOfEach returns a list of values, of subjects without those that a later one replaces.
func lastOfEach(list reflect.Value) reflect.Value {
	last := reflect.MakeSlice(list.Type(), 0, list.Len())
	for i := range list.Len() {
		of, ok := list.Index(i).Interface().(subject)
		if !ok {
			return list
		}
		replaced := false
		for j := i + 1; j < list.Len() && !replaced; j++ {
			replaced = list.Index(j).Interface().(subject).subject() == of.subject()
		}
		if !replaced {
			last = reflect.Append(last, list.Index(i))
		}
	}
	return last
}

// Change changes a key of a running crawl. text is the value as on a command line. If the key may be given several
// times, text is added to its values, or taken from them with remove; a limit takes the place of one of the same name.
// before and after say in words what held and what holds now. After an error the plan must not be used. No list is changed in place, so copies of the plan keep theirs.
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

// read sets v to the value that text has on a command line.
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

// Text returns the value of a key in the form that Read accepts, each of several on a line of its own, or "" if it has
// none.
func (p *Plan) Text(k *Key) string { return strings.Join(k.written(p), "\n") }

// written returns the texts from which set would read the key's value in a plan.
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
			panic(err) // the types of this package never fail
		}
		return string(text)
	}
	return fmt.Sprint(v.Interface())
}

// Hidden stands in place of a password or a key.
const Hidden = "(not kept)"

// told returns the texts of a key without secrets.
func (k *Key) told(p *Plan) []string {
	texts := k.written(p)
	switch k.field.Tag.Get("secret") {
	case "fields":
		return slices.DeleteFunc(texts, IsSecretField)
	case "password":
		for i, text := range texts {
			before, address := "", text
			if at := strings.LastIndexByte(text, ' '); at >= 0 { // of --proxy-for
				before, address = text[:at+1], text[at+1:]
			}
			switch u, err := url.Parse(address); {
			case err != nil:
				texts[i] = Hidden
			case u.User != nil:
				u.User = nil
				texts[i] = before + Hidden + " " + u.String()
			}
		}
	}
	return texts
}

// IsSecretField reports whether a header field, such as "Cookie: a=b", gives access to something.
func IsSecretField(field string) bool {
	name, value, _ := strings.Cut(field, ":")
	return httpwire.IsSecret(name, strings.TrimSpace(value))
}

// values returns all keys that have a value, without secrets, for TOML and JSON.
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

// ToTOML returns the plan as TOML that Read accepts, without secrets.
func (p *Plan) ToTOML() ([]byte, error) { return toml.Marshal(p.values()) }

// ToJSON returns the plan as JSON that Read accepts, without secrets.
func (p *Plan) ToJSON() ([]byte, error) { return json.Marshal(p.values()) }

// Kept returns what an archive keeps of a plan, by key (docs/formats/config.md). Secrets are left out, because archives
// are given away.
func (p *Plan) Kept() map[string]string {
	kept := map[string]string{}
	for _, k := range keys {
		if text := strings.Join(k.told(p), "\n"); k.Kept && text != "" {
			kept[k.Name] = text
		}
	}
	return kept
}

// OfKept returns the plan of which an archive keeps kept. Keys that this program does not know are ignored.
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

// Take gives the named keys the values that they have in from. Limits of what from does not name stay.
func (p *Plan) Take(from *Plan, names map[string]bool) {
	for _, k := range keys {
		if names[k.Name] {
			v := k.in(from)
			if k.kind().Implements(reflect.TypeFor[subject]()) {
				v = lastOfEach(reflect.AppendSlice(reflect.AppendSlice(reflect.Zero(v.Type()), k.in(p)), v))
			}
			k.in(p).Set(v)
		}
	}
}
