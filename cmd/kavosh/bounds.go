package main

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Bounds of a number, a size or a length of time on the command line whose flag does not name others by its tags least and most.
const (
	mostNumber = 1e12
	mostScore  = 1e9
	mostTime   = 100 * 365 * 24 * time.Hour
)

// checkBounds refuses flags with values beyond their bounds, wherever they were written.
func checkBounds(ctx *kong.Context) error {
	for _, flag := range ctx.Flags() {
		target := reflect.Indirect(flag.Target)
		if !target.IsValid() {
			continue
		}
		least, most := 0.0, float64(mostNumber)
		var value float64
		show := func(v float64) string { return count(int64(v)) }
		switch v := target.Interface().(type) {
		case span:
			value, most = float64(v), float64(mostTime)
			show = func(v float64) string {
				if v >= float64(48*time.Hour) {
					return strconv.FormatInt(int64(v)/int64(24*time.Hour), 10) + "d"
				}
				return time.Duration(v).String()
			}
		case size:
			value, most = float64(v), float64(size(1)<<60)
			show = func(v float64) string { return size(v).String() }
		case hops:
			value, least = float64(v), -1
		case int:
			value = float64(v)
		case int64:
			value = float64(v)
		case float64:
			value = v
			show = func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		default:
			continue
		}
		for name, bound := range map[string]*float64{"least": &least, "most": &most} {
			if text := flag.Tag.Get(name); text != "" {
				var err error
				if *bound, err = strconv.ParseFloat(text, 64); err != nil {
					panic(err) // a tag that nobody has tried
				}
			}
		}
		if !(value >= least && value <= most) {
			return usage("--%s %s is beyond its bounds: write %s to %s", flag.Name, strings.ReplaceAll(show(value), ",", ""), show(least), show(most))
		}
	}
	return nil
}
