//go:build conformance && suites

package crawl

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/archive"
	"kavosh/internal/testdata"
)

// gateway is the configuration of an Apache that serves w3id.org's files: a folder for each name, with rules in .htaccess that
// redirect by Accept.
const gateway = `ServerRoot %[1]q
ServerName w3id.org
Listen 127.0.0.1:%[2]d
User www-data
Group www-data
PidFile %[1]s/pid
TypesConfig /dev/null
ErrorLog %[1]s/error.log
LogFormat "%%U%%q\t%%{Accept}i\t%%>s\t%%{Location}o" asked
CustomLog %[1]s/access.log asked
DocumentRoot %[3]q
`

const gatewayFolder = `<Directory %q>
AllowOverride All
Require all granted
</Directory>
`

// gatewayModules are the modules that the rules use.
var gatewayModules = []string{"mpm_event", "authz_core", "alias", "dir", "headers", "mime", "negotiation", "rewrite", "setenvif"}

// startGateway serves root at a port, and gives the file that notes what was asked.
func startGateway(t *testing.T, root string) (port int, asked string) {
	t.Helper()
	server, err := exec.LookPath("apache2")
	if err != nil {
		if server, err = exec.LookPath("/usr/sbin/apache2"); err != nil {
			t.Fatalf("%v: run make conformance-tools", err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "kavosh-gateway-") // its user must come to it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var config strings.Builder
	for _, m := range gatewayModules {
		fmt.Fprintf(&config, "LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", m, m)
	}
	fmt.Fprintf(&config, gateway, dir, port, root)
	fmt.Fprintf(&config, gatewayFolder, root)
	path := filepath.Join(dir, "apache.conf")
	if err := os.WriteFile(path, []byte(config.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(server, "-f", path, "-DFOREGROUND")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	for range 600 {
		<-tick.C
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			c.Close()
			return port, filepath.Join(dir, "access.log")
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
	t.Fatalf("apache2 does not listen: %s\n%s", out.String(), log)
	return 0, ""
}

// targets answers for all hosts that the gateway redirects to: by RDF for who asks for it, else by a page.
func targets(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Header.Get("Accept"), "text/turtle") {
		w.Header().Set("Content-Type", "text/turtle")
		fmt.Fprintf(w, "<> <http://purl.org/dc/terms/title> \"RDF\" .")
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<!doctype html><title>A page</title><p>A page.")
}

// TestW3ID asks a real gateway of content negotiation for names, and wants each asked for as a page and as RDF, once; both answers
// recorded with where they lead; and what they lead to fetched as it was asked for.
func TestW3ID(t *testing.T) {
	root, err := filepath.Abs(testdata.Path(t, "w3id"))
	if err != nil {
		t.Fatal(err)
	}
	port, access := startGateway(t, root)
	plain, secure := httptest.NewServer(http.HandlerFunc(targets)), httptest.NewTLSServer(http.HandlerFunc(targets))
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "archive")
	args := []string{"crawl", "--browser", "never", "--archive", dir, "--prefer", "rdf", "--negotiate", "--delay", "0", "--workers", "4", "--scope", "page",
		"--connect-to", fmt.Sprintf("w3id.org:80:127.0.0.1:%d", port), "--connect-to", ":80:" + plain.Listener.Addr().String(),
		"--connect-to", ":443:" + secure.Listener.Addr().String()}
	seeds := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() {
			seeds["http://w3id.org/"+e.Name()+"/"] = true
			args = append(args, "http://w3id.org/"+e.Name()+"/")
		}
	}
	if len(seeds) < 20 {
		t.Fatalf("%d names in %s: run make conformance-data", len(seeds), root)
	}
	run(t, 0, args...)

	asked := map[string]int{} // by URL and whether RDF was asked for
	leads := map[string]string{}
	for _, line := range lines(t, access) {
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			t.Fatalf("%q in the gateway's log", line)
		}
		key := fmt.Sprint("http://w3id.org", f[0], " ", strings.HasPrefix(f[1], "text/turtle"))
		asked[key]++
		if strings.HasPrefix(f[2], "30") && strings.HasPrefix(f[3], "http") {
			leads[key] = f[3]
		}
	}
	for url := range seeds {
		for _, variant := range []bool{false, true} {
			if n := asked[fmt.Sprint(url, " ", variant)]; n != 1 {
				t.Errorf("%s, RDF %t: asked for %d times", url, variant, n)
			}
		}
	}
	fetched := map[string]archive.Line{}
	logs, err := filepath.Glob(filepath.Join(dir, "crawls", "*", "crawl.log"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	for _, line := range lines(t, logs[0]) {
		var l archive.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Outcome == "recorded" {
			fetched[fmt.Sprint(l.URL, " ", l.Variant)] = l
		}
	}
	chosen := 0
	for key, to := range leads {
		url, variant, _ := strings.Cut(key, " ")
		other := leads[url+" "+map[string]string{"true": "false", "false": "true"}[variant]]
		if seeds[url] && variant == "true" && other != "" && other != to {
			chosen++
		}
		to, _, _ = strings.Cut(to, "#")
		_, page := fetched[to+" false"]
		_, rdf := fetched[to+" true"]
		if fetched[key].Status < 300 || !page && !rdf {
			t.Errorf("%s leads to %s (RDF: %s): recorded as %d; its target was fetched as page %t, as RDF %t", url, to, variant, fetched[key].Status, page, rdf)
		}
	}
	var report struct {
		Classes []struct {
			Name      string
			Documents int
		}
	}
	if err := json.Unmarshal([]byte(run(t, 0, "rdf", "stats", dir, "--json")), &report); err != nil {
		t.Fatal(err)
	}
	rdfs := 0
	for _, c := range report.Classes {
		if c.Name == "R" {
			rdfs = c.Documents
		}
	}
	t.Logf("%d names, of which %d lead elsewhere for RDF; %d redirects, %d RDF documents", len(seeds), chosen, len(leads), rdfs)
	if chosen < len(seeds)/2 || rdfs < len(seeds)/4 {
		t.Errorf("of %d names %d lead elsewhere for RDF, and %d RDF documents were found", len(seeds), chosen, rdfs)
	}
	run(t, 0, "check", dir)
}

// lines are those of a file.
func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		all = append(all, in.Text())
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	return all
}
