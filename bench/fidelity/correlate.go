package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"kavosh"
)

// loaded returns the parts that a page asked for and got.
func loaded(info []byte, page string) (map[string]bool, error) {
	var asked kavosh.Asked
	if err := json.Unmarshal(info, &asked); err != nil {
		return nil, err
	}
	parts := map[string]bool{}
	for url, a := range asked.URLs {
		if a.Good() && url != page {
			parts[url] = true
		}
	}
	return parts, nil
}

// correlations says how the ranks of the loss go with those of what is to tell it.
func correlations(trials []trial) string {
	of := func(number func(*trial) float64) (list []float64) {
		for i := range trials {
			list = append(list, number(&trials[i]))
		}
		return list
	}
	loss := of(func(t *trial) float64 { return t.loss })
	return fmt.Sprintf("%4d trials  damage %6.3f  share %6.3f  count %6.3f", len(trials), spearman(loss, of(func(t *trial) float64 { return t.damage })),
		spearman(loss, of(func(t *trial) float64 { return t.share })), spearman(loss, of(func(t *trial) float64 { return t.count })))
}

// spearman returns the correlation of the ranks of two lists; equal numbers share a rank.
func spearman(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(x)+1) / 2
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(list []float64) []float64 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(list[i], list[j]) })
	ranks := make([]float64, len(list))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && list[order[to]] == list[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return ranks
}
