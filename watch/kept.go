package watch

// This file reads, adds and removes the watches of an archive.

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/decisions"
	"kavosh/internal/journal"
)

// fileName is the file in the archive's folder decisions.
const fileName = "watches.jsonl"

func file(fs vfs.FS, archive string) decisions.File {
	return decisions.File{FS: fs, Archive: archive, Name: fileName,
		Until: fmt.Sprintf("no watch tells anything until somebody has looked at it and accepts what is left: `kavosh watch %s accept`", archive)}
}

// read reads a line.
func read(line []byte) (w Watch, err error) {
	if err = json.Unmarshal(line, &w); err == nil {
		err = w.Check()
	}
	return w, err
}

// List returns the watches of an archive that are in force, the oldest first.
func List(fs vfs.FS, archive string) (list []Watch, err error) {
	for w, err := range decisions.Read(file(fs, archive), 0, read) {
		if err != nil {
			return nil, err
		}
		if list = slices.DeleteFunc(list, func(o Watch) bool { return o.ID == w.ID }); w.Do == "add" {
			list = append(list, w)
		}
	}
	return list, nil
}

// Find returns the watch with a number. The error says that there is none.
func Find(fs vfs.FS, archive string, id int) (*Watch, error) {
	list, err := List(fs, archive)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].ID == id {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("there is no watch %d: kavosh watch %s list shows them", id, archive)
}

// Add adds a watch, durably. It returns it with its number and time. Numbers are not used again.
func Add(fs vfs.FS, archive string, c clock.Clock, who string, w Watch) (Watch, error) {
	w.Do = "add"
	err := write(fs, archive, c, who, &w)
	return w, err
}

// Remove removes a watch, durably. Messages that were not sent are not sent any more.
func Remove(fs vfs.FS, archive string, c clock.Clock, who string, id int) error {
	if _, err := Find(fs, archive, id); err != nil {
		return err
	}
	return write(fs, archive, c, who, &Watch{Do: "remove", ID: id})
}

func write(fs vfs.FS, archive string, c clock.Clock, who string, w *Watch) error {
	unlock, err := decisions.Hold(fs, archive)
	if err != nil {
		return err
	}
	defer unlock.Close()
	last := 0
	for o, err := range decisions.Read(file(fs, archive), 0, read) {
		if err != nil {
			return err
		}
		last = max(last, o.ID)
	}
	if w.Do == "add" {
		w.ID = last + 1
	}
	w.Who, w.Time = who, c.Now().UTC().Truncate(1e9)
	if err := w.Check(); err != nil {
		return err
	}
	return file(fs, archive).Add(w)
}

// Accept makes the readable part of damaged watches the valid ones, after a person has looked at them. The damaged file is
// kept beside the new one.
func Accept(fs vfs.FS, archive string) (journal.Mended, error) {
	unlock, err := decisions.Hold(fs, archive)
	if err != nil {
		return journal.Mended{}, err
	}
	defer unlock.Close()
	return file(fs, archive).Mend(func(line []byte) error {
		_, err := read(line)
		return err
	})
}
