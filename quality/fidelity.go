package quality

// This file looks at some pages of many: at those that lack most, and at some picked at random, which tell of all.

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/cdx"
)

// MaxLooks is how many pages are looked at at most as they are replayed.
const MaxLooks = 10_000

// Fidelity is what is told of pages as they are replayed.
type Fidelity struct {
	Pages    int                    `json:"pages"`    // that were looked at
	Faithful int                    `json:"faithful"` // of which nothing was found
	Lacking  int                    `json:"lacking"`  // that lose by parts that are missing what is seen
	Leaking  int                    `json:"leaking"`  // that asked for something outside of the archive
	Cut      int                    `json:"cut"`      // with a part that is not whole
	Blank    int                    `json:"blank"`
	Failed   int                    `json:"failed"`   // that could not be rendered
	StandIns map[kavosh.StandIn]int `json:"standins"` // that stand in for a page
	Compared int                    `json:"compared"` // that were recorded as a picture when they were captured
	Likeness float64                `json:"likeness"` // mean SSIM of these; 0 if there are none

	Of     int    `json:"of"`     // how many pages there are
	Random int    `json:"random"` // of those looked at, how many were picked at random: all that follows is by them
	Share  *Share `json:"share"`  // of all pages, those of which nothing would be found
	Damage *Mean  `json:"damage"` // mean of all pages

	Worst []*Look `json:"worst"` // by damage, then by how unlike they are

	Scripted int `json:"scripted"` // of Lacking, those that lack parts that only scripts ask for

	hosts    hosts // of these
	most     int
	likeness float64
}

// NewFidelity returns what is told of so many pages of which none was looked at. It lists the worst, so many at most.
func NewFidelity(of, most int) *Fidelity {
	return &Fidelity{Of: of, Share: NewShare(of), Damage: NewMean(of), StandIns: map[kavosh.StandIn]int{}, Worst: []*Look{}, hosts: hosts{}, most: most}
}

// Add counts a page, in the order in which they were looked at.
func (f *Fidelity) Add(k *Look) {
	f.Pages++
	for n, is := range map[*int]bool{&f.Faithful: k.Faithful(), &f.Lacking: len(k.Lacks) > 0 && k.Damage >= lostLeast, &f.Leaking: len(k.Leaks) > 0, &f.Cut: len(k.Cut) > 0,
		&f.Blank: k.Blank, &f.Failed: k.Failed != ""} {
		if is {
			*n++
		}
	}
	if k.Scripted > 0 && k.Damage >= lostLeast {
		f.Scripted++
		f.hosts.add(k.URL)
	}
	if k.StandIn != kavosh.NoStandIn {
		f.StandIns[k.StandIn]++
	}
	if b := k.Beside; b != nil && b.Picture != nil {
		f.Compared++
		f.likeness += *b.Picture
		f.Likeness = f.likeness / float64(f.Compared)
	}
	if k.Random {
		f.Random++
		f.Share.Add(k.Faithful())
		f.Damage.Add(k.Damage)
	}
	if k.Faithful() {
		return
	}
	if at, _ := slices.BinarySearchFunc(f.Worst, k, worseLook); at < f.most {
		f.Worst = slices.Insert(f.Worst, at, k)
		f.Worst = f.Worst[:min(len(f.Worst), f.most)]
	}
}

// worseLook orders pages, the worst first.
func worseLook(a, b *Look) int {
	like := func(k *Look) float64 {
		if k.Beside == nil || k.Beside.Picture == nil {
			return 1
		}
		return *k.Beside.Picture
	}
	return cmp.Or(cmp.Compare(b.Damage, a.Damage), cmp.Compare(like(a), like(b)), cmp.Compare(len(b.Leaks)+len(b.Cut), len(a.Leaks)+len(a.Cut)), strings.Compare(a.URL, b.URL))
}

// searched is how many pages are read for each that is looked at, to find those that lack most.
const searched = 10

// Looks looks at pages as Reader.Pages finds them, at most at so many: half are those that lack most of the first that are read, the
// others are picked at random. enough may end these early. It returns what was
// looked at, those that were picked last and in a random order, which seed fixes, and how many pages there are. done is called before
// each.
func (l *Looker) Looks(ctx context.Context, q cdx.Query, of func(*cdx.Entry) bool, most int, seed uint64, done func(n int), enough func(k *Look, of int) bool) ([]*Look, int, error) {
	pool, n, err := pick(l.Reader.newest(ctx, q, of), maxSample, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return nil, 0, err
	}
	var looks, random []*Look
	met := map[string]*Look{}
	look := func(e *cdx.Entry) error {
		done(len(looks))
		k, err := l.Look(ctx, e)
		if isRefused(err) { // by a rule of a moment ago
			return nil
		}
		if err == nil {
			met[e.URL] = k
			looks = append(looks, k)
		}
		return err
	}
	if n > most {
		worst, err := l.lackMost(ctx, pool[:min(len(pool), searched*most)], most/2)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range worst {
			if err := look(&p.Capture); err != nil {
				return nil, 0, err
			}
		}
	}
	for i := range pool {
		k := met[pool[i].URL]
		if k == nil && len(looks) >= most {
			break
		}
		if k == nil {
			if err := look(&pool[i]); err != nil {
				return nil, 0, err
			}
			k = met[pool[i].URL]
		}
		if k == nil {
			continue
		}
		k.Random = true
		random = append(random, k)
		if enough(k, n) {
			break
		}
	}
	return append(slices.DeleteFunc(looks, func(k *Look) bool { return k.Random }), random...), n, nil
}

// lackMost returns the pages that lack most by their links, at most so many, the worst first.
func (l *Looker) lackMost(ctx context.Context, all []cdx.Entry, most int) (worst []*Page, err error) {
	for i := range all {
		p, err := l.Reader.Page(ctx, &all[i])
		if isRefused(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if p.Damage == 0 {
			continue
		}
		if at, _ := slices.BinarySearchFunc(worst, p, worse); at < most {
			p.cut()
			worst = slices.Insert(worst, at, p)
			worst = worst[:min(len(worst), most)]
		}
	}
	return worst, nil
}
