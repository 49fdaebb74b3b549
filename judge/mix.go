package judge

// This file makes one judge of several.

import "kavosh"

// Any returns a judge whose verdict is the highest of the judges' verdicts, with the reasons of that one.
func Any(judges ...Judge) Judge {
	var all greatest
	for _, j := range judges {
		all = append(all, kindOf(j))
	}
	return &whole{kind: all}
}

type greatest []kind

func (g greatest) judge(d *document) (best kavosh.Verdict) {
	for i, k := range g {
		if v := k.judge(d); i == 0 || v.Score > best.Score {
			best = v
		}
	}
	return best
}

// Weighted is a judge of a mix with its weight.
type Weighted struct {
	Judge  Judge
	Weight float64 // above 0
}

// Mix returns a judge whose score is the weighted mean of the judges' scores. It gives all their reasons, in proportion
// to their weights.
func Mix(judges ...Weighted) Judge {
	m := make(mean, len(judges))
	all := 0.0
	for _, w := range judges {
		all += w.Weight
	}
	for i, w := range judges {
		m[i] = share{kindOf(w.Judge), w.Weight / all}
	}
	return &whole{kind: m}
}

type mean []share

type share struct {
	kind
	of float64 // its share of the mix; all add up to 1
}

func (m mean) judge(d *document) (v kavosh.Verdict) {
	for _, s := range m {
		one := s.kind.judge(d)
		v.Score += one.Score * s.of
		for _, r := range one.Reasons {
			v.Reasons = append(v.Reasons, kavosh.Reason{Text: r.Text, Weight: r.Weight * s.of})
		}
	}
	weightiest(v.Reasons)
	return v
}

func kindOf(j Judge) kind {
	if w, ok := j.(*whole); ok {
		return w.kind
	}
	return other{j}
}

// other is a Judge from another package.
type other struct{ Judge }

func (o other) judge(d *document) kavosh.Verdict { return o.Judge.Judge(d.page) }
