//go:build conformance && suites

package browser

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// free returns a host and port at which nobody listens.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts a server, and returns when it answers at a URL.
func serve(t *testing.T, url string, c *exec.Cmd) {
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "USER=somebody")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 1200 { // on a busy machine too
		if a, err := client.Get(url); err == nil {
			a.Body.Close()
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Fatal(c.Args[0] + " does not answer")
}

// run runs a program in a folder and returns what it printed.
func run(t *testing.T, dir, program string, args ...string) string {
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "USER=somebody", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", c.Args, err, text)
	}
	return string(text)
}

// syncthing starts Syncthing, which speaks with nobody, and returns where its pages are.
func syncthing(t *testing.T) string {
	home := t.TempDir()
	if text, err := exec.CommandContext(t.Context(), "syncthing", "generate", "--home", home, "--no-default-folder").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	file := filepath.Join(home, "config.xml")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(config)
	for _, name := range []string{"globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled"} {
		text = strings.ReplaceAll(text, "<"+name+">true<", "<"+name+">false<")
	}
	text = strings.ReplaceAll(text, "<urAccepted>0<", "<urAccepted>-1<")
	text = strings.ReplaceAll(text, "<listenAddress>default<", "<listenAddress>tcp://127.0.0.1:0<")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := free(t)
	serve(t, "http://"+at+"/rest/noauth/health", exec.Command("syncthing", "serve", "--home", home, "--no-browser", "--no-restart", "--no-upgrade", "--gui-address", at))
	return at
}

// repository makes a Git repository of six commits, a tag and a branch, and returns its folder.
func repository(t *testing.T) string {
	dir := t.TempDir()
	run(t, dir, "git", "init", "-q", "-b", "main")
	for i := range 6 {
		part := filepath.Join(dir, fmt.Sprintf("part%d", i))
		if err := os.MkdirAll(part, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{filepath.Join(dir, "README.md"), filepath.Join(part, "one.txt"), filepath.Join(part, "two.txt")} {
			if err := os.WriteFile(file, []byte(strings.Repeat(fmt.Sprintf("line %d\n", i), 10*i+10)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run(t, dir, "git", "add", "-A")
		run(t, dir, "git", "commit", "-q", "-m", fmt.Sprintf("part %d", i))
	}
	run(t, dir, "git", "tag", "v1", "HEAD~3")
	run(t, dir, "git", "branch", "side", "HEAD~2")
	return dir
}

// fossil serves a repository with Fossil, and returns where.
func fossil(t *testing.T, repository string) string {
	file := filepath.Join(t.TempDir(), "repository.fossil")
	export := exec.CommandContext(t.Context(), "git", "-C", repository, "fast-export", "--all")
	text, err := export.Output()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "fossil", "import", "--git", file)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "USER=somebody")
	c.Stdin = bytes.NewReader(text)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	run(t, t.TempDir(), "fossil", "user", "capabilities", "nobody", "ghjorz", "-R", file) // else it shows robots no links
	at := free(t)
	_, port, _ := net.SplitHostPort(at)
	serve(t, "http://"+at+"/", exec.Command("fossil", "server", "--localhost", "--port", port, "--baseurl", "http://fossil.test", file))
	return at
}

// nodeRED starts Node-RED, which tells its makers nothing, and returns where.
func nodeRED(t *testing.T, dir string) string {
	home := t.TempDir()
	settings := filepath.Join(home, "settings.js")
	if err := os.WriteFile(settings, []byte("module.exports = { uiHost: '127.0.0.1', telemetry: { enabled: false }, editorTheme: { tours: false } }"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := free(t)
	_, port, _ := net.SplitHostPort(at)
	serve(t, "http://"+at+"/", exec.Command(filepath.Join(dir, "served/node-red/node_modules/.bin/node-red"), "--userDir", home, "--settings", settings, "--port", port))
	return at
}

// ungit starts ungit, and returns where.
func ungit(t *testing.T, dir string) string {
	at := free(t)
	_, port, _ := net.SplitHostPort(at)
	serve(t, "http://"+at+"/", exec.Command(filepath.Join(dir, "served/ungit/node_modules/.bin/ungit"), "--port="+port, "--ungitBindIp=127.0.0.1", "--launchBrowser=false",
		"--no-b", "--ungitVersionCheckOverride"))
	return at
}

// mailDev starts MailDev with five letters, and returns where.
func mailDev(t *testing.T, dir string) string {
	at, post := free(t), free(t)
	_, port, _ := net.SplitHostPort(at)
	_, postPort, _ := net.SplitHostPort(post)
	serve(t, "http://"+at+"/", exec.Command(filepath.Join(dir, "served/maildev/node_modules/.bin/maildev"), "--web", port, "--smtp", postPort, "--ip", "127.0.0.1"))
	for i := range 5 {
		letter := fmt.Sprintf("From: sender%[1]d@example.org\r\nTo: reader@example.org\r\nSubject: Letter %[1]d\r\nMIME-Version: 1.0\r\n"+
			"Content-Type: multipart/mixed; boundary=part\r\n\r\n--part\r\nContent-Type: text/html\r\n\r\n"+
			"<p>Letter %[1]d with <a href=\"http://example.org/page/%[1]d\">a link</a> <img src=\"http://example.org/picture/%[1]d.png\">\r\n"+
			"--part\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=table%[1]d.csv\r\n\r\na,b\r\n--part--\r\n", i)
		if err := smtp.SendMail(post, nil, "sender@example.org", []string{"reader@example.org"}, []byte(letter)); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// answer is what a server answers at a URL.
func answer(t *testing.T, url string) string {
	a, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
