package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/jsonld"
)

// This file compares what we read of real documents with what Jena reads.

//go:embed Count.java
var countProgram []byte

// document is what one reader made of one document.
type document struct {
	statements int64
	hashes     uint64 // sum of the hashes of the statements, in which all blank nodes are alike
	took       time.Duration
	complaint  string // the first
}

// againstJena prints how much of the documents below folders we read and Jena, whose jars are in a folder, and each
// document in which the two differ with the cause. contexts is the folder with the contexts that JSON-LD may name.
func againstJena(out io.Writer, jars, contexts string, folders []string) error {
	var paths []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if said := format.Said("", path); err == nil && d.Type().IsRegular() && said != format.None && said != format.HTML {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	var list strings.Builder
	syntaxes := make([]format.Format, len(paths))
	for i, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		syntaxes[i] = syntax(body, path)
		fmt.Fprintf(&list, "%s\t%s\n", syntaxes[i], path)
	}
	lines, err := jena(jars, contexts, list.String())
	if err != nil {
		return err
	}
	if len(lines) != len(paths) {
		return fmt.Errorf("jena told of %d documents, not %d", len(lines), len(paths))
	}
	var t tables
	for i, path := range paths {
		theirs, err := parse(lines[i])
		if err != nil {
			return fmt.Errorf("jena on %s: %w", path, err)
		}
		own, warnings, bytes, err := read(path, syntaxes[i], contexts)
		if err != nil {
			return err
		}
		if cause := t.add(syntaxes[i], own, theirs, warnings > 0, bytes); cause != "" {
			fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%d\t%s\t%s\n", cause, path, syntaxes[i], own.statements, theirs.statements, own.complaint, theirs.complaint)
		}
	}
	return t.print(out)
}

// syntax returns the syntax that both readers are told: what the content shows, or else what the name says.
func syntax(body []byte, path string) format.Format {
	if f := format.Detect(body, "", path); f != format.None && f != format.HTML {
		return f
	}
	return format.Said("", path)
}

// jena returns what Count.java prints of each document.
func jena(jars, contexts, list string) ([]string, error) {
	dir, err := os.MkdirTemp("", "jena")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program, schema := filepath.Join(dir, "Count.java"), filepath.Join(dir, "schema.jsonld")
	if err := errors.Join(os.WriteFile(program, countProgram, 0o600), os.WriteFile(schema, []byte(jsonld.SchemaContext), 0o600)); err != nil {
		return nil, err
	}
	c := exec.Command("java", "-cp", filepath.Join(jars, "*"), program, contexts, schema)
	c.Stdin = strings.NewReader(list)
	var told bytes.Buffer
	c.Stderr = &told
	printed, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("java: %w: %.2000s", err, told.Bytes())
	}
	return strings.Split(strings.TrimSuffix(string(printed), "\n"), "\n"), nil
}

// parse parses a line of Count.java.
func parse(line string) (d document, err error) {
	fields := strings.SplitN(line, "\t", 4)
	if len(fields) != 4 {
		return d, fmt.Errorf("%q is no result", line)
	}
	var errs [3]error
	var took int64
	d.statements, errs[0] = strconv.ParseInt(fields[0], 10, 64)
	d.hashes, errs[1] = strconv.ParseUint(fields[1], 10, 64)
	took, errs[2] = strconv.ParseInt(fields[2], 10, 64)
	d.took, d.complaint = time.Duration(took), fields[3]
	return d, errors.Join(errs[:]...)
}

// read returns what we make of a document, how many faults we read past, and its size.
func read(path string, f format.Format, contexts string) (d document, warnings int64, size int, err error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return d, 0, 0, err
	}
	reader := func() rdf.Reader {
		return format.Open(bytes.NewReader(body), f, "http://kavosh.example/", func(name string) ([]byte, bool) {
			u, err := url.Parse(name)
			if err != nil {
				return nil, false
			}
			body, err := os.ReadFile(filepath.Join(contexts, filepath.Clean("/"+u.Hostname()+u.Path)))
			return body, err == nil
		})
	}
	began, r := processor(), reader()
	for err == nil {
		_, err = r.Read()
	}
	d.took = processor() - began
	r = reader()
	for {
		q, err := r.Read()
		if fault := (*rdf.Fault)(nil); errors.As(err, &fault) {
			d.complaint = "ends at " + fault.Error()
			break
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return d, 0, 0, err
		}
		d.statements++
		d.hashes += hash(q)
	}
	if l, ok := r.(rdf.Lenient); ok && l.Warnings().Count > 0 {
		warnings = l.Warnings().Count
		d.complaint = strings.TrimSpace(l.Warnings().First[0].Error() + " " + d.complaint)
	}
	d.complaint = strings.Join(strings.Fields(d.complaint), " ")
	return d, warnings, len(body), nil
}

// processor returns the processor's time of this process so far.
func processor() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// hash returns the hash that Count.java gives to a statement.
func hash(q rdf.Quad) uint64 {
	h := fnv.New64a()
	for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
		switch t.Kind {
		case rdf.Blank:
			io.WriteString(h, "_")
		case rdf.IRI:
			io.WriteString(h, "<"+t.Value)
		case rdf.Literal:
			io.WriteString(h, `"`+t.Value+`"@`+t.Language+"^"+t.Datatype)
		}
		h.Write([]byte{0xff})
	}
	return h.Sum64()
}
