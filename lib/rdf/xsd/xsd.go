// Package xsd finds the XML Schema datatype of a value written in a web page.
package xsd

import "regexp"

// The datatypes' IRIs.
const (
	Namespace  = "http://www.w3.org/2001/XMLSchema#"
	Integer    = Namespace + "integer"
	Double     = Namespace + "double"
	Duration   = Namespace + "duration"
	DateTime   = Namespace + "dateTime"
	Date       = Namespace + "date"
	Time       = Namespace + "time"
	GYearMonth = Namespace + "gYearMonth"
	GYear      = Namespace + "gYear"
)

const (
	year  = `-?(?:[1-9]\d{3,}|0\d{3})`
	month = `-(?:0[1-9]|1[0-2])`
	day   = `-(?:0[1-9]|[12]\d|3[01])`
	clock = `(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)`
	zone  = `(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?`
)

var times = []struct {
	datatype string
	form     *regexp.Regexp
}{
	{GYear, regexp.MustCompile(`^` + year + zone + `$`)},
	{Date, regexp.MustCompile(`^` + year + month + day + zone + `$`)},
	{DateTime, regexp.MustCompile(`^` + year + month + day + `T` + clock + zone + `$`)},
	{Time, regexp.MustCompile(`^` + clock + zone + `$`)},
	{GYearMonth, regexp.MustCompile(`^` + year + month + zone + `$`)},
	{Duration, regexp.MustCompile(`^-?P(?:(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$`)},
}

const longest = 64 // bytes of a value that may be a time or number

// OfTime returns the datatype of a time, date or duration; "" if value is none.
func OfTime(value string) string {
	if len(value) > longest || value == "" {
		return ""
	}
	for _, t := range times {
		if !t.form.MatchString(value) {
			continue
		}
		if last := value[len(value)-1]; t.datatype == Duration && (last == 'P' || last == 'T') {
			return ""
		}
		return t.datatype
	}
	return ""
}

var (
	integer = regexp.MustCompile(`^[+-]?\d+$`)
	double  = regexp.MustCompile(`^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$`)
)

// OfNumber returns the datatype of a number; "" if value is none.
func OfNumber(value string) string {
	switch {
	case len(value) > longest:
		return ""
	case integer.MatchString(value):
		return Integer
	case double.MatchString(value):
		return Double
	}
	return ""
}
