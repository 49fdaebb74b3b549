// Command languages measures how well lib/lang identifies languages, on text from sources that its model has not seen,
// and on pages built around such text.
//
//	go run ./bench/languages [-tune] [-samples FILE] [-sources] [-hand FOLDER] [-labelled FOLDER]
//
// It needs the text that tools/langdata.sh downloads. docs/languages.md has the figures.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"kavosh/internal/langtext"
	"kavosh/lib/lang"
)

func main() {
	write := flag.String("samples", "",
		"write the texts and pages to this file, for other programs to be measured on: language, length and text in lines")
	tune := flag.Bool("tune", false, "measure on the source for tuning instead")
	list := flag.Bool("sources", false, "only list what each language was learned from and is measured on")
	read := flag.String("hand", "", "only compare with what a person saw on real pages, of the stored webs in this `folder`")
	clones := flag.String("labelled", "", "only compare with the labels of real pages, read from clones in this `folder`; missing ones are fetched from GitHub")
	flag.Parse()
	if err := run(*write, *tune, *list, *read, *clones); err != nil {
		fmt.Fprintln(os.Stderr, "languages:", err)
		os.Exit(1)
	}
}

func run(write string, tune, list bool, read, clones string) error {
	model, data := lang.Load(), langtext.Folder()
	if list {
		return sources(model, data)
	}
	if clones != "" {
		return measureLabelled(model, clones)
	}
	if read != "" {
		return hand(model, read, data)
	}
	source := langtext.Test
	if tune {
		source = langtext.Tune
	}
	texts, err := samples(source(data))
	if err != nil {
		return err
	}
	frames, err := readFrames(data)
	if err != nil {
		return err
	}
	pages := framed(texts, frames)
	if write != "" {
		if err := save(write, texts, pages); err != nil {
			return err
		}
	}
	id := model.New()
	for _, length := range lengths {
		measure(id, texts, length)
	}
	for _, length := range lengths[1:] {
		measurePages(id, pages, length)
	}
	speed(id, texts)
	return nil
}

// speed prints how much text is read per second of processor time.
func speed(id *lang.Identifier, all []sample) {
	for _, group := range [][]string{{"fa", "ar", "ur", "ckb"}, {"en", "fr", "tr", "fi"}, {"ru", "uk"}} {
		size, began := 0, processor()
		for range 3 {
			for _, s := range all {
				if s.length == 5000 && slices.Contains(group, s.language) {
					id.Identify(s.text)
					size += len(s.text)
				}
			}
		}
		fmt.Printf("%s: %.1f MB/s\n", strings.Join(group, " "), float64(size)/(processor()-began).Seconds()/1e6)
	}
}

// processor returns the processor time that this program has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
