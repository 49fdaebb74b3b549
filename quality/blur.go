package quality

// This file tells how blurred a crawl is, after Denev, Mazeika, Spaniol and Weikum ("SHARC: Framework for Quality-Conscious Web
// Archiving", 2009).

// age is what blur needs of a page.
type age struct {
	at    int64   // when it was visited, in seconds
	again bool    // it was visited once more: else its rate is not known
	rate  float64 // changes an hour
}

// blur returns the expected number of changes of a page between its visit and a moment chosen by chance between the first visit of
// all and the last, the mean of all pages: λ (t² − tT + T²/2) / T, where t is the time of the visit from the first on, and T
// that of the last. Pages of which no rate is known are left out of the mean.
func blur(pages []age) float64 {
	if len(pages) == 0 {
		return 0
	}
	first, last := pages[0].at, pages[0].at
	for _, p := range pages {
		first, last = min(first, p.at), max(last, p.at)
	}
	length := float64(last-first) / 3600
	if length == 0 {
		return 0
	}
	sum, n := 0.0, 0
	for _, p := range pages {
		if !p.again {
			continue
		}
		n++
		t := float64(p.at-first) / 3600
		sum += p.rate * (t*t - t*length + length*length/2) / length
	}
	return sum / float64(max(1, n))
}
