// Package browser captures pages with --browser always: pages whose parts only scripts request, and pages that would
// keep a browser busy for ever.
//
// The whole program runs as a process with the system's Chromium, against a generated web on this machine, whose log
// says what was requested, when and how often.
package browser
