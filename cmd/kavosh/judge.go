package main

// This file is the command kavosh judge: it trains models and tries judges. Package judge does both.

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"kavosh/archive"
	"kavosh/judge"
	"kavosh/lib/units"
)

// judgeCmd has the commands about judges and models.
type judgeCmd struct {
	Train        judgeTrainCmd        `cmd:"" help:"Make a model from pages that you labelled, and say how good it is."`
	Try          judgeTryCmd          `cmd:"" help:"Print how a model, or another judge, scores pages, with reasons."`
	ContextGraph judgeContextGraphCmd `cmd:"" name:"context-graph" help:"Make a model for --order context-graph from a stored web: it learns the words of pages a few links away from relevant ones."`
}

type judgeTrainCmd struct {
	Positive []string `sep:"none" placeholder:"PATH" help:"Relevant pages: a file, a folder of HTML and text files, an archive. May be repeated."`
	Negative []string `sep:"none" placeholder:"PATH" help:"Pages that are not relevant, as many kinds as the crawl will meet. May be repeated."`
	Labels   string   `placeholder:"FILE" help:"Or a list of labelled files: lines of label, tab, path, and if you like tab and host."`
	Class    string   `default:"relevant" placeholder:"LABEL" help:"The label in --labels that means relevant; all others do not (default: relevant)."`
	Method   string   `choice:"logistic,bayes" default:"logistic" placeholder:"NAME" help:"logistic (default), or bayes, which is faster and less exact."`
	Output   string   `short:"o" required:"" placeholder:"MODEL" help:"Where to write the model, for kavosh crawl --prefer model=MODEL. One that is there is replaced."`
	JSON     bool     `name:"json" help:"Print how good it is as one JSON object."`
}

// Help returns the text above the flags in the help.
func (judgeTrainCmd) Help() string {
	return `Examples:

    kavosh judge train --positive courses/ --negative other/ -o courses.model
    kavosh judge train --positive good.kavosh --negative bad.kavosh -o good.model
    kavosh judge train --labels pages.tsv --class course -o courses.model

Pages of one host (in archives), or of one folder below the folder that you name, stay together when the model is tested on pages that it has not seen.`
}

// Run trains a model and writes it to a file.
func (c *judgeTrainCmd) Run(p *program) error {
	if c.Labels == "" && (len(c.Positive) == 0 || len(c.Negative) == 0) {
		return usage("a model learns from both kinds of pages: name them by --positive and --negative, or by --labels")
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	var trainer judge.Trainer
	pages := 0
	var answers archive.Answers
	for _, side := range [...]struct {
		paths    []string
		relevant bool
	}{{c.Positive, true}, {c.Negative, false}} {
		for _, path := range side.paths {
			before := pages
			err := answers.Texts(ctx, path, func(a *archive.Answer) error {
				pages++
				trainer.Add(a.Page, a.Group, side.relevant)
				return nil
			})
			if err != nil {
				return err
			}
			if pages == before {
				return fmt.Errorf("%s holds no pages with text", path)
			}
		}
	}
	if c.Labels != "" {
		if err := c.labelled(ctx, &answers, &trainer); err != nil {
			return err
		}
	}
	model, report, err := trainer.Train(c.Method)
	if err != nil {
		return err
	}
	data, err := model.AppendBinary(nil)
	if err != nil {
		return err
	}
	if err := replaceFile(c.Output, data); err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(p.out)
		enc.SetIndent("", "  ")
		return enc.Encode(report)
	}
	if answers.Skipped > 0 {
		fmt.Fprintf(p.err, "kavosh: %s without text left out (pictures, styles, error pages)\n", plural(answers.Skipped, "document"))
	}
	return writeTraining(p.out, report, c.Method, c.Output, len(data))
}

// labelled adds the files of a list with labels. Their paths are relative to the list's folder.
func (c *judgeTrainCmd) labelled(ctx context.Context, answers *archive.Answers, trainer *judge.Trainer) error {
	f, err := os.Open(c.Labels)
	if err != nil {
		return err
	}
	defer f.Close()
	rows := csv.NewReader(f)
	rows.Comma, rows.Comment, rows.FieldsPerRecord, rows.LazyQuotes = '\t', '#', -1, true
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line, _ := rows.FieldPos(0)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Labels, err)
		}
		if len(row) != 2 && len(row) != 3 {
			return fmt.Errorf("%s, line %d: %d columns, want label and path, and perhaps a host", c.Labels, line, len(row))
		}
		path := row[1]
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(c.Labels), path)
		}
		err = answers.Texts(ctx, path, func(a *archive.Answer) error {
			if len(row) == 3 {
				a.Group = row[2]
			}
			trainer.Add(a.Page, a.Group, row[0] == c.Class)
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", c.Labels, line, err)
		}
	}
}

// replaceFile writes a file so that there is always either the old or the new one, complete.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after the rename there is nothing to remove
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// writeTraining prints the result of training.
func writeTraining(w io.Writer, r *judge.Report, method, path string, bytes int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s of them relevant, in %s (hosts or folders). Method: %s.\n\n", plural(r.Relevant+r.Other, "page"), count(r.Relevant), plural(r.Groups, "group"), method)
	if r.Grouped {
		fmt.Fprintf(&b, "Each page judged by a model that saw no page of its host or folder (%d parts):\n\n", r.Parts)
	} else {
		fmt.Fprintf(&b, "Each page judged by a model that did not see it (%d parts). The relevant pages, or the others, are all of one host or\n"+
			"folder, which the model may have learned to know instead of what you want: on other hosts it can be much worse.\n\n", r.Parts)
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  precision\t%.3f\tthe share of relevant pages among those that it calls relevant\n", r.Precision)
	fmt.Fprintf(t, "  recall\t%.3f\tthe share of the relevant pages that it finds\n", r.Recall)
	fmt.Fprintf(t, "  F1\t%.3f\tthe harmonic mean of the two\n", r.F1)
	fmt.Fprintf(t, "  AUC\t%.3f\tthe chance that a relevant page scores more than another\n", r.AUC)
	fmt.Fprintf(t, "  Brier\t%.3f\tmean squared error of the scores; %.3f for always saying the share of relevant pages\n", r.Brier, r.Base())
	t.Flush()
	fmt.Fprintf(&b, "\nScores, and the share of pages with such a score that are relevant:\n\n")
	t = tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "  score\trelevant\tpages\t\n")
	for _, bin := range r.Bins {
		if bin.Pages > 0 {
			fmt.Fprintf(t, "  %.2f\t%.2f\t%s\t\n", bin.Score, bin.Share, count(bin.Pages))
		}
	}
	t.Flush()
	for _, side := range [...]struct {
		name  string
		words []judge.Word
	}{{"for", r.For}, {"against", r.Against}} {
		fmt.Fprintf(&b, "\nMost telling %s:", side.name)
		for i, word := range side.words {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + word.Text)
		}
	}
	fmt.Fprintf(&b, "\n\nThe model is in %s (%s). Use it by --prefer model=%s.\n", path, units.Size(bytes), path)
	_, err := io.WriteString(w, b.String())
	return err
}

type judgeTryCmd struct {
	Model string   `arg:"" help:"A model, or a judge as --prefer takes it, such as keyword=solar."`
	Paths []string `arg:"" name:"path" help:"Pages: files, folders of HTML and text files, archives."`
	JSON  bool     `name:"json" help:"Print one JSON object a page."`
}

// Help returns the text above the flags in the help.
func (judgeTryCmd) Help() string {
	return `Examples:

    kavosh judge try courses.model page.html other.html
    kavosh judge try 'query=solar energy' example.org.kavosh

Judges:

    ` + strings.ReplaceAll(strings.TrimSpace(judge.Help()), "\n", "\n    ")
}

// tried is what kavosh judge try --json prints for one page.
type tried struct {
	Page     string  `json:"page"`
	Score    float64 `json:"score"`
	Relevant bool    `json:"relevant"`
	Why      string  `json:"why"`
}

// Run prints the verdict on each page.
func (c *judgeTryCmd) Run(p *program) error {
	prefer := c.Model
	if _, err := os.Stat(c.Model); err == nil {
		prefer = "model=" + c.Model
	}
	j, err := (&judge.Reader{Open: os.ReadFile}).Parse([]string{prefer})
	if err != nil {
		return usageError{err.Error()}
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	out := bufio.NewWriter(p.out)
	pages, relevant, bare := 0, 0, 0
	answers := archive.Answers{Needs: j.Needs(), Bare: true}
	judged := func(a *archive.Answer) error {
		v := j.Judge(a.Page)
		pages++
		name := a.Name
		if a.Text == "" {
			bare++
			name += " (no text)"
		}
		mark := " "
		if v.Relevant() {
			relevant++
			mark = "*"
		}
		if c.JSON {
			return json.NewEncoder(out).Encode(tried{a.Name, v.Score, v.Relevant(), v.Why()})
		}
		_, err := fmt.Fprintf(out, "%.2f %s  %s\n         %s\n", v.Score, mark, name, v.Why())
		return err
	}
	for _, path := range c.Paths {
		if err := answers.Texts(ctx, path, judged); err != nil {
			return errors.Join(out.Flush(), err)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "%s, %s relevant (*), %s without text; %s left out (pictures, styles, error pages)\n",
		plural(pages, "page"), count(relevant), count(bare), plural(answers.Skipped, "document"))
	if pages == 0 {
		return exitStatus(exitFailed)
	}
	return nil
}
