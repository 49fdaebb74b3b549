// Command rdf compares the speed of lib/rdf with other readers of N-Triples and Turtle, each in its own process with
// one thread.
//
//	go run ./bench/rdf [-bytes 100000000] [-runs 3] [-dir .cache/bench/rdf] [-peers PROGRAM] [-json FILE]
//
// `make bench-rdf` builds the peers, knakk/rdf and libserd, and passes them as -peers; serdi is run if it is installed.
// With -jena it compares instead what is read of real documents, by us and by Jena:
//
//	go run ./bench/rdf -sample DIR [-clones CLONES]
//	go run ./bench/rdf -jena JARS -contexts DIR/contexts DIR/documents
//
// where JARS is a folder with the jars of jena-arq (mvn dependency:copy-dependencies), and CLONES has clones of the
// repositories in repositories.tsv, or gets them.
//
// Each reader reads each document -runs times, in turn, and its fastest run by processor time counts. docs/rdf.md has
// the figures.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
)

func main() {
	size := flag.Int64("bytes", 100_000_000, "bytes of each document")
	runs := flag.Int("runs", 3, "runs of each reader on each document")
	dir := flag.String("dir", ".cache/bench/rdf", "folder of the documents")
	peers := flag.String("peers", "", "program that runs the peers")
	report := flag.String("json", "", "file for the figures")
	profile := flag.String("profile", "", "file for a CPU profile of -read and -convert")
	read := flag.String("read", "", "read this document, and nothing else")
	jars := flag.String("jena", "", "folder of Jena's jars: compare with it on the folders that are named, and do nothing else")
	contexts := flag.String("contexts", "", "folder of the contexts that JSON-LD names, HOST/PATH, for -jena")
	convert := flag.String("convert", "", "write this document as N-Triples, and nothing else")
	into := flag.String("sample", "", "folder: put real documents of the repositories of repositories.tsv there, and do nothing else")
	from := flag.String("clones", ".cache/clones", "folder of the clones for -sample")
	flag.Parse()
	var err error
	if *into != "" {
		err = sample(*into, *from)
	} else if *jars != "" {
		err = againstJena(os.Stdout, *jars, *contexts, flag.Args())
	} else if *read != "" || *convert != "" {
		err = consume(cmp.Or(*read, *convert), *convert != "", *profile)
	} else {
		err = compare(*dir, *size, *runs, *peers, *report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rdf:", err)
		os.Exit(1)
	}
}

// consume reads a document, or converts it to N-Triples on standard output. It prints the number of statements on
// standard error.
func consume(name string, convert bool, profile string) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, w := format.Open(f, format.Said("", name), "http://kavosh.example/", nil), rdf.NewNTriplesWriter(os.Stdout)
	for n := 0; ; n++ {
		q, err := r.Read()
		if err == io.EOF {
			fmt.Fprintln(os.Stderr, n)
			return w.Close()
		}
		if err == nil && convert {
			err = w.Write(q)
		}
		if err != nil {
			return err
		}
	}
}

// reader is a program that reads documents.
type reader struct {
	name string
	like string // our reader that does the same work
	run  func(file string) *exec.Cmd
}

// figure is a reader's result for a document.
type figure struct {
	Document   string  `json:"document"`
	Reader     string  `json:"reader"`
	Statements int     `json:"statements"` // 0 if the reader does not print it
	Seconds    float64 `json:"cpu_seconds"`
	Megabytes  float64 `json:"megabytes_a_cpu_second"`
	Peak       int64   `json:"peak_bytes"`
	Like       string  `json:"like,omitempty"`  // our reader that does the same work
	Ratio      float64 `json:"ratio,omitempty"` // our speed divided by this reader's
}

func compare(dir string, size int64, runs int, peers, report string) error {
	ours, err := os.Executable()
	if err != nil {
		return err
	}
	documents, err := documents(dir, size)
	if err != nil {
		return err
	}
	own := func(flag string) func(string) *exec.Cmd {
		return func(file string) *exec.Cmd { return exec.Command(ours, flag, file) }
	}
	readers := []reader{{"kavosh", "", own("-read")}, {"kavosh, to N-Triples", "", own("-convert")}}
	if peers != "" {
		for _, name := range []string{"knakk", "serd"} {
			readers = append(readers, reader{name, "kavosh", func(file string) *exec.Cmd { return exec.Command(peers, name, file) }})
		}
	}
	if serdi, err := exec.LookPath("serdi"); err == nil {
		readers = append(readers, reader{"serdi, to N-Triples", "kavosh, to N-Triples", func(file string) *exec.Cmd {
			return exec.Command(serdi, "-b", "-q", "-i",
				map[string]string{".nt": "ntriples", ".ttl": "turtle"}[filepath.Ext(file)], "-o", "ntriples", file, "http://kavosh.example/")
		}})
	} else {
		fmt.Fprintln(os.Stderr, "rdf: serdi is not installed, and is not measured")
	}
	var figures []figure
	for _, document := range documents {
		of := make([]figure, len(readers))
		for range runs {
			for i, r := range readers {
				f, err := measure(r, document, size)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", r.name, document, err)
				}
				if of[i].Seconds == 0 || f.Seconds < of[i].Seconds {
					f.Peak = max(f.Peak, of[i].Peak)
					of[i] = f
				}
			}
		}
		for i, r := range readers {
			if j := slices.IndexFunc(readers, func(other reader) bool { return other.name == r.like }); j >= 0 {
				of[i].Like, of[i].Ratio = r.like, of[i].Seconds/of[j].Seconds
			}
			if of[i].Statements != 0 && of[i].Statements != of[0].Statements {
				return fmt.Errorf("%s finds %d statements in %s, not %d", r.name, of[i].Statements, document, of[0].Statements)
			}
		}
		figures = append(figures, of...)
	}
	table(os.Stdout, figures)
	if report == "" {
		return nil
	}
	text, err := json.MarshalIndent(map[string]any{"bytes": size, "runs": runs, "go": runtime.Version(), "figures": figures}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(report, append(text, '\n'), 0o644)
}

// measure runs a reader once, with one thread.
func measure(r reader, file string, size int64) (figure, error) {
	c := r.run(file)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	var told strings.Builder
	c.Stderr = &told
	if err := c.Run(); err != nil {
		return figure{}, fmt.Errorf("%w: %s", err, told.String())
	}
	took := (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	n, _ := strconv.Atoi(strings.TrimSpace(told.String()))
	f := figure{Document: filepath.Base(file), Reader: r.name, Statements: n, Seconds: took, Megabytes: float64(size) / 1e6 / took}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		f.Peak = usage.Maxrss << 10
	}
	return f, nil
}

func table(out io.Writer, figures []figure) {
	fmt.Fprintf(out, "%-16s %-22s %12s %9s %9s %9s  %s\n", "document", "reader", "statements", "CPU s", "MB/CPU s",
		"peak MB", "our speed by its")
	for _, f := range figures {
		fmt.Fprintf(out, "%-16s %-22s %12d %9.2f %9.1f %9.1f", f.Document, f.Reader, f.Statements, f.Seconds, f.Megabytes, float64(f.Peak)/1e6)
		if f.Ratio != 0 {
			fmt.Fprintf(out, "  %.2f", f.Ratio)
		}
		fmt.Fprintln(out)
	}
}
