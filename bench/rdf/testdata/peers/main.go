//go:build peers

package main

/*
#cgo pkg-config: serd-0
#include <serd/serd.h>
long statements(const char* name, int turtle);
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/knakk/rdf"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "peers: want knakk or serd, and a document")
		os.Exit(2)
	}
	turtle := filepath.Ext(os.Args[2]) == ".ttl"
	n, err := 0, error(nil)
	if os.Args[1] == "serd" {
		form := C.int(0)
		if turtle {
			form = 1
		}
		if n = int(C.statements(C.CString(os.Args[2]), form)); n < 0 {
			err = fmt.Errorf("libserd fails")
		}
	} else {
		n, err = knakk(os.Args[2], turtle)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, n)
}

func knakk(name string, turtle bool) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	form := rdf.NTriples
	if turtle {
		form = rdf.Turtle
	}
	d := rdf.NewTripleDecoder(f, form)
	for n := 0; ; n++ {
		if _, err := d.Decode(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}
