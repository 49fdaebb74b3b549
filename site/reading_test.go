package site

import (
	"errors"
	"testing"
)

// However many visits are asked for, few are read at a time; what failed by chance is read again.
func TestReadingsAreBounded(t *testing.T) {
	var k readings[int]
	begun, goOn := make(chan int, 100), make(chan error)
	get := func(i int) *reading[int] {
		return k.get(readingOf{host: string(rune('a' + i))}, func() (int, error) {
			begun <- i
			return i, <-goOn
		})
	}
	var first []*reading[int]
	for i := range 3 * maxReadings {
		if g := get(i); i < maxPending {
			first = append(first, g)
		}
	}
	goOn <- errors.New("by chance")
	for range maxPending - 1 {
		goOn <- nil
	}
	failed := 0
	for i, g := range first {
		<-g.done
		if g.err != nil {
			failed = i
		} else if g.made != i || get(i) != g {
			t.Errorf("%d: %+v is not kept", i, g)
		}
	}
	if len(begun) != maxPending {
		t.Errorf("%d were read", len(begun))
	}
	again := get(failed)
	if goOn <- nil; again == first[failed] {
		t.Error("what failed is not read again")
	}
	<-again.done
}
