package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// version is one of the two that against compares: where its source lies, its program in each layout, and what was measured.
type version struct {
	name, source      string
	programs          []string
	micros, allocated []float64 // of all its runs, for a page
}

// against compares the speed of a crawl by the working tree and by another commit. Where the linker puts a loop that is
// run much is luck that makes a tenth of the time, so each version is built in several layouts drawn at random.
func against(args []string) (err error) {
	set := flag.NewFlagSet("against", flag.ExitOnError)
	base := set.String("base", "", "the other `commit`")
	layouts := set.Int("layouts", 6, "programs to build of each version")
	rounds := set.Int("rounds", 3, "crawls by each program")
	pages := set.Int("pages", 12_000, "pages of a crawl, about")
	set.Parse(args)
	if *base == "" {
		return errors.New("no commit to compare with: make bench-against BASE=<commit>")
	}
	if *layouts < 1 || *rounds < 1 {
		return errors.New("-layouts and -rounds are 1 or more")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "against-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "source")
	if _, err := command(ctx, "", "git", "worktree", "add", "--detach", source, *base); err != nil {
		return err
	}
	defer func() { // the folder is git's to remove, also after an interrupt
		_, removed := command(context.WithoutCancel(ctx), "", "git", "worktree", "remove", "--force", source)
		err = cmp.Or(err, removed)
	}()
	versions := []*version{{name: *base, source: source}, {name: "working tree"}}
	for layout := 1; layout <= *layouts; layout++ {
		for i, v := range versions {
			fmt.Fprintf(os.Stderr, "building %s, layout %d of %d\n", v.name, layout, *layouts)
			program := filepath.Join(dir, fmt.Sprintf("crawl-%d-%d", i, layout))
			flags := fmt.Sprintf("-ldflags=-randlayout=%d", layout)
			if _, err := command(ctx, v.source, "go", "build", flags, "-o", program, "./bench/crawl"); err != nil {
				return err
			}
			v.programs = append(v.programs, program)
		}
	}
	for round := range *rounds {
		for layout := range *layouts {
			for _, v := range versions {
				if err := v.crawl(ctx, layout, *pages); err != nil {
					return err
				}
			}
			fmt.Fprintf(os.Stderr, "round %d of %d, layout %d of %d\n", round+1, *rounds, layout+1, *layouts)
			slices.Reverse(versions) // so that none is always the first
		}
	}
	slices.SortFunc(versions, func(a, b *version) int { return cmp.Compare(b.source, a.source) }) // the working tree last
	fmt.Printf("%-16s %9s %9s %9s %9s %12s\n", "µs a page", "median", "mean", "least", "most", "allocations")
	for _, v := range versions {
		slices.Sort(v.micros)
		fmt.Printf("%-16.16s %9.1f %9.1f %9.1f %9.1f %12.1f\n", v.name, median(v.micros), mean(v.micros), v.micros[0],
			v.micros[len(v.micros)-1], mean(v.allocated))
	}
	was, is := versions[0], versions[1]
	fmt.Printf("%-16s %9.3f %9.3f %9s %9s %12.3f\n", "ratio", median(is.micros)/median(was.micros), mean(is.micros)/mean(was.micros),
		"", "", mean(is.allocated)/mean(was.allocated))
	return nil
}

// cost finds what inproc prints: the processor time of a page, and its allocations.
var cost = regexp.MustCompile(`([\d.]+) µs a page(?s:.*)\n([\d.]+) allocations`)

// crawl measures one crawl by the version's program of that layout.
func (v *version) crawl(ctx context.Context, layout, pages int) error {
	out, err := command(ctx, "", v.programs[layout], "inproc", "-site", "hard", "-pages", strconv.Itoa(pages))
	if err != nil {
		return err
	}
	found := cost.FindSubmatch(out)
	if found == nil {
		return fmt.Errorf("%s prints no time and allocations of a page:\n%s", v.name, tail(string(out)))
	}
	for i, to := range []*[]float64{&v.micros, &v.allocated} {
		n, err := strconv.ParseFloat(string(found[i+1]), 64)
		if err != nil {
			return err
		}
		*to = append(*to, n)
	}
	return nil
}

// command runs a program in a folder and returns what it printed; its messages stand in the error.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, tail(string(exit.Stderr)))
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return out, err
}

// median is the middle of sorted numbers, of two the mean.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func mean(numbers []float64) float64 {
	sum := 0.0
	for _, n := range numbers {
		sum += n
	}
	return sum / float64(len(numbers))
}
