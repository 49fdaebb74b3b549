package recipe

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"kavosh/lab"
	"kavosh/lab/changing"
)

// The recipe of schedules says what was published beside what came out, with intervals.
func TestRevisit(t *testing.T) {
	k := kind{name: lab.Words{En: "small webs", Fa: "وب‌های کوچک"}, period: time.Hour, shares: []int{5}, learn: 4, each: true}
	for seed := range uint64(2) {
		k.webs = append(k.webs, func() (*changing.Web, error) {
			return changing.Synthetic{Pages: 40, Sites: 2, Strength: 1, Weeks: 1, Seed: seed + 1}.Make(), nil
		})
	}
	b := &workspace{Options: Options{Progress: io.Discard}, name: "revisit"}
	var report lab.Report
	if err := b.schedules(t.Context(), &report, []kind{k}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range append(schedules[:], oracle, "+25 %; lost", "complete, 1 in 5") {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
