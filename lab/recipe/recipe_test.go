package recipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/frontier/order"
	"kavosh/lab"
)

// makeWeb writes a web of one host: a start page leads to sections, these to pages, some sections to those labelled rose,
// which say so.
func makeWeb(t *testing.T, dir, name string) {
	t.Helper()
	var pages, labels strings.Builder
	at := func(path string) string { return "http://" + name + ".test/" + path }
	page := func(path, text string, links ...string) {
		var out []string
		for _, l := range links {
			out = append(out, fmt.Sprintf(`{"url":%q,"anchor":%q}`, at(l), l))
		}
		fmt.Fprintf(&pages, `{"url":%q,"title":%q,"text":%q,"links":[%s]}`+"\n", at(path), path, text, strings.Join(out, ","))
	}
	var sections []string
	for s := range 8 {
		section := fmt.Sprintf("section%d", s)
		sections = append(sections, section)
		var leaves []string
		for p := range 14 {
			leaf := fmt.Sprintf("%s/page%d", section, p)
			leaves = append(leaves, leaf)
			if s == 6 && p < 12 {
				fmt.Fprintf(&labels, "%s\trose\n", at(leaf))
				page(leaf, fmt.Sprintf("a red rose in the garden, number %d of %s", p, name))
			} else {
				page(leaf, fmt.Sprintf("stones and sand, number %d of %s", p, section+name))
			}
		}
		page(section, "a list of pages", leaves...)
	}
	page("", "welcome", sections...)
	for file, text := range map[string]string{name + ".jsonl": pages.String(), name + ".tsv": labels.String()} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// data is a folder of four webs that share no host.
func data(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"here", "there", "beyond", "elsewhere"} {
		makeWeb(t, dir, name)
	}
	return dir
}

func newBench(t *testing.T, dir, units string) *workspace {
	t.Helper()
	list, err := parseUnits("units", units)
	if err != nil {
		t.Fatal(err)
	}
	var progress bytes.Buffer
	b := &workspace{Options: Options{Data: dir, Out: t.TempDir(), Progress: &progress}, name: "test", units: list}
	if err := b.findWebs(); err != nil {
		t.Fatal(err)
	}
	return b
}

const two = "tuning\tthere\tlabel=rose\thttp://there.test/\ttrained\nresult\there\tlabel=rose\thttp://here.test/\ttrained\n"

func TestListsCanBeRead(t *testing.T) {
	for _, r := range List() {
		units, err := readUnits(r.Units)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		roles := map[string]string{}
		for _, u := range units {
			if was := roles[u.web]; was != "" && was != u.role {
				t.Errorf("%s: %s is for %s and for %s", r.Units, u.web, was, u.role)
			}
			roles[u.web] = u.role
		}
	}
}

// TestStudyGoesOn stops a study after some runs and makes it again: what was kept is not made twice.
func TestStudyGoesOn(t *testing.T) {
	b := newBench(t, data(t), two)
	s := study{dir: "results", units: b.of(result), orders: []string{"breadth", "best", "context-graph"}}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := b.run(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatalf("a study that was stopped ends with %v", err)
	}
	results, err := b.run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 5 {
		t.Fatalf("%d results, want two bounds and three orders", len(results))
	}
	for _, r := range results {
		if r.Judged.Recall < 0.9 || r.Judged.Precision < 0.9 {
			t.Errorf("the judge of %s finds %v: it was not trained on the other webs", r.Web, r.Judged)
		}
	}
	runs := filepath.Join(b.Out, "test-results", "runs.jsonl")
	before, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	again := newBench(t, b.Data, two)
	again.Out = b.Out
	if results, err = again.run(t.Context(), s); err != nil || len(results) != 5 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	after, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) || len(again.webs) != 0 {
		t.Error("runs that were kept were made again, or their webs read")
	}
}

// TestTuningSeesNoResults trains the judges for tuning without webs that results come from.
func TestTuningSeesNoResults(t *testing.T) {
	b := newBench(t, data(t), two)
	for _, u := range b.units {
		webs, err := b.others(&u)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, w := range webs {
			names = append(names, strings.TrimSuffix(filepath.Base(w.Name), ".jsonl"))
		}
		want := map[string]string{tuning: "beyond elsewhere", result: "beyond elsewhere there"}[u.role]
		if got := strings.Join(names, " "); got != want {
			t.Errorf("judge for %s trained on %s, want %s", u.role, got, want)
		}
	}
}

func TestTrials(t *testing.T) {
	for _, e := range order.List() {
		if e.Parts > 0 {
			continue
		}
		specs := draws(&e)
		if specs[0] != e.Name {
			t.Errorf("%s: the first trial is %s, want the defaults", e.Name, specs[0])
		}
		most := 1.0 // there can be
		for _, p := range e.Params {
			if p.Most == 1 && p.WholeNumber {
				most *= 2
			} else {
				most = math.Inf(1)
			}
		}
		if want := int(min(trials, most)); len(e.Params) > 0 && len(specs) != want {
			t.Errorf("%s: %d trials, want %d", e.Name, len(specs), want)
		}
		for _, s := range specs[1:] {
			if _, err := order.Parse(s, order.Setup{Topic: func(string) float64 { return 0 }, ContextGraph: &order.ContextGraph{}}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestOrdersRecipe makes the whole recipe of the orders on small webs.
func TestOrdersRecipe(t *testing.T) {
	b := newBench(t, data(t), two)
	report, err := orders(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.write(report); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(b.Out, "test.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 unit (web × topic × start) on 1 web,", "2.43", "By hours", "reinforce-linear", "quota(5,best)", "defaults"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, kind := range []string{"csv", "json", "html", "svg"} {
		if info, err := os.Stat(filepath.Join(b.Out, "test."+kind)); err != nil || info.Size() == 0 {
			t.Errorf("test.%s: %v", kind, err)
		}
	}
}

// TestOtherRecipes makes the recipes of the documents on small webs, and looks for the published figures beside ours.
func TestOtherRecipes(t *testing.T) {
	dir := data(t)
	for name, test := range map[string]struct {
		units string
		make  func(context.Context, *workspace) (*lab.Report, error)
		want  []string
	}{
		"reinforcement": {"tuning\tthere\tkeyword=rose\thttp://there.test/\tkeyword=rose\nresult\there\tkeyword=rose\thttp://here.test/\tkeyword=rose\n", reinforcement,
			[]string{"rose", "2120", "16.87 %", "At equal fetches"}},
		"depth-weight": {"result\there\tany\thttp://here.test/\tkeyword=rose\n", depthWeight, []string{"the great majority", "tianwang,links=1", "ideal"}},
		"language": {"result\there\tlabel=rose\thttp://here.test/\ttrained\nresult\there\tlabel=rose\thttp://here.test/section6\ttrained\n" +
			"result\there\tlabel=rose\thttp://here.test/ http://here.test/section1\ttrained\n", language, []string{"59.3 %", "All weights above 100 made the same runs on each of 3 units", "tunnelling, 3 steps", "here, draw 5", "Under top-level domains drawn 5 times", "of the links of these"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, dir, test.units)
			report, err := test.make(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := report.Text(&text); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("no %q in\n%s", want, text.String())
				}
			}
		})
	}
}

// A judge is not trained on a web that was put together for another recipe: it may hold the same pages.
func TestPutTogetherWebsTrainNobody(t *testing.T) {
	dir := data(t)
	makeWeb(t, dir, "focus")
	b := newBench(t, dir, two)
	webs, err := b.others(&b.units[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range webs {
		if strings.HasPrefix(filepath.Base(w.Name), "focus") {
			t.Error("it was trained on focus")
		}
	}
	if len(webs) != 3 {
		t.Errorf("trained on %d webs, want 3", len(webs))
	}
}

// What pages declare misleads, where the text does not: the table shows each kind of evidence by itself.
func TestEvidence(t *testing.T) {
	dir := t.TempDir()
	var pages, labels strings.Builder
	const persian = "این صفحه به زبان فارسی است و دربارهٔ گل و گیاه و آب و هوای این شهر نوشته شده است"
	for i := range 40 {
		text := "This page is in English and speaks of flowers, of plants and of the weather in this town"
		if i%4 == 1 {
			text = persian
			fmt.Fprintf(&labels, "http://w.test/%d\tlang=fa\n", i)
		}
		fmt.Fprintf(&pages, `{"url":"http://w.test/%d","text":"%s, %d","links":[{"url":"http://w.test/%d"},{"url":"http://w.test/%d"}]}`+"\n", i, text, i, 2*i+1, 2*i+2)
	}
	for file, text := range map[string]string{"w.jsonl": pages.String(), "w.tsv": labels.String()} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t, dir, "result\tw\tlabel=lang=fa\thttp://w.test/0\tlanguage=fa\n")
	table, err := b.byEvidence(t.Context(), b.units)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for i, want := range [][]string{{"tag", "0.0 %"}, {"text", "100.0 %"}, {"all", "100.0 %"}} {
		if row := table.Rows[i]; row[0] != want[0] || row[3] != want[1] {
			t.Errorf("row %q, want the recall of %s to be %s", row, want[0], want[1])
		}
	}
}

func TestMissingWebs(t *testing.T) {
	r, err := Named("orders")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), Options{Data: t.TempDir(), Out: t.TempDir(), Progress: &bytes.Buffer{}}); err == nil || !strings.Contains(err.Error(), "make lab-data") {
		t.Errorf("without webs: %v", err)
	}
	if _, err := Named("order"); err == nil || !strings.Contains(err.Error(), "depth-weight") {
		t.Errorf("an unknown recipe: %v", err)
	}
	if _, err := parseUnits("list", "# a list\nresult\tweb\tany\n"); err == nil || !strings.Contains(err.Error(), "list, line 2") {
		t.Errorf("a line of three fields: %v", err)
	}
}

// TestHidden finds the topic and the start that a list has by their hashes alone, and says so when the web lacks them.
func TestHidden(t *testing.T) {
	dir := data(t)
	b := newBench(t, dir, "result\there\tlabel="+Hidden("rose")+"\t"+Hidden("http://here.test/section6")+"\t"+HiddenQuery+"\n")
	if u := b.units[0]; u.relevant != "label=rose" || u.start != "http://here.test/section6" || u.judge != "query=rose" {
		t.Errorf("%+v", u)
	}
	for _, line := range []string{"result\there\tlabel=#0\thttp://here.test/\ttrained", "result\there\tlabel=rose\t#0\ttrained"} {
		units, err := parseUnits("units", line)
		if err != nil {
			t.Fatal(err)
		}
		b := &workspace{Options: Options{Data: dir, Progress: io.Discard}, units: units}
		if err := b.findWebs(); err == nil || !strings.Contains(err.Error(), "make lab-data") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
