package frontier

// Refuse ends a lease (the right to make one request) without the request, for example because the caller has learned
// something about the URL since it was queued. Then Apply reports the task. Nothing was asked of the host, so it need
// not rest.
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
