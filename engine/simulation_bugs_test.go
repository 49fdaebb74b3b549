//go:build simulation

package engine

// bug is a mistake that somebody could make.
type bug struct {
	name    string
	seed    uint64 // finds it; 0 when it is not known which does
	changes []change
}

// bugs are mistakes that the simulation must find. The last ones were real: it found them.
func bugs() []bug {
	return []bug{
		{"done before the records are synced", 0, []change{{"engine/commit.go",
			"\tif err := c.recorder.Sync(); err != nil {\n\t\treturn c.diskError(err)\n\t}\n", ""}}},
		{"log before WARC", 0, []change{{"engine/commit.go",
			"\tif err := c.recorder.Sync(); err != nil {\n\t\treturn c.diskError(err)\n\t}\n", ""}, {"engine/commit.go",
			"\tif err := c.archive.follow(captures); err != nil {",
			"\tif err := c.recorder.Sync(); err != nil {\n\t\treturn c.diskError(err)\n\t}\n\tif err := c.archive.follow(captures); err != nil {"}}},
		{"mark beyond a group in the air", 0, []change{{"engine/commit.go",
			"if p.Before(m.WARC) {", "if false && p.Before(m.WARC) {"}}},
		{"crawl log not synced", 0, []change{{"engine/commit.go",
			"if err := c.crawlLog.Sync(); err != nil {", "if err := error(nil); err != nil {"}}},
		{"link lost", 0, []change{{"engine/judge.go",
			"d := c.scope.Judge(link, &task)\n\t\tif d.In {\n", "d := c.scope.Judge(link, &task)\n\t\tif d.In && i == 5 && task.Hops > 1 {\n\t\t\tcontinue\n\t\t}\n\t\tif d.In {\n"}}},
		{"resume forgets groups", 0, []change{{"engine/recover.go",
			"found = append(found, g)", "_ = g"}}},
		{"resume takes the groups beyond the mark twice", 0, []change{{"engine/recover.go",
			"if !slices.Contains(m.Beyond, fmt.Sprintf(\"%d.%d\", g.Task, g.Attempt)) {", "if !slices.Contains(m.Beyond, fmt.Sprint(g.Task, g.Attempt)) {"}}},
		{"lines beyond the mark stay", 0, []change{{"engine/recover.go",
			"\tif err := c.crawlLog.Cut(m.Log); err != nil {\n\t\treturn err\n\t}\n", ""}}},
		{"seeds kept and not queued are forgotten", 0, []change{{"engine/run.go",
			"fresh := c.seeds[min(c.seedsQueued, len(c.seeds)):]", "fresh := c.seeds[len(c.seeds)-len(c.opt.Seeds):]"}}},
		{"seal without sync", 0, []change{{"record/record.go",
			"\tif err == nil && r.mu.dirty {\n\t\terr = f.SyncData()\n", "\tif err == nil && r.mu.dirty {\n"}}},
		{"replaced file not synced", 0, []change{{"internal/disk/disk.go",
			"data...)); err != nil {\n\t\tf.Close()\n\t\treturn err\n\t}\n\tif err := f.Sync(); err != nil {", "data...)); err != nil {\n\t\tf.Close()\n\t\treturn err\n\t}\n\tif err := error(nil); err != nil {"}}},
		{"folder not synced", 0, []change{{"internal/disk/disk.go",
			"\td, err := fs.OpenDir(dir)\n", "\tif dir != \"\" {\n\t\treturn nil\n\t}\n\td, err := fs.OpenDir(dir)\n"}}},
		{"digest of wrong bytes", 0, []change{{"fetch/answer.go",
			"\tcase httpwire.UntilClose:\n\t\tn = len(within)\n\t\ta.hash.Write(b[:n])", "\tcase httpwire.UntilClose:\n\t\tn = len(within)\n\t\ta.hash.Write(b[:n/2])"}}},
		{"Retry-After dropped", 0, []change{{"frontier/gate.go",
			"h.notBefore = max(h.notBefore, end+t)", "h.notBefore = max(h.notBefore, end)"}}},
		{"Retry-After not kept over a restart", 0, []change{{"frontier/gate.go",
			"\t\tt.until = f.wallOf(h.notBefore)\n", "\t\tt.until = 0\n"}}},
		{"gap of a host from the beginning of the answer", 0, []change{{"frontier/gate.go",
			"h.lastEnd = max(h.lastEnd, end)", "h.lastEnd = max(h.lastEnd, began)"}}},
		{"gap of an address ignored", 0, []change{{"frontier/gate.go",
			"a.asked = max(a.asked, end)\n\t\ta.until = a.asked + f.mu.addressDelay\n", "a.asked = max(a.asked, end)\n\t\ta.until = a.asked\n"}}},
		{"address leaked", 0, []change{{"frontier/gate.go",
			"\tl.address, a.holder = nil, nil\n", "\tl.address = nil\n\tif !asked || end > 0 {\n\t\ta.holder = nil\n\t}\n\tif a.until > 0 && now%5 == 0 {\n\t\ta.holder = l\n\t}\n"}}},
		{"lease leaked", 0, []change{{"frontier/lease.go",
			"\tl.host.leases--\n", "\tif asked || now%3 > 0 {\n\t\tl.host.leases--\n\t}\n"}}},
		{"host never woken", 0, []change{{"frontier/next.go",
			"\tif f.mu.timers.len() > 0 {\n\t\tt = min(t, f.mu.timers.items[0].until)\n\t}\n", ""}}},
		{"robots.txt forgotten after a restart", 0, []change{{"frontier/robots.go",
			"if r != nil && r.settled {", "if r != nil && r.settled && f.opened == never {"}}},
		{"Crawl-delay dropped", 0, []change{{"frontier/robots.go",
			"v.delay = min(d, maxCrawlDelay)", "v.delay = min(d, 0)"}}},
		{"retry counted twice", 0, []change{{"frontier/apply.go", "t.Attempt++", "t.Attempt += 2"}}},
		{"seen without queue", 0, []change{{"frontier/apply.go",
			"return a.batch.Set(q.key(nil, host), q.value, nil)", "if t.Score < 0 || t.ID%50 == 7 {\n\t\treturn nil\n\t}\n\treturn a.batch.Set(q.key(nil, host), q.value, nil)"}}},

		{"rules of a robots.txt that was cut", 0, []change{{"engine/judge.go",
			"case x.Truncated == kavosh.TruncDisconnect:", "case false:"}}},
		{"end of an exchange before its last bytes", 0, []change{{"fetch/answer.go",
			"\t\t\ta.now = a.h.o.Clock.Now()\n\t\t\tif err := a.got(tail[:n]); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n",
			"\t\t\tif err := a.got(tail[:n]); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\ta.now = a.h.o.Clock.Now()\n"}, {"fetch/answer.go",
			"x.Took = a.h.o.Clock.Now().Sub(x.Began)", "x.Took = a.now.Sub(x.Began)"}}},
		{"end of an exchange before the wait for its end", 1, []change{{"fetch/answer.go",
			"x.Took = a.h.o.Clock.Now().Sub(x.Began)", "x.Took = a.now.Sub(x.Began)"}}},
		{"Retry-After of an idle host ended by a clock set forward", 135, []change{{"frontier/apply.go",
			"a.hosts.emptied(f.wall())", "a.hosts.emptied(a.wall)"}}},
		{"Retry-After ended by a restart after the clock was set", 208, []change{{"frontier/clock.go",
			"\tf.epoch = f.start.Add(-f.ahead)\n", "\tf.epoch = f.start\n"}}},
		{"Retry-After shorter than our backing off not kept over a restart", 397, []change{{"frontier/gate.go",
			"\t\t\tf.soil(h)\n\t\t\treturn t > f.delay(h)", "\t\t\tf.soil(h)\n\t\t\treturn t > f.delay(h) && h.notBefore == end+t"}}},
		{"Crawl-delay of a host with nothing but refusals forgotten", 408, []change{{"frontier/next.go",
			"\th.crawlDelay = max(h.crawlDelay, v.delay) //", "\tif v.refusal(p.PathQuery) == nil {\n\t\th.crawlDelay = max(h.crawlDelay, v.delay)\n\t}\n\t//"}}},
		{"gap of an address forgotten over a restart", 265, []change{{"frontier/gate.go",
			"asked: f.opened, until: f.opened + f.mu.addressDelay,", "asked: never, until: never,"}}},
		{"request under way to a host that asked for time meanwhile", 1165, []change{{"frontier/lease.go",
			"if wait := l.host.notBefore - now; wait > 0 {", "if wait := l.host.notBefore - now; wait > forever {"}}},
		{"another address asked without leave", 14, []change{{"fetch/http.go",
			"if held.wait = held.permit(c.addr.Addr()); held.wait > 0 {", "if false {"}}},
	}
}
