package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"kavosh/lib/lang"
)

// alike are languages that are scored as one, and separately too.
var alike = map[string]string{"bs": "hbs", "hr": "hbs", "sr-Latn": "hbs", "id": "id/ms", "ms": "id/ms", "nb": "nb/nn", "nn": "nb/nn"}

func merged(l string) string { return cmp.Or(alike[l], l) }

// score counts the answers for texts.
type score struct {
	said map[[2]string]int // language and answer
}

func (s score) f1(language string) float64 {
	right, is, said := 0, 0, 0
	for pair, n := range s.said {
		if pair[0] == language {
			is += n
		}
		if pair[1] == language {
			said += n
		}
		if pair[0] == language && pair[1] == language {
			right += n
		}
	}
	if is == 0 {
		return 0
	}
	return 2 * float64(right) / float64(is+said)
}

// persian returns F1 of Persian, mean the mean over all languages.
func (s score) persian() float64 { return s.f1("fa") }

func (s score) mean() float64 {
	f1, _ := s.macro()
	return f1
}

func (s score) macro() (f1 float64, languages int) {
	seen := map[string]bool{}
	for pair := range s.said {
		seen[pair[0]] = true
	}
	for l := range seen {
		f1 += s.f1(l) / float64(len(seen))
	}
	return f1, len(seen)
}

// resamples is how often texts are redrawn for an interval.
const resamples = 200

// interval returns the 95 % interval of a figure by Efron's percentile bootstrap over the texts of each language.
func (s score) interval(of func(score) float64) string {
	rng := rand.New(rand.NewPCG(1, 2))
	answers := map[string][][2]string{}
	for _, pair := range slices.SortedFunc(maps.Keys(s.said),
		func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
		for range s.said[pair] {
			answers[pair[0]] = append(answers[pair[0]], pair)
		}
	}
	var values []float64
	for range resamples {
		again := score{map[[2]string]int{}}
		for _, l := range slices.Sorted(maps.Keys(answers)) {
			for range answers[l] {
				again.said[answers[l][rng.IntN(len(answers[l]))]]++
			}
		}
		values = append(values, of(again))
	}
	slices.Sort(values)
	return fmt.Sprintf("[%.3f–%.3f]", values[resamples/40], values[resamples-1-resamples/40])
}

// rate prints n of of, and the upper end of the 95 % interval of the share (Wilson 1927).
func rate(n, of int) string {
	const z = 1.96
	p, m := float64(n)/float64(max(of, 1)), float64(max(of, 1))
	upper := (p + z*z/(2*m) + z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))) / (1 + z*z/m)
	return fmt.Sprintf("%d of %d (≤ %.1f %%)", n, of, 100*upper)
}

// reliability counts, by tenths of probability, the answers and how many are right.
type reliability [10]struct{ all, right, sum float64 }

func (r *reliability) add(p float64, right bool) {
	t := &r[min(int(p*10), 9)]
	t.all++
	t.sum += p
	if right {
		t.right++
	}
}

// print prints the tenths and the expected calibration error.
func (r *reliability) print() {
	away, all := 0.0, 0.0
	for i, t := range r {
		if t.all > 0 {
			fmt.Printf("  probability %.1f–%.1f, mean %.3f: %.3f right of %.0f\n", float64(i)/10, float64(i+1)/10, t.sum/t.all, t.right/t.all, t.all)
			away += math.Abs(t.sum - t.right)
			all += t.all
		}
	}
	fmt.Printf("  mean distance %.3f\n", away/max(all, 1))
}

// measure prints F1 for a length, what Persian's neighbours are taken for, and other errors.
func measure(id *lang.Identifier, all []sample, length int) {
	apart, together := score{map[[2]string]int{}}, score{map[[2]string]int{}}
	counts := map[string]int{}
	var sure reliability
	for _, s := range all {
		if s.length != length {
			continue
		}
		answer, p := lang.Undetermined, 0.0
		if found := id.Identify(s.text); len(found) > 0 {
			answer, p = found[0].Code, found[0].Probability
		}
		apart.said[[2]string{s.language, answer}]++
		together.said[[2]string{merged(s.language), merged(answer)}]++
		counts[s.language]++
		sure.add(p, merged(s.language) == merged(answer))
	}
	macro, languages := together.macro()
	strict, _ := apart.macro()
	fmt.Printf("%d characters: %d languages, macro-F1 %.4f %s (%.4f with close ones apart); Persian F1 %.4f %s\n", length, languages,
		macro, together.interval(score.mean), strict, together.f1("fa"), together.interval(score.persian))
	for _, l := range []string{"ar", "azb", "ckb", "glk", "ks", "mzn", "ps", "sd", "ug", "ur"} {
		fmt.Printf("  %s: F1 %.4f of %d; called Persian %s\n", l, together.f1(l), counts[l], rate(apart.said[[2]string{l, "fa"}], counts[l]))
	}
	for _, l := range slices.Sorted(maps.Keys(counts)) {
		if f1 := apart.f1(l); f1 < 0.98 {
			fmt.Printf("  %s: F1 %.4f of %d; taken for %s\n", l, f1, counts[l], taken(apart, l))
		}
	}
	sure.print()
}

func taken(s score, language string) string {
	var out []string
	for _, pair := range slices.SortedFunc(maps.Keys(s.said), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(s.said[b], s.said[a]), cmp.Compare(a[1], b[1]))
	}) {
		if pair[0] == language && pair[1] != language && len(out) < 6 {
			out = append(out, fmt.Sprintf("%s %d", pair[1], s.said[pair]))
		}
	}
	return strings.Join(out, ", ")
}
