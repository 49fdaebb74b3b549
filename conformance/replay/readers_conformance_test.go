//go:build conformance

package replay

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
)

// reader is a browser as people have it, without the policies that keep Kavosh's own from asking for more. It opens a page in a
// tab, clicks what can be clicked, and closes the tab and all that it opened.
type reader interface {
	try(t *testing.T, url string)
}

const clicks = `for (const e of document.querySelectorAll("a, button")) e.click()`

type chromiumReader struct{ ctx context.Context }

// startChromium starts a Chromium, in three tabs of which pages may be tried at once.
func startChromium(t *testing.T) []reader {
	path, err := chromium.Find()
	if err != nil {
		t.Fatal(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("disable-popup-blocking", true),
		chromedp.Flag("allow-loopback-in-peer-connection", true), chromedp.Flag("disable-features", "LocalNetworkAccessChecks"))
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(alloc)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(); endAlloc() })
	r := &chromiumReader{ctx}
	return []reader{r, r, r}
}

func (r *chromiumReader) try(t *testing.T, url string) {
	ctx, end := chromedp.NewContext(r.ctx)
	defer end()
	ctx, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		t.Error(err)
		return
	}
	if _, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: url}); err != nil {
		t.Logf("%s: %v", url, err)
	}
	wait(ctx)
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[string](clicks+`; ""`)); err != nil {
		t.Logf("%s: %v", url, err) // a page that went away, or has an alert
	}
	wait(ctx)
	infos, err := chromedp.Targets(r.ctx)
	if err != nil {
		t.Error(err)
		return
	}
	self := chromedp.FromContext(ctx).Target.TargetID
	for _, info := range infos {
		if info.Type == "page" && info.OpenerID == self {
			popup, close := chromedp.NewContext(r.ctx, chromedp.WithTargetID(info.TargetID))
			chromedp.Do(popup) // takes hold of it, so that it is closed
			close()
		}
	}
}

func wait(ctx context.Context) {
	select {
	case <-time.After(settles):
	case <-ctx.Done():
	}
}

// firefoxReader speaks Marionette, which Firefox has built in: lines of "length:[type,id,name,parameters]".
type firefoxReader struct {
	conn net.Conn
	in   *bufio.Reader
	id   int
}

// preferences of the profile: as people have them, but for what the test could not see, and what Firefox asks for by itself.
const preferences = `user_pref("marionette.port", 0);
user_pref("dom.disable_open_during_load", false);
user_pref("media.peerconnection.ice.loopback", true);
user_pref("media.peerconnection.ice.obfuscate_host_addresses", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.startup.page", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.tabs.warnOnClose", false);
user_pref("dom.min_background_timeout_value", 4);
`

// startFirefox starts three, since a session of Marionette has one current window.
func startFirefox(t *testing.T) []reader {
	return []reader{oneFirefox(t), oneFirefox(t), oneFirefox(t)}
}

func oneFirefox(t *testing.T) reader {
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Fatal("no Firefox is installed: run `make conformance-tools` (apt-get install firefox-esr)")
	}
	profile := t.TempDir()
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-remote", "--marionette", "--profile", profile, "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_HEADLESS=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	r := &firefoxReader{}
	t.Cleanup(func() {
		if r.conn != nil {
			r.call("Marionette:Quit", map[string]any{"flags": []string{"eForceQuit"}})
			r.conn.Close()
		}
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
	})
	for deadline := time.Now().Add(time.Minute); r.conn == nil; {
		if time.Now().After(deadline) {
			t.Fatal("Firefox did not begin to listen within a minute")
		}
		if port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort")); err == nil && len(port) > 0 {
			r.conn, _ = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		}
		select {
		case err := <-ended:
			t.Fatalf("Firefox ended: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	r.in = bufio.NewReader(r.conn)
	if _, err := r.message(); err != nil { // says hello
		t.Fatal(err)
	}
	r.must(t, "WebDriver:NewSession", map[string]any{"pageLoadStrategy": "none", "unhandledPromptBehavior": "dismiss"})
	return r
}

func (r *firefoxReader) message() ([]byte, error) {
	length, err := r.in.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r.in, b)
	return b, err
}

// call is the answer of a command.
func (r *firefoxReader) call(name string, params any) (json.RawMessage, error) {
	r.id++
	b, err := json.Marshal([]any{0, r.id, name, params})
	if err != nil {
		return nil, err
	}
	r.conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := fmt.Fprintf(r.conn, "%d:%s", len(b), b); err != nil {
		return nil, err
	}
	if b, err = r.message(); err != nil {
		return nil, err
	}
	var answer [4]json.RawMessage
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, err
	}
	if string(answer[2]) != "null" {
		return nil, fmt.Errorf("%s: %.300s", name, answer[2])
	}
	return answer[3], nil
}

func (r *firefoxReader) must(t *testing.T, name string, params any) json.RawMessage {
	t.Helper()
	value, err := r.call(name, params)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func (r *firefoxReader) try(t *testing.T, url string) {
	none := map[string]any{}
	var first []string
	if err := json.Unmarshal(r.must(t, "WebDriver:GetWindowHandles", none), &first); err != nil {
		t.Fatal(err)
	}
	var tab struct{ Handle string }
	if err := json.Unmarshal(r.must(t, "WebDriver:NewWindow", map[string]any{"type": "tab", "focus": true}), &tab); err != nil {
		t.Fatal(err)
	}
	r.must(t, "WebDriver:SwitchToWindow", map[string]any{"handle": tab.Handle, "focus": true})
	if _, err := r.call("WebDriver:Navigate", map[string]any{"url": url}); err != nil {
		t.Logf("%s: %v", url, err)
	}
	wait(t.Context())
	if _, err := r.call("WebDriver:ExecuteScript", map[string]any{"script": clicks, "args": []any{}, "sandbox": nil}); err != nil {
		t.Logf("%s: %v", url, err)
	}
	wait(t.Context())
	var all []string
	if err := json.Unmarshal(r.must(t, "WebDriver:GetWindowHandles", none), &all); err != nil {
		t.Fatal(err)
	}
	for _, h := range all {
		if h != first[0] {
			if _, err := r.call("WebDriver:SwitchToWindow", map[string]any{"handle": h}); err == nil {
				r.call("WebDriver:CloseWindow", none)
			}
		}
	}
	r.must(t, "WebDriver:SwitchToWindow", map[string]any{"handle": first[0]})
}
