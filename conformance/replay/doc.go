// Package replay holds replayed sites against the live ones in Chromium: requests that leave the replay, resources that
// are missing, and how alike the pictures are.
//
// It loads each page twice in the same browser, from a web server on the loopback interface and from `kavosh serve` over
// an archive of that server, and compares what was requested, what came, and what is seen. The browser has no way to any
// other machine.
package replay
