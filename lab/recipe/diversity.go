package recipe

// This file is a recipe: which order finds relevant pages of the most hosts?

import (
	"context"

	"kavosh/lab"
)

// diversity compares orders by how many hosts they find relevant pages of, with three tenths of the pages fetched. The
// numbers of diverse were chosen on the units for tuning and on made-up webs (decision 0314).
func diversity(ctx context.Context, b *workspace) (*lab.Report, error) {
	results, err := b.run(ctx, study{dir: "results", units: b.of(result), share: 0.3, orders: []string{"diverse", "reinforce-linear", "quota(1,reinforce-linear)",
		"quota(5,reinforce-linear)", "quota(1,breadth)", "tianwang", "host-majority", "breadth"}})
	if err != nil {
		return nil, err
	}
	report := &lab.Report{
		Title: lab.Words{En: "Which order finds relevant pages of the most hosts?", Fa: "کدام ترتیب صفحه‌های مرتبطِ میزبان‌های بیشتری را می‌یابد؟"},
		Axis:  lab.RelevantHostsRequests,
	}
	report.Compared, err = lab.Compare(results, "graph", true)
	return report, err
}
