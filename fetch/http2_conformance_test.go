//go:build conformance

package fetch

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/lib/httpwire"
)

// nginx speaks HTTP/2 in its own way: padding, window sizes and tables are not Go's.
func TestHTTP2FromNginx(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		nginx = "/usr/sbin/nginx"
	}
	if _, err := os.Stat(nginx); err != nil {
		t.Fatal("nginx is missing: apt-get install nginx-light")
	}
	dir := t.TempDir()
	ca := newAuthority(t)
	writeKeyPair(t, dir, ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1"))
	large := bytes.Repeat([]byte("kavosh means exploration\n"), 400_000)
	for name, data := range map[string][]byte{"index.html": []byte("<p>hi"), "large.txt": large, "empty.txt": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	conf := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http { access_log off; gzip on; gzip_types text/plain; gzip_min_length 0; keepalive_requests 7;
client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
server { listen %[2]s ssl http2; ssl_certificate %[1]s/cert.pem; ssl_certificate_key %[1]s/key.pem; root %[1]s; } }
`, dir, address)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	h := newHTTP(t, Options{Roots: ca.pool, ConnectTimeout: 10 * time.Second})
	for until := time.Now().Add(10 * time.Second); ; { // it listens in a moment
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		} else if time.Now().After(until) {
			t.Fatal(err)
		}
	}
	for range 10 { // more than nginx answers over one connection
		for path, size := range map[string]int64{"/": 5, "/empty.txt": 0, "/large.txt": -1, "/missing": -1} {
			x := get(t, h, "https://"+address+path)
			if x.Failure != "" || x.Proto != "h2" || x.Malformed != "" || x.Status == 0 || size >= 0 && x.Header.Get("Content-Encoding") == "" && x.Payload.Size() != size {
				t.Fatalf("%s: %+v", path, x)
			}
			readsBack(t, x)
			var d httpwire.Decoder
			if path == "/large.txt" {
				got, err := d.All(strings.NewReader(text(t, x.Payload)), x.Header.Values("Content-Encoding"), 0, 0)
				if err != nil || !bytes.Equal(got, large) {
					t.Fatalf("%s: %d bytes, %v", path, len(got), err)
				}
			}
		}
	}
}

// writeKeyPair writes cert.pem and key.pem.
func writeKeyPair(t testing.TB, dir string, cert tls.Certificate) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
