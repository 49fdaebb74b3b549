package site

// This file keeps what readers of archives met as missing, for a crawl that mends them (kavosh crawl --patch).

import (
	"context"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/quality"
	"kavosh/replay"
)

// Readers may be hostile: what their browsers say of pages and parts is believed only after a look at the page, at most one in wantedEvery,
// and the rest is forgotten.
const (
	wantedEvery  = 100 * time.Millisecond
	wantedWaits  = 64
	mostRejected = 10_000 // that are remembered, so that they are not looked at again
)

// WantedKeepers are those who keep what readers of archives met as missing.
type WantedKeepers struct {
	stop context.CancelFunc
	wait sync.WaitGroup
}

// KeepWanted begins to keep what readers of the archives among collections meet as missing, until Close. trouble is told of an archive that
// cannot be written.
func KeepWanted(ctx context.Context, list []Collection, trouble func(error)) *WantedKeepers {
	k := &WantedKeepers{}
	ctx, k.stop = context.WithCancel(ctx)
	for i := range list {
		if list[i].Dir == "" {
			continue
		}
		met := make(chan replay.Missed, wantedWaits)
		list[i].Missed = func(m replay.Missed) {
			select {
			case met <- m:
			default: // too many at once
			}
		}
		one := wantedKeeper{dir: list[i].Dir, reader: archive.QualityOf(vfs.Default, list[i].Dir, clock.Real{}), looked: map[string]bool{}}
		k.wait.Go(func() { one.keep(ctx, met, trouble) })
	}
	return k
}

// Close ends it.
func (k *WantedKeepers) Close() {
	k.stop()
	k.wait.Wait()
}

// wantedKeeper keeps what readers of one archive met as missing.
type wantedKeeper struct {
	dir    string
	reader *quality.Reader
	kept   int
	size   int64           // of the file of what is kept, in bytes
	looked map[string]bool // URLs that are kept, and pairs of page and part that are not to be
}

// keep looks at one after the other.
func (k *wantedKeeper) keep(ctx context.Context, met <-chan replay.Missed, trouble func(error)) {
	if err := k.recall(); err != nil {
		trouble(err)
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-met:
			if err := k.meet(ctx, m); err != nil && ctx.Err() == nil {
				trouble(err)
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wantedEvery):
		}
	}
}

// recall reads what is kept.
func (k *wantedKeeper) recall() error {
	known, err := archive.ReadWanted(vfs.Default, k.dir)
	if err != nil {
		return err
	}
	clear(k.looked)
	for _, w := range known {
		k.looked[w.URL] = true
	}
	k.kept = len(known)
	k.size, err = archive.WantedSize(k.dir)
	return err
}

// follow reads it again if a crawl that mended the archive has taken some out.
func (k *wantedKeeper) follow() error {
	size, err := archive.WantedSize(k.dir)
	if err == nil && size < k.size {
		return k.recall()
	}
	k.size = size
	return err
}

// meet keeps a part, if a capture that everybody may see embeds it and the archive lacks it.
func (k *wantedKeeper) meet(ctx context.Context, m replay.Missed) error {
	if err := k.follow(); err != nil {
		return err
	}
	pair := m.URL + " " + m.Page
	if k.looked[m.URL] || k.looked[pair] || k.kept >= archive.MaxWanted {
		return nil
	}
	at := replay.Moment(m.Time)
	lacks, err := k.reader.Lacks(ctx, m.Page, m.URL, at)
	if err != nil {
		return err
	}
	if !lacks {
		if len(k.looked) < archive.MaxWanted+mostRejected {
			k.looked[pair] = true
		}
		return nil
	}
	k.looked[m.URL] = true
	k.kept++
	return archive.AddWanted(k.dir, archive.Wanted{URL: m.URL, Page: m.Page, Time: replay.Timestamp(at)})
}
