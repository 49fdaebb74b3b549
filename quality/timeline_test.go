package quality

import (
	"fmt"
	"testing"
	"time"

	"kavosh/change"
)

// A timeline counts all pages, and has bars of the worst of each state first.
func TestTimeline(t *testing.T) {
	var l lives
	var all []lived
	add := func(name string, from, until int64, weight float64) {
		all = append(all, lived{url: name, visited: from + 5, again: 1000 + from, weight: weight})
		l.add(Span{From: from, Until: until}, Span{From: always, Until: until}, weight)
	}
	for i := range int64(100) {
		add(fmt.Sprintf("holds%d", i), 100+i, 1000, 1)
	}
	add("light", 0, 50, 1)
	add("near", 20, 120, 2)
	add("far", 20, 60, 2)
	l.add(Span{From: 1100, Until: 1110}, Span{From: 100, Until: forever}, 1)
	all = append(all, lived{url: "perhaps", visited: 1105, again: always, weight: 1})
	at := l.together()
	if at.At.Unix() != 199 || at.Until.Unix() != 1000 || at.WeightedAt.Unix() != 199 {
		t.Fatalf("%+v", at)
	}
	line := l.timeline(all, at.At.Unix(), 10)
	if line.States[change.Coherent] != 100 || line.States[change.Incoherent] != 3 || line.States[change.Unknown] != 1 || len(line.Bars) != 10 {
		t.Fatalf("%v, %d bars", line.States, len(line.Bars))
	}
	for i, want := range []string{"far", "near", "light", "perhaps", "holds0"} {
		if line.Bars[i].URL != want {
			t.Errorf("bar %d is of %s, want %s", i, line.Bars[i].URL, want)
		}
	}
	if b := line.Bars[3]; !b.Latest.IsZero() || b.Earliest.Unix() != 100 || !b.Again.IsZero() {
		t.Errorf("%+v", b)
	}
	if some := line.Some(4); len(some) != 4 || some[2].State != change.Unknown || some[3].State != change.Coherent {
		t.Errorf("%+v", some)
	}
	most := Level{}
	for i, level := range line.Levels {
		if i > 0 && !level.At.After(line.Levels[i-1].At) || level.Known > level.May {
			t.Errorf("level %d: %+v", i, level)
		}
		if level.Known > most.Known {
			most = level
		}
	}
	if most.Known != 100 || most.At.Before(at.At) || !most.At.Before(at.At.Add(200*time.Second)) {
		t.Errorf("%+v", most)
	}
}
