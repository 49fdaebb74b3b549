package change

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What changed in each version before matters little when it changes again; what never changed matters as before.
func TestHistory(t *testing.T) {
	version := func(counter int, news string) string {
		return strings.Replace(strings.Replace(page, "<aside><h3>Elsewhere</h3>", fmt.Sprintf("<aside><p>Seen %d times since %d.</p>", counter, counter*7), 1), "bread and oil", news, 1)
	}
	var h History
	for n := range 4 {
		h.Next(between(t, version(n, "bread and oil"), version(n+1, "bread and oil")), 24*time.Hour)
	}
	counted, told := between(t, version(4, "bread and oil"), version(5, "bread and oil")), between(t, version(4, "bread and oil"), version(4, "cheese and wine"))
	plain, calm := counted.Importance(ByPlace()).Weighed, counted.Importance(h.Weigh(counted, ByPlace())).Weighed
	if calm <= 0 || calm > plain/3 {
		t.Errorf("the counter weighs %v, and %v by its past", plain, calm)
	}
	plain, calm = told.Importance(ByPlace()).Weighed, told.Importance(h.Weigh(told, ByPlace())).Weighed
	if calm < plain {
		t.Errorf("the news weigh %v, and %v by their past", plain, calm)
	}
	if first := (&History{}).Weigh(counted, ByPlace()); counted.Importance(first) != counted.Importance(ByPlace()) {
		t.Error("without a past, weights differ")
	}
}
