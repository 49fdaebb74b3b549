package main

// This file measures how fast pages are cut and compared, by the time that a processor worked, so that other work on the
// machine tells little.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"time"

	"kavosh/change"
	"kavosh/lib/segment"
)

// worked returns how long a processor worked for f, garbage collection and all.
func worked(f func()) time.Duration {
	runtime.GC()
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before) // cannot fail
	f()
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
}

// speed prints how fast pages are cut and compared.
func speed(pages []string) {
	bytes := 0
	cuts, others := make([]*segment.Page, len(pages)), make([]*segment.Page, len(pages))
	cutting := worked(func() {
		for i, p := range pages {
			cuts[i] = cut(parse(p))
			bytes += len(p)
		}
	})
	for i, p := range pages {
		m := mutator{Rand: rand.New(rand.NewPCG(2, uint64(i))), page: parse(p)}
		m.elements(1)
		others[i] = cut(m.page)
	}
	compare := func(a, b []*segment.Page) time.Duration {
		return worked(func() {
			for i := range a {
				between(a[i], b[i]).Importance(change.ByPlace())
			}
		})
	}
	alike := compare(cuts, others)
	unlike := compare(cuts, append(cuts[1:len(cuts):len(cuts)], cuts[0]))
	rate := func(d time.Duration) float64 { return float64(len(pages)) / d.Seconds() }
	fmt.Printf("in a second of one core: %.0f pages of %d bytes cut; %.0f pairs compared (nearly equal), %.0f pairs (unlike); %.0f pages cut and compared\n",
		rate(cutting), bytes/len(pages), rate(alike), rate(unlike), rate(cutting+alike))
}

// growth prints by which power of their size the time for pages grows. Larger pages are several real ones in one.
func growth(pages []string) {
	const steps, rounds = 7, 3
	var sizes [steps]float64
	var took [3][steps]float64
	for step := range steps {
		for round := range rounds {
			var body strings.Builder
			for i := range 1 << step {
				fmt.Fprintf(&body, "<div>%s</div>", pages[(i*7+round*131)%len(pages)])
			}
			sizes[step] += float64(body.Len()) / rounds
			m := mutator{Rand: rand.New(rand.NewPCG(3, uint64(round))), page: parse(body.String())}
			m.elements(1 << step)
			p := mutator{Rand: rand.New(rand.NewPCG(4, uint64(round))), page: parse(body.String())}
			p.permute(3 << step)
			var old *segment.Page
			changed, moved := cut(m.page), cut(p.page)
			for n, f := range [...]func(){func() { old = cut(parse(body.String())) }, func() { between(old, changed) }, func() { between(old, moved) }} {
				took[n][step] += worked(f).Seconds()
			}
		}
	}
	fmt.Printf("from %.0f to %.0f bytes, time grows by the power of", sizes[0], sizes[steps-1])
	for n, name := range []string{"cutting", "comparing, other elements", "comparing, another order"} {
		fmt.Printf(" %.2f (%s)", slope(sizes[:], took[n][:]), name)
	}
	fmt.Println()
}

// slope fits the power of x by which y grows.
func slope(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		if y[i] <= 0 {
			continue // too short to be measured
		}
		a, b := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
