package search

// This file counts years and months in the Gregorian and the Jalali calendar for search's filters and facets.

import (
	"sort"
	"strconv"
	"time"

	"kavosh/lib/dates"
)

// firstYears has the first year of each calendar that a mask of years can tell. Earlier years count as this one.
var firstYears = [...]int{dates.Gregorian: 1990, dates.Jalali: 1368}

// almanac holds when each month of the Jalali calendar begins, in seconds since 1970. It is a table because every
// capture's month is looked up.
type almanac []uint32

// almanacYear is the first year of an almanac. 1970 begins in it.
const almanacYear = 1348

func newAlmanac() almanac {
	a := make(almanac, 0, 140*12)
	for at := range cap(a) {
		start := dates.Jalali.Start(almanacYear+at/12, at%12+1, 1, time.UTC)
		if start.Unix() >= 1<<32 {
			break
		}
		a = append(a, seconds(start))
	}
	return a
}

// month returns the month of a time in calendar c, as years*12+month with months from 0.
func (a almanac) month(c dates.Calendar, at uint32) uint32 {
	if c == dates.Gregorian {
		y, m, _ := time.Unix(int64(at), 0).UTC().Date()
		return uint32(y)*12 + uint32(m) - 1
	}
	return almanacYear*12 + uint32(sort.Search(len(a), func(i int) bool { return a[i] > at })) - 1
}

// yearBit returns the bit of a month's year in a mask of years. Years before the mask have its first bit, later ones
// its last.
func yearBit(c dates.Calendar, month uint32) uint64 {
	return 1 << max(0, min(63, int(month/12)-firstYears[c]))
}

// instants is a span of time in seconds since 1970, with both ends.
type instants struct{ from, to uint32 }

// years returns the spans of years of either calendar, as people write them.
func years(values []string) []instants {
	var list []instants
	for _, v := range values {
		year, err := strconv.Atoi(v)
		if c, ok := dates.Of(year); err == nil && ok {
			s := c.Year(year, time.UTC)
			list = append(list, instants{seconds(s.First), seconds(s.Last)})
		}
	}
	return list
}

func within(list []instants, at uint32) bool {
	for _, one := range list {
		if one.from <= at && at <= one.to {
			return true
		}
	}
	return false
}
