package frontier

// Refuse ends a lease whose task is not to be requested after all, such as one that the caller has learned something
// about since it was queued; then Apply reports the task. Nothing was asked of the host, so its clock is not touched.
func (l *Lease) Refuse(no Refusal) {
	f := l.frontier
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.over {
		return
	}
	now := f.clock.now()
	f.end(l, false, now, now)
	f.mu.leases.ended++
	l.Refused = &no
	f.giveBack(l)
	l.host.arrange(now)
	f.wakeNext()
}
