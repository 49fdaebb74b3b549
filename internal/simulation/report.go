package simulation

// Report is the result of many simulated crawls.
type Report struct {
	Seeds  int              `json:"seeds"`
	Failed []uint64         `json:"failed"` // seeds in which a rule was violated
	Counts map[string]int64 `json:"counts"` // sums of World.Counts
}

// Add adds the counts of one crawl.
func (r *Report) Add(counts map[string]int64) {
	for kind, n := range counts {
		r.Counts[kind] += n
	}
}

// Kinds returns all faults that a world injects, and all accidents that it causes.
func Kinds() []string {
	return append(rough(),
		"dns failure", "connection refused", "connect timeout", "tls closed", "tls alert", "tls garbage", "tls stall", "kept connection closed",
		"full", "short write", "failed sync", "kill", "power cut", "interrupt", "clock forward", "clock back")
}
