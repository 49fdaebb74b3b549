package units

import (
	"fmt"
	"strings"
	"time"
)

// Hours are some hours of each day, such as those of the night.
type Hours struct {
	Text string `json:"hours"` // such as "22:00-06:00": a second time before the first is the next day's
	Zone string `json:"zone"`  // a name such as "Asia/Tehran"; "" = this machine's

	from, to int // minutes after midnight
	place    *time.Location
}

// String is the hours for people, such as "22:00-06:00 Asia/Tehran".
func (h Hours) String() string { return strings.TrimSpace(h.Text + " " + h.Zone) }

// ParseHours reads hours such as "22:00-06:00" in a time zone. An error says what to write.
func ParseHours(text, zone string) (Hours, error) {
	h := Hours{Text: text, Zone: zone, place: time.Local}
	from, to, ok := strings.Cut(text, "-")
	a, err1 := time.Parse("15:04", from)
	b, err2 := time.Parse("15:04", to)
	if !ok || err1 != nil || err2 != nil || a.Equal(b) {
		return h, fmt.Errorf("%q are no hours: write two different times from 00:00 to 23:59 as 22:00-06:00", text)
	}
	h.from, h.to = a.Hour()*60+a.Minute(), b.Hour()*60+b.Minute()
	if zone != "" {
		var err error
		if h.place, err = time.LoadLocation(zone); err != nil {
			return h, fmt.Errorf("there is no time zone %q: write one such as Asia/Tehran, Europe/Berlin or UTC", zone)
		}
	}
	return h, nil
}

// At says whether t is in these hours, and when that changes. h comes from ParseHours.
func (h Hours) At(t time.Time) (within bool, next time.Time) {
	y, m, d := t.In(h.place).Date()
	for day := d - 1; ; day++ {
		from := time.Date(y, m, day, 0, h.from, 0, 0, h.place)
		to := time.Date(y, m, day, 0, h.to, 0, 0, h.place)
		if h.to <= h.from {
			to = time.Date(y, m, day+1, 0, h.to, 0, 0, h.place)
		}
		switch {
		case t.Before(from):
			return false, from
		case t.Before(to):
			return true, to
		}
	}
}
