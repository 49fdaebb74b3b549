package frontier

import (
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// Recall queues what waits for a time that does not come, once, with values that a restart leaves as they are.
func TestRecall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const url, other = "http://a.example/", "http://b.example/"
		o := Options{FS: vfs.NewMem(), Dir: "frontier", Delay: time.Second, GoesOn: true}
		f := open(t, o)
		addSeeds(t, f, url)
		finish(t, f, next(t, f), 404, "")
		l := next(t, f)
		l.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: l.Task, Again: Someday(), Values: []Value{{"page/1", []byte("one")}, {"other", []byte("x")}}})
		if w, found, err := f.Waits(url, false); !found || err != nil || w.State != WaitAgain || !w.Until.IsZero() {
			t.Errorf("it waits as %+v, %v, %v", w, found, err)
		}
		others, err := f.Recall([]string{other, url, url}, []Value{{"page/2", []byte("two")}, {"other", nil}})
		if err != nil || !slices.Equal(others, []int{0, 2}) {
			t.Fatalf("%v, %v: want the first and the third left", others, err)
		}
		f.Close()
		f = open(t, o)
		defer f.Close()
		var kept []string
		for v, err := range f.Values("page/") {
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, v.Name+" "+string(v.Value))
		}
		if left, err := f.Get("other"); !slices.Equal(kept, []string{"page/1 one", "page/2 two"}) || left != nil || err != nil {
			t.Errorf("it keeps %q and %q, %v", kept, left, err)
		}
		if others, err := f.RecallAs([]Change{{URL: url, Score: 2, Why: "anew"}}, nil); !slices.Equal(others, []int{0}) || err != nil {
			t.Errorf("what is queued is recalled: %v, %v", others, err)
		}
		again := next(t, f)
		for again.Task.Kind == kavosh.Prerequisite {
			finish(t, f, again, 404, "")
			again = next(t, f)
		}
		if again.Task.URL != url || !again.Task.Again || again.Task.ID == l.Task.ID {
			t.Errorf("%+v is asked for, want %s once more", again.Task, url)
		}
	})
}
