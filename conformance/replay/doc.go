// Package replay compares replayed sites with the live ones in Chromium: requests that leave the replay, missing
// resources, and similarity of the pictures.
//
// It loads each page twice in the same browser, from a web server on the loopback interface and from `kavosh serve` on
// an archive of that server. It compares what was requested, what came, and what is visible. The browser can reach only
// this machine.
package replay
