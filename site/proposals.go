package site

// This file gathers which settings of the next crawl would help.

import (
	"context"
	"slices"

	"kavosh/pages"
	"kavosh/quality"
	"kavosh/site/draw"
)

// Proposals returns what was found speaks for, and what the report of a crawl proposes, or that of the newest crawl that visited pages: of one
// host, or of all ("").
func (c *Collection) Proposals(ctx context.Context, crawl, host string, found []quality.Proposal) ([]quality.Proposal, error) {
	if c.Crawls == nil {
		return found, nil
	}
	list, err := c.Crawls.List(ctx)
	if err != nil {
		return nil, err
	}
	mended := false
	for i := range list {
		one := &list[i]
		if one.Setting("patch") != "" {
			mended = true
			continue
		}
		if one.End == "" || crawl != "" && one.ID != crawl {
			continue
		}
		if one.Setting("browser") == "always" {
			found = slices.DeleteFunc(found, func(p quality.Proposal) bool { return p.About == quality.TroubleScripts })
		}
		for _, p := range one.Proposals {
			if p.About != quality.TroubleParts && !(mended && p.About == quality.TroubleApart) && (host == "" || p.Host == host) {
				found = append(found, p)
			}
		}
		break
	}
	return found, nil
}

// ProposalWords says in a sentence why a proposal is made; lang is "en" or "fa".
func ProposalWords(lang string, p *quality.Proposal) string {
	return draw.ProposalWords(pages.Lang(lang), p)
}

// named returns proposals without those that name what is hidden from a reader.
func named(all []quality.Proposal, hidden func(url string) bool) (open []quality.Proposal) {
	for _, p := range all {
		if (p.Host == "" || !hidden("http://"+p.Host+"/")) && (p.To == "" || !hidden("http://"+p.To+"/")) {
			open = append(open, p)
		}
	}
	return open
}
