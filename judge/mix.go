package judge

import "kavosh"

// Any is the greatest of the judges' verdicts: any one suffices. The reasons are that judge's.
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

// Weighted is a judge of a mix.
type Weighted struct {
	Judge  Judge
	Weight float64 // above 0
}

// Mix is the mean of the judges' verdicts by their weights. The reasons are those of all, each by its judge's share.
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
	of float64 // of 1
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

// kindOf is what a Judge judges by.
func kindOf(j Judge) kind {
	if w, ok := j.(*whole); ok {
		return w.kind
	}
	return other{j}
}

// other is a Judge of another package.
type other struct{ Judge }

func (o other) judge(d *document) kavosh.Verdict { return o.Judge.Judge(d.page) }
