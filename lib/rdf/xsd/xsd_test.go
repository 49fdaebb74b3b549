package xsd

import "testing"

func TestDatatypes(t *testing.T) {
	for value, want := range map[string]string{
		"2012": GYear, "-0044": GYear, "2012-03": GYearMonth, "2012-03-18": Date, "2012-03-18Z": Date, "2012-13-18": "",
		"00:00:00": Time, "24:00:00": Time, "25:00:00": "", "00:00": "",
		"2012-03-18T00:00:00": DateTime, "2012-03-18T00:00:00.5-08:00": DateTime, "2012-03-18 00:00:00": "",
		"P2Y6M5DT12H35M30.5S": Duration, "-P1D": Duration, "P": "", "P1DT": "", "PT1S": Duration, "1D": "", "": "", "soon": "", "۲۰۱۲": "",
	} {
		if have := OfTime(value); have != want {
			t.Errorf("%q is a %q, not a %q", value, have, want)
		}
	}
	for value, want := range map[string]string{
		"1": Integer, "-07": Integer, "1.1": Double, ".5": Double, "1e9": Double, "1.": Double, "": "", ".": "", "one": "", "1 ": "", "NaN": "",
	} {
		if have := OfNumber(value); have != want {
			t.Errorf("%q is a %q, not a %q", value, have, want)
		}
	}
}
