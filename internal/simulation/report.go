package simulation

// Report is what many simulated crawls came to.
type Report struct {
	Seeds  int              `json:"seeds"`
	Failed []uint64         `json:"failed"` // seeds in which something happened that never may
	Counts map[string]int64 `json:"counts"` // as World.Counts tells them
}

// Add adds the counts of one crawl.
func (r *Report) Add(counts map[string]int64) {
	for kind, n := range counts {
		r.Counts[kind] += n
	}
}

// Kinds are all faults that a world injects and all accidents that it makes happen.
func Kinds() []string {
	return append(rough(),
		"dns failure", "connection refused", "connect timeout", "tls closed", "tls alert", "tls garbage", "tls stall", "kept connection closed",
		"full", "short write", "failed sync", "kill", "power cut", "interrupt", "clock forward", "clock back")
}
