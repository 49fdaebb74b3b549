package frontier

// OnlyHeld reports whether URLs wait, none is under way, and nothing but the end of a Hold lets one be asked for.
func (f *Frontier) OnlyHeld() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	waits := f.mu.sums.queued - f.mu.sums.limited - f.mu.limits.held
	if f.o.GoesOn && f.mu.again != noTime {
		return false // what is done is asked for again
	}
	return f.mu.failed == nil && len(f.mu.leases.out) == 0 && !f.mu.bench.line.turning && waits > 0 && len(f.mu.holds.byHost) > 0 && f.nextDue() == forever
}
