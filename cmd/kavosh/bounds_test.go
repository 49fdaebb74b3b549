package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
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
			for _, value := range []string{"-1", "NaN", "Inf", "-Inf", "1e400", "99999999999999999999", "-9223372036854775808", "9223372036854775807d", "292y", "x", "300000d", "9e15TB"} {
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
