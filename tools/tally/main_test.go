package main

import (
	"io"
	"strings"
	"testing"
)

func run(verbose bool, lines ...string) (string, bool) {
	var out strings.Builder
	t := tally{out: &out, verbose: verbose, packages: map[string]*result{}}
	if err := t.read(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		return err.Error(), false
	}
	ok := t.summary()
	return out.String(), ok
}

func TestTally(t *testing.T) {
	good := []string{
		`{"Action":"start","Package":"a"}`,
		`{"Action":"run","Package":"a","Test":"TestX"}`,
		`{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\n"}`,
		`{"Action":"run","Package":"a","Test":"TestX/one"}`,
		`{"Action":"output","Package":"a","Test":"TestX/one","Output":"    x_test.go:3: recall 0.81\n"}`,
		`{"Action":"pass","Package":"a","Test":"TestX/one"}`,
		`{"Action":"run","Package":"a","Test":"TestX/two"}`,
		`{"Action":"pass","Package":"a","Test":"TestX/two"}`,
		`{"Action":"pass","Package":"a","Test":"TestX"}`,
		`{"Action":"output","Package":"a","Output":"ok  \ta\t(cached)\n"}`,
		`{"Action":"pass","Package":"a","Elapsed":0.5}`,
		`{"Action":"skip","Package":"none"}`,
	}
	out, ok := run(false, good...)
	if want := "ok  \ta\t2 passed, 0 failed (cached)\n\n2 passed, 0 failed\n"; out != want || !ok {
		t.Errorf("%q, want %q", out, want)
	}
	if out, _ := run(true, good...); !strings.Contains(out, "recall 0.81") {
		t.Errorf("-v hides what a test printed: %q", out)
	}

	bad := append(good,
		`{"Action":"run","Package":"b","Test":"TestY"}`,
		`{"Action":"output","Package":"b","Test":"TestY","Output":"    y_test.go:9: wrong\n"}`,
		`{"Action":"output","Package":"b","Test":"TestY","Output":"--- FAIL: TestY (0.00s)\n"}`,
		`{"Action":"fail","Package":"b","Test":"TestY"}`,
		`{"Action":"fail","Package":"b"}`,
		`{"ImportPath":"c","Action":"build-output","Output":"c/c.go:1:1: syntax error\n"}`,
		`{"Action":"fail","Package":"c","FailedBuild":"c"}`,
		`{"Action":"run","Package":"d","Test":"TestZ"}`,
		`{"Action":"output","Package":"d","Test":"TestZ","Output":"panic: oh\n"}`,
		`{"Action":"fail","Package":"d"}`,
		`go: something else`)
	out, ok = run(false, bad...)
	for _, want := range []string{"y_test.go:9: wrong", "c/c.go:1:1: syntax error", "panic: oh", "go: something else", "failed:\n  b TestY\n  c\n  d\n", "\n2 passed, 3 failed\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if ok {
		t.Error("failures are well")
	}
	if _, ok := run(false); ok {
		t.Error("no tests at all are well")
	}
}

// TestDetectorFault wants a package tested once more that the race detector broke off, and not a third time.
func TestDetectorFault(t *testing.T) {
	broken := `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"ThreadSanitizer: CHECK failed: tsan_rtl.cpp:346\n"}
{"Action":"fail","Package":"a"}`
	fine := `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a"}`
	for second, want := range map[string]string{fine: "\n1 passed, 0 failed\n", broken: "\n0 passed, 1 failed\n"} {
		var out strings.Builder
		tests := 0
		c := tally{out: &out, packages: map[string]*result{}}
		if err := c.read(strings.NewReader(broken)); err != nil {
			t.Fatal(err)
		}
		err := c.again(func(pkg string) (io.ReadCloser, error) {
			tests++
			return io.NopCloser(strings.NewReader(second)), nil
		})
		c.summary()
		if err != nil || tests != 1 || !strings.HasSuffix(out.String(), want) {
			t.Errorf("tested %d times more, %v:\n%s", tests, err, out.String())
		}
	}
}
