package main

// This file has simpler ways to cut a page, for comparison.

import (
	"math"
	"slices"
	"unicode/utf8"
)

// baselines returns the page cut in each of them.
func (m *marks) baselines() map[string]*cutting {
	by := func(block func(*item) int) *cutting {
		c := &cutting{}
		at := map[int]int{}
		for n := range m.items {
			b := block(&m.items[n])
			if _, ok := at[b]; !ok {
				at[b] = len(c.blocks)
				c.blocks = append(c.blocks, itemSet{})
			}
			c.fine = append(c.fine, at[b])
			c.blocks[at[b]][n] = true
		}
		c.top = c.fine
		return c
	}
	fused := m.fuse()
	return map[string]*cutting{
		byPage:     by(func(*item) int { return 0 }),
		byChild:    by(func(i *item) int { return i.child }),
		byLandmark: by(func(i *item) int { return i.landmark }),
		byElement:  by(func(i *item) int { return i.element }),
		byDensity:  by(func(i *item) int { return fused[i.element] }),
	}
}

// Of BlockFusion (Kohlschütter and Nejdl, "A Densitometric Approach to Web Page Segmentation", 2008).
const (
	lineWidth  = 80   // letters of a line
	mostUnlike = 0.38 // by which the densities of neighbours differ that are one block
)

// stretch is neighbours that are one block.
type stretch struct {
	elements       []int
	words, letters int
}

// density is the words of a line: of all whole lines, or of one that is all there is.
func (s *stretch) density() float64 {
	lines := (s.letters + lineWidth - 1) / lineWidth
	if lines <= 1 {
		return float64(s.words)
	}
	return float64(s.words) / float64(s.letters) * lineWidth
}

// fuse joins neighbours whose density is like, until there are none, and returns the block of each element.
func (m *marks) fuse() map[int]int {
	var list []stretch
	for n := range m.items {
		i := &m.items[n]
		if last := len(list) - 1; last < 0 || list[last].elements[0] != i.element {
			list = append(list, stretch{elements: []int{i.element}})
		}
		s := &list[len(list)-1]
		s.words += i.weight
		s.letters += utf8.RuneCountInString(i.text) + 1
	}
	for before := 0; before != len(list); {
		before = len(list)
		for i := 1; i < len(list); {
			a, b := list[i-1].density(), list[i].density()
			if math.Abs(a-b) > mostUnlike*max(a, b) {
				i++
				continue
			}
			s := &list[i-1]
			s.elements = append(s.elements, list[i].elements...)
			s.words, s.letters = s.words+list[i].words, s.letters+list[i].letters
			list = slices.Delete(list, i, i+1)
		}
	}
	of := map[int]int{}
	for n, s := range list {
		for _, e := range s.elements {
			of[e] = n
		}
	}
	return of
}
