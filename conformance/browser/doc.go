// Package browser captures pages with --browser always: pages whose parts only scripts ask for, and pages that would keep a
// browser for ever.
//
// The whole program runs as a process with the system's Chromium, against a made-up web on this machine, whose log says what
// was asked, when and how often.
package browser
