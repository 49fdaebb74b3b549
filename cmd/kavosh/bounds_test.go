package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"kavosh/lib/units"
)

// Every flag with a number, of every verb, refuses what is beyond its bounds before anything is done.
func TestEveryNumberHasBounds(t *testing.T) {
	t.Chdir(t.TempDir())
	var c cli
	parser, err := newParser(&c, &program{})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	var visit func(node *kong.Node, path []string)
	visit = func(node *kong.Node, path []string) {
		for _, child := range node.Children {
			visit(child, append(path[:len(path):len(path)], child.Name))
		}
		for _, flag := range node.Flags {
			kind := flag.Target.Type()
			if kind.Kind() == reflect.Pointer {
				kind = kind.Elem()
			}
			switch kind.Kind() {
			case reflect.Int, reflect.Int64, reflect.Float64, reflect.Uint64:
			default:
				continue
			}
			for _, value := range []string{"", " ", "-1", "NaN", "Inf", "-Inf", "1e400", "99999999999999999999", "-9223372036854775808", "9223372036854775807d", "292y", "x", "300000d", "9e15TB"} {
				var said bytes.Buffer
				args := append(path[:len(path):len(path)], "--"+flag.Name+"="+value, "nowhere")
				for _, other := range node.Flags {
					if other.Required {
						args = append(args, "--"+other.Name+"=x")
					}
				}
				status := run(args, program{in: strings.NewReader(""), out: &said, err: &said})
				if status != exitUsage || !strings.Contains(said.String(), "--"+flag.Name) {
					t.Errorf("%s --%s=%s: status %d: %.200s", strings.Join(path, " "), flag.Name, value, status, said.String())
				}
				tried++
			}
		}
	}
	visit(parser.Model.Node, nil)
	if tried < 200 {
		t.Errorf("only %d values were tried", tried)
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("%v was made in %s", left, func() string { dir, _ := os.Getwd(); return dir }())
	}
}

// Numbers within texts have bounds, too, and the message names these.
func TestNumbersInTextsHaveBounds(t *testing.T) {
	dir := storedArchive(t, storedRecord("response", "01", "http://a.test/", "", htmlHead))
	t.Chdir(t.TempDir())
	crawl := func(flag string) []string { return []string{"crawl", "http://127.0.0.1:1/", "--archive=made", flag} }
	control := func(words ...string) []string { return append([]string{"control", dir}, words...) }
	bad := []string{"-1e18", "1e308", "1e400", "NaN", "Inf", "1000000000000000000", "99999999999999999999", "x", "0x7fffffffffffffffp1000"}
	for _, c := range []struct {
		args  []string // # stands for the number
		names string   // of the bounds
		more  []string // values beside bad that are wrong, too
	}{
		{crawl("--order=mix(#*breadth,1*random)"), "1000000000", []string{"", "0", "-1"}},
		{crawl("--order=quota(#,breadth)"), "1000000000|as in quota", []string{"", "0", "-1", "1.5"}},
		{crawl("--order=fish,depth=#"), "from 0 to 100", []string{"", "-1", "1.5"}},
		{crawl("--order=fish,alpha=#"), "from 1 to 100", []string{"", "0", "-1"}},
		{crawl("--prefer=#*keyword=x"), "1000000", []string{"", "0", "-1"}},
		{crawl("--only=#*keyword=x"), "1000000", []string{"", "0", "-1"}},
		{crawl("--compression=gzip:#"), "1 (fast) to 9", []string{"", "0", "-1", "10"}},
		{crawl("--compression=zstd:#"), "1 (fast) to 22", []string{"", "0", "-1", "23"}},
		{crawl("--delay=#d"), "100ms, 1s, 2h30m or 1d|36500d|500ms", []string{"", "-1"}},
		{crawl("--max-hops=#"), "0, 1, 2 … or unlimited", []string{"", "-1", "1.5"}},
		{crawl("--max-bytes=#GB"), "500, 10MB or 1GiB|0 B to 1.2 EB", []string{"", "-1"}},
		{crawl("--connect-to=a:#:127.0.0.1:1"), "from 1 to 65535", []string{"0", "-1", "65536"}},
		{crawl("--connect-to=::[::1]:#"), "from 1 to 65535", []string{"0", "-1", "65536", " 1"}},
		{crawl("--proxy=http://127.0.0.1:#"), "from 1 to 65535", []string{"0", "-1", "65536"}},
		{crawl("--dns=[::1]:#"), "from 1 to 65535", []string{"", "0", "-1", "65536"}},
		{crawl("--allow-private=10.0.0.0/#"), "/0 to /32", []string{"", "-1", "33"}},
		{crawl("--status=:#"), "0 to 65535", []string{"-1", "65536"}},
		{control("delay", "#d"), "500ms|36500d", []string{"", "-1"}},
		{control("delay", "#"), "500ms|a unit", []string{"", "-1", "1"}},
		{control("address-delay", "#w"), "500ms|36500d", []string{"", "-1"}},
		{control("priority", "http://a.test/", "#"), "-1000000000 to 1000000000", []string{"", "1000000001"}},
		{control("priority", "match", "a", "#"), "-1000000000 to 1000000000", []string{"", "1000000001"}},
		{control("pings", ":#"), "0 to 65535", []string{"-1", "65536"}},
		{control("host", "off-peak", "a.test", "#:00-06:00"), "from 00:00 to 23:59", []string{"", "-1", "24", "6"}},
		{control("host", "off-peak", "a.test", "05:#-06:00"), "from 00:00 to 23:59", []string{"", "-1", "60", "7"}},
		{control("host", "hold", "a.test", "--until=#"), "write one such as", []string{"", "0", "-1"}},
		{[]string{"access", dir, "remove", "#"}, "from 1 to 1000000000|no flag", []string{"", "0", "-1", "1.5"}},
		{[]string{"access", dir, "add", "embargo", "a.test", "--until=#"}, "write one such as", []string{"", "0", "-1"}},
		{[]string{"access", dir, "add", "embargo", "a.test", "--after=#d"}, "write one such as 2y", []string{"", "0", "-1"}},
		{[]string{"token", dir, "revoke", "#"}, "from 1 to 1000000000|no flag", []string{"", "0", "-1", "1.5"}},
		{[]string{"token", dir, "add", "x", "--until=#"}, "write one such as", []string{"", "0", "-1"}},
		{[]string{"serve", dir, "--addr=:#"}, "0 to 65535", []string{"-1", "65536"}},
		{[]string{"serve", dir, "--on-site=10.0.0.0/#"}, "/0 to /32", []string{"", "-1", "33"}},
		{[]string{"lab", "show", "synthetic:pages=#"}, "2 to 5000000|0 to 100000000", []string{"", "0", "-1", "5000001"}},
		{[]string{"lab", "show", "synthetic:relevant=#"}, "0 to 1", []string{"", "-1", "1.1"}},
	} {
		for _, value := range append(c.more, bad...) {
			args := slices.Clone(c.args)
			last := len(args) - 1
			args[last] = strings.Replace(args[last], "#", value, 1)
			var said bytes.Buffer
			status := run(args, program{in: strings.NewReader(""), out: &said, err: &said})
			named := slices.ContainsFunc(strings.Split(c.names, "|"), func(name string) bool { return strings.Contains(said.String(), name) })
			if status != exitUsage || !named || strings.Count(said.String(), "\n") != 1 {
				t.Errorf("%s: status %d: %.300s", strings.Join(args, " "), status, said.String())
			}
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("%v was made", left)
	}
}

// A person may type numbers in the digits of Persian or Arabic.
func TestNumbersInAllDigits(t *testing.T) {
	var c controlCmd
	for want, words := range map[string][]string{
		"2h0m0s":      {"delay", "۲h"},
		"1.5s":        {"delay", "١.٥s"},
		"22:00-06:30": {"host", "off-peak", "a.test", "۲۲:۰۰-٠٦:٣٠"},
		"":            {"priority", "http://a.test/", "−۱۰"},
	} {
		cmd, err := c.command(new(program), words)
		if err != nil || cmd.Value != want || want == "" && cmd.Score != -10 {
			t.Errorf("%q: %v, %g, %v", words, cmd.Value, cmd.Score, err)
		}
	}
	var s units.Size
	if err := s.UnmarshalText([]byte("۱۰MB")); err != nil || s != 10e6 {
		t.Error(s, err)
	}
}
