package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	tomlparser "github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"
)

// configFile is the flag --config: a TOML file whose keys are the flags of the subcommand, by the same names. A flag on
// the command line beats the file.
type configFile string

// notInFiles are flags that make sense on the command line alone.
var notInFiles = []string{"config", "resume", "explain", "help"}

// flagsGiven are the flags that stand on the command line, by name.
func flagsGiven(ctx *kong.Context) map[string]*kong.Flag {
	given := map[string]*kong.Flag{}
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = p.Flag
		}
	}
	return given
}

// readSettings reads the file at path and checks that its keys are flags of the subcommand.
func readSettings(ctx *kong.Context, path string) (map[string]any, error) {
	values, err := readConfig(path, ctx.Flags())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range ctx.Flags() {
		if !slices.Contains(notInFiles, f.Name) {
			names = append(names, f.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(notInFiles, key) {
			return nil, fmt.Errorf("%s: %s can stand on the command line only: take it out", path, key)
		}
		if !slices.Contains(names, key) {
			return nil, fmt.Errorf("%s: there is no setting %s%s", path, key, didYouMean(key, names))
		}
	}
	return values, nil
}

func didYouMean(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return "; did you mean " + best + "?"
	}
	return ": take it out; settings are named as the flags of kavosh crawl --help are, without dashes in front"
}

// readConfig reads a TOML file of flat keys.
func readConfig(path string, flags []*kong.Flag) (map[string]any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	k := koanf.New("\x00") // a separator that no key has: the file is flat
	if err := k.Load(rawTOML(data), tomlparser.Parser()); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			if key, word, ok := unquoted(data, line); ok {
				if slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == key && takesNumber(f) }) {
					return nil, fmt.Errorf("%s: line %d: a number is wanted and not %s: write %s = 10", path, line, word, key)
				}
				return nil, fmt.Errorf("%s: line %d: text needs quotes: write %s = %q", path, line, key, word)
			}
			return nil, fmt.Errorf("%s: line %d, column %d: %s", path, line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k.Raw(), nil
}

// unquoted is the key and the value of a line whose value is text without quotes.
func unquoted(data []byte, line int) (key, word string, ok bool) {
	lines := strings.Split(string(data), "\n")
	if line > len(lines) {
		return "", "", false
	}
	key, word, ok = strings.Cut(lines[line-1], "=")
	word, _, _ = strings.Cut(word, " #")
	key, word = strings.TrimSpace(key), strings.TrimSpace(word)
	return key, word, ok && key != "" && letter.MatchString(word) && !strings.ContainsAny(word, "\"'[]{}")
}

// takesNumber says that a flag's value is a plain number.
func takesNumber(f *kong.Flag) bool {
	t := f.Target.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name() == t.Kind().String() && slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64}, t.Kind())
}

var letter = regexp.MustCompile(`^\pL`)

// rawTOML is a file's text as koanf takes it.
type rawTOML []byte

// ReadBytes is the text.
func (r rawTOML) ReadBytes() ([]byte, error) { return r, nil }

// Read is for sources that are maps already; a text is not.
func (r rawTOML) Read() (map[string]any, error) {
	return nil, errors.New("a text is read by ReadBytes")
}

// settings give flags their values when the command line does not.
type settings struct {
	source string
	values map[string]any
}

// Validate has nothing to do: keys are checked when the file is read.
func (s settings) Validate(*kong.Application) error { return nil }

// Resolve gives a flag its value. A bad value is an error that names file and key.
func (s settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	raw, ok := s.values[flag.Name]
	if !ok {
		return nil, nil
	}
	value, _, err := decode(flag, raw)
	if err != nil {
		return nil, fmt.Errorf("in %s: %w", s.source, err)
	}
	return value, nil
}

// decode gives what a flag's value from a TOML file would be on the command line, and what the flag makes of it.
func decode(flag *kong.Flag, raw any) (value any, made reflect.Value, err error) {
	made = reflect.New(flag.Target.Type()).Elem()
	if made.Kind() == reflect.Pointer {
		made.Set(reflect.New(made.Type().Elem()))
	}
	if value, err = plain(raw, flag.IsSlice()); err == nil {
		err = flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(value, kong.FlagValueToken)}, made)
	}
	return value, made, err
}

// plain makes of a TOML value what a command line could have said: a string, or a list of strings for a flag that may be
// repeated. A string of several lines is such a list too: that is how crawls/<id>/config.toml keeps one.
func plain(v any, list bool) (any, error) {
	switch v := v.(type) {
	case string:
		if !list {
			return v, nil
		}
		items := []any{}
		for line := range strings.SplitSeq(v, "\n") {
			if line != "" {
				items = append(items, line)
			}
		}
		return items, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case []any:
		if !list {
			return nil, errors.New("one value is wanted here, not a list")
		}
		items := make([]any, len(v))
		for i := range v {
			item, err := plain(v[i], false)
			if err != nil {
				return nil, err
			}
			items[i] = item
		}
		return items, nil
	}
	return nil, fmt.Errorf("a value is wanted here such as \"text\", 5 or true, not a %T", v)
}

// nearest is the known word that word is a misspelling of; "" when none is close.
func nearest(word string, known []string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "_", "-")
	best, least := "", max(2, len(word)/3)+1
	for _, k := range known {
		if d := editDistance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// editDistance is how many letters must be put in, taken out or changed to make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
