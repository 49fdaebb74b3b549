package recipe

// This file reads the units of an experiment: which web, what is relevant, where to start.

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.tsv
var lists embed.FS

// unit is one line of a list: a web, what is relevant, the start, and the judge.
type unit struct {
	role     string // tuning or result
	web      string // its file name without the ending
	relevant string // in the form of lab.NewTruth
	start    string // seen-keys, separated by spaces
	judge    string // trained, or in the form of judge.Reader
}

// Roles of a unit.
const (
	tuning = "tuning" // to try numbers of orders
	result = "result" // for the results
)

// trained means a judge that the recipe trains itself.
const trained = "trained"

// readUnits reads a list: one unit per line, with tabs between its fields, in the order of the fields of unit.
// Without a name there are none.
func readUnits(name string) ([]unit, error) {
	if name == "" {
		return nil, nil
	}
	data, err := lists.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseUnits(name, string(data))
}

func parseUnits(name, text string) ([]unit, error) {
	var units []unit
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 || f[0] != tuning && f[0] != result {
			return nil, fmt.Errorf("%s, line %d: want %s or %s, web, what is relevant, start and judge, a tab between them", name, n, tuning, result)
		}
		units = append(units, unit{f[0], f[1], f[2], f[3], f[4]})
	}
	if len(units) == 0 {
		return nil, fmt.Errorf("%s holds no unit", name)
	}
	return units, nil
}

func (b *workspace) of(role string) (units []unit) {
	for _, u := range b.units {
		if u.role == role {
			units = append(units, u)
		}
	}
	return units
}
