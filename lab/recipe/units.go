package recipe

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.tsv
var lists embed.FS

// unit is one line of a list: what is crawled for what, from where, led by which judge.
type unit struct {
	role     string // tuning or result
	web      string // its file without the ending
	relevant string // as lab.NewTruth reads it
	start    string // seen-keys with a space between them
	judge    string // trained, or as judge.Reader reads it
}

// Roles of a unit.
const (
	tuning = "tuning" // numbers of orders are tried on it
	result = "result" // it counts
)

// trained stands in place of a judge for one that the recipe trains.
const trained = "trained"

// readUnits reads a list: a unit a line, its fields with a tab between them, in the order of unit.
func readUnits(name string) ([]unit, error) {
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

// of are the units of a role.
func (b *bench) of(role string) (units []unit) {
	for _, u := range b.units {
		if u.role == role {
			units = append(units, u)
		}
	}
	return units
}
