package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// As many workers work as somebody wants at the time, and all end with the crawl, those that wait too.
func TestEmploy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		q := newQuota(Limits{}, 2)
		var crew sync.WaitGroup
		var mu sync.Mutex
		var working, most int
		add := func(n int) {
			mu.Lock()
			working += n
			most = max(most, working)
			mu.Unlock()
		}
		q.start(func() {
			crew.Go(func() {
				defer q.retire()
				for {
					held, ok, _, err := q.reserve(ctx, nil, func() {})
					if err != nil || !ok {
						return
					}
					add(1)
					<-time.After(time.Second)
					add(-1)
					q.unreserve(held)
				}
			})
		})
		for _, n := range []int{2, 5, 1, 3} {
			q.employ(n)
			<-time.After(time.Second + time.Millisecond) // those that are too many end what they do
			mu.Lock()
			most = 0
			mu.Unlock()
			<-time.After(10 * time.Second)
			mu.Lock()
			if most != n {
				t.Errorf("%d at work, want %d", most, n)
			}
			mu.Unlock()
		}
		stop()
		q.change(func(*quota) {})
		crew.Wait()
		if q.employ(9); q.staff != 0 {
			t.Errorf("%d workers begin after the last has ended", q.staff)
		}
	})
}
