package dates

import (
	"strings"
	"testing"
	"time"
)

// Years, months and days of both calendars, as the Iranian official calendar has them.
func TestParse(t *testing.T) {
	for _, c := range [][3]string{
		{"1396", "2017-03-21 00:00:00", "2018-03-20 23:59:59"},
		{"۱۳۹۶", "2017-03-21 00:00:00", "2018-03-20 23:59:59"},
		{"١٣٩٦", "2017-03-21 00:00:00", "2018-03-20 23:59:59"},
		{"2017", "2017-01-01 00:00:00", "2017-12-31 23:59:59"},
		{"۲۰۱۷", "2017-01-01 00:00:00", "2017-12-31 23:59:59"},
		{"1396/5", "2017-07-23 00:00:00", "2017-08-22 23:59:59"},
		{"۱۳۹۶-۰۵", "2017-07-23 00:00:00", "2017-08-22 23:59:59"},
		{"139605", "2017-07-23 00:00:00", "2017-08-22 23:59:59"},
		{"مرداد ۱۳۹۶", "2017-07-23 00:00:00", "2017-08-22 23:59:59"},
		{"مرداد ماه ۱۳۹۶", "2017-07-23 00:00:00", "2017-08-22 23:59:59"},
		{"1396/5/3", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{" ‏۱۳۹۶ / ۵ / ۳ ", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"۱۳۹۶٫۵٫۳", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"۱۳۹۶.۰۵.۰۳", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"3/5/1396", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"۳/۵/۱۳۹۶", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"٠٣-٠٥-١٣٩٦", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"31/1/1396 06:07", "2017-04-20 06:07:00", "2017-04-20 06:07:59"},
		{"25/7/2017", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"7/25/2017", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"5.5.2020", "2020-05-05 00:00:00", "2020-05-05 23:59:59"},
		{"13960503", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"۳ مرداد ۱۳۹۶", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"3 Mordad 1396", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"25 July 2017", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"25 Oct 2017", "2017-10-25 00:00:00", "2017-10-25 23:59:59"},
		{"۲۵ ژوئیه ۲۰۱۷", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"2017-07-25", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"2017/7/25", "2017-07-25 00:00:00", "2017-07-25 23:59:59"},
		{"1399/12/30", "2021-03-20 00:00:00", "2021-03-20 23:59:59"},
		{"2017072506", "2017-07-25 06:00:00", "2017-07-25 06:59:59"},
		{"20170725060708", "2017-07-25 06:07:08", "2017-07-25 06:07:08"},
		{"13960503060708", "2017-07-25 06:07:08", "2017-07-25 06:07:08"},
		{"2017-07-25T06:07:08Z", "2017-07-25 06:07:08", "2017-07-25 06:07:08"},
		{"2017-07-25T06:07:08.5Z", "2017-07-25 06:07:08", "2017-07-25 06:07:08"},
		{"2017-07-25 06:07", "2017-07-25 06:07:00", "2017-07-25 06:07:59"},
		{"1396/5/3 ۰۶:۰۷", "2017-07-25 06:07:00", "2017-07-25 06:07:59"},
		{"2017-07-25T06:00:00+03:30", "2017-07-25 02:30:00", "2017-07-25 02:30:00"},
		{"۳ مرداد ۱۳۹۶ ۰۶:۰۷", "2017-07-25 06:07:00", "2017-07-25 06:07:59"},
		{"5 Tir 1396", "2017-06-26 00:00:00", "2017-06-26 23:59:59"},
	} {
		s, err := Parse(c[0], time.UTC)
		if err != nil {
			t.Error(err)
			continue
		}
		if first, last := s.First.UTC().Format(time.DateTime), s.Last.UTC().Format(time.DateTime); first != c[1] || last != c[2] {
			t.Errorf("%s: %s to %s, want %s to %s", c[0], first, last, c[1], c[2])
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "x", "96", "396", "13967", "1396/13", "1396/0", "1396/7/31", "1396/12/30", "2017-02-29", "2017-00-01", "20170231", "1396/5/3/4",
		"yesterday", "0000", "0999", "مرداد", "مرداد ۲۰۱۷", "July 1396", "2017-07-25T25:00", "2017-07-25T10:61", "2017-07T10:00", "2017-07-25T10:00+99:00", "-2017", "2017-",
		"5/13/1396", "30/12/1396", "31/7/1396", "0/5/1396", "30/2/2017", "13/13/2017", "25/7/0999", "25/7/17", "5/1396", "1/3/5/1396", "2017072", "201707250607089", strings.Repeat("1", 5000), "1396/5/3 ; DROP"} {
		s, err := Parse(text, time.UTC)
		if err == nil {
			t.Errorf("%q is read as %v", text, s)
		} else if !strings.Contains(err.Error(), "1396/5/3") || len(err.Error()) > 400 {
			t.Errorf("%q: the message does not name what is accepted: %v", text, err)
		}
	}
}

// A Gregorian date with the year last may have its day or its month first: it is refused, and both are named.
func TestParseAmbiguous(t *testing.T) {
	for _, text := range []string{"3/5/2020", "03.05.2020", "۳/۵/۲۰۲۰", "3-5-2020 10:00"} {
		s, err := Parse(text, time.UTC)
		if err == nil {
			t.Errorf("%q is read as %v", text, s)
		} else if !strings.Contains(err.Error(), "2020-05-03 or 2020-03-05") {
			t.Errorf("%q: the message does not name both days: %v", text, err)
		}
	}
}

// A day in the machine's own zone begins at its own midnight.
func TestParseZone(t *testing.T) {
	tehran := time.FixedZone("Tehran", 12600)
	s, err := Parse("1405/1/1", tehran)
	if err != nil || !s.First.Equal(time.Date(2026, 3, 20, 20, 30, 0, 0, time.UTC)) {
		t.Errorf("%v, %v", s, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"1396/5/3", "3/5/1396", "3/5/2020", "۱۳۹۶", "20170725060708", "۳ مرداد ۱۳۹۶", "2017-07-25T06:00:00+03:30", "May 2017", "1499-12-30 23:59"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, time.UTC)
		if err != nil {
			return
		}
		if s.First.After(s.Last) || s.First.Year() < 1500 || s.Last.Year() > 10000 {
			t.Errorf("%q is %v to %v", text, s.First, s.Last)
		}
		for _, c := range []Calendar{Gregorian, Jalali} { // what is shown is read as the same time
			first, last := Span{s.First.UTC(), s.Last.UTC()}, Span{s.First.UTC(), s.Last.UTC()}
			if y, _, _ := c.YMD(first.First); y > 9998 || c == Jalali && (y > lastJalali || y < firstJalali) {
				continue
			}
			if y, _, _ := c.YMD(last.Last); y > 9998 || c == Jalali && y > lastJalali {
				continue
			}
			again, err := Parse(c.Text(first, false), time.UTC)
			if err != nil || !again.First.Equal(s.First) {
				t.Errorf("%q: shown as %q, which is %v, %v", text, c.Text(first, false), again, err)
			}
			if again, err = Parse(c.Text(last, true), time.UTC); err != nil || !again.Last.Equal(s.Last) {
				t.Errorf("%q: shown as %q, which is %v, %v", text, c.Text(last, true), again, err)
			}
		}
	})
}
