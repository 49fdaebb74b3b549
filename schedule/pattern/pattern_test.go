package pattern

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestCalendars(t *testing.T) {
	tehran, err := time.LoadLocation("Asia/Tehran")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		calendar, day string
		zone          *time.Location
		want          Kind
	}{
		{"world", "2024-07-05", time.UTC, Workday},
		{"world", "2024-07-06", time.UTC, Half},
		{"world", "2024-07-07", time.UTC, Rest},
		{"iran", "2024-07-04", tehran, Half},
		{"iran", "2024-07-05", tehran, Rest},
		{"iran", "2024-07-06", tehran, Workday},
		{"iran", "2025-03-21", tehran, Rest}, // Nowruz
		{"iran", "2025-04-02", tehran, Rest}, // thirteen days later
		{"iran", "2025-02-10", tehran, Rest}, // 22 Bahman
		{"iran", "2025-04-05", tehran, Workday},
		{"iran", "2024-07-16", tehran, Rest}, // Ashura of 1446, by arithmetic a day or none off
		{"france", "2024-07-14", time.UTC, Rest},
		{"france", "2024-11-11", time.UTC, Rest},
	} {
		c, err := Named(test.calendar, test.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.ParseInLocation(time.DateOnly, test.day, test.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Kind(day.Add(12 * time.Hour)); got != test.want {
			t.Errorf("%s in %s: %s, not %s", test.day, test.calendar, got, test.want)
		}
	}
	if _, err := Named("mars", time.UTC); err == nil || !strings.Contains(err.Error(), "use one of world, iran") {
		t.Error(err)
	}
	iran, err := Named("iran", tehran)
	if err != nil {
		t.Fatal(err)
	}
	if b := iran.Bin(time.Date(2024, 7, 4, 21, 0, 0, 0, time.UTC)); b != uint8(Rest)*24 {
		t.Errorf("half past midnight on a Friday in Tehran is bin %d", b)
	}
}

// seen makes a pattern of pages that change more at some hours of workdays.
func seen(seed uint64, from, to int, level float64) *Pattern {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := new(Pattern)
	for b := range Bins {
		rate := 0.2
		if h := b % 24; b < 24 && h >= from && h < to {
			rate = 2
		}
		p.Expected[b] = float32(40 * level)
		n := float32(math.Round(40*level*rate + rng.NormFloat64()*math.Sqrt(40*level*rate)))
		p.Seen[b], p.Importance[b] = max(0, n), max(0, n)/2
	}
	return p
}

func TestPeriods(t *testing.T) {
	var of []string
	for _, p := range seen(4, 8, 14, 1).Periods() {
		kind, first, end := p.Of()
		if kind == Workday {
			of = append(of, time.Duration(first*int(time.Hour)).String()+"-"+time.Duration(end*int(time.Hour)).String())
		}
	}
	if got := strings.Join(of, " "); got != "0s-8h0m0s 8h0m0s-14h0m0s 14h0m0s-24h0m0s" {
		t.Errorf("the periods of workdays are %s", got)
	}
}

// What was seldom seen is believed to be as usual.
func TestShrinking(t *testing.T) {
	common := seen(1, 8, 14, 10).Shape(Flat())
	if nothing := new(Pattern).Shape(common); math.Abs(float64(nothing.Changes[10]/nothing.Changes[0])-float64(common.Changes[10]/common.Changes[0])) > 0.2*float64(common.Changes[10]/common.Changes[0]) {
		t.Errorf("nothing seen: %.2f beside %.2f, in common %.2f beside %.2f", nothing.Changes[10], nothing.Changes[0], common.Changes[10], common.Changes[0])
	}
	if own := seen(2, 16, 20, 10).Shape(common); own.Changes[17] < 4*own.Changes[10] {
		t.Errorf("much seen: %.2f at its hours, %.2f at the common ones", own.Changes[17], own.Changes[10])
	}
}

func TestGroup(t *testing.T) {
	var all []*Pattern
	for i := range 30 {
		all = append(all, seen(uint64(i), 6+5*(i%3), 10+5*(i%3), 0.5+float64(i%4)))
	}
	of, groups := Group(all)
	if len(groups) != 3 {
		t.Fatalf("%d groups", len(groups))
	}
	for i := range all {
		if of[i] != of[i%3] {
			t.Errorf("pattern %d is in group %d, its like in %d", i, of[i], of[i%3])
		}
	}
}

func TestTrust(t *testing.T) {
	var honest, silent, always Trust
	for i := range 100 {
		changed := i%3 == 0
		honest.Check(changed, changed)
		silent.Check(false, changed)
		always.Check(true, changed)
	}
	if honest.Of() < 0.9 || silent.Of() > 0.05 || always.Of() > 0.05 {
		t.Errorf("trust %.2f in the truth, %.2f in who never tells, %.2f in who always tells", honest.Of(), silent.Of(), always.Of())
	}
	if b := always.Believe(true, 0.3); math.Abs(b-0.3) > 0.05 {
		t.Errorf("the word of who always tells makes 0.30 into %.2f", b)
	}
	if b := honest.Believe(true, 0.3); b < 0.9 {
		t.Errorf("the word of who is honest makes 0.30 into %.2f", b)
	}
}
