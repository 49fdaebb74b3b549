package extract

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zlib"
)

func TestPDFObjectStreams(t *testing.T) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	fmt.Fprint(z, "7 0 8 40 << /A << /S /URI /URI (http://packed.ir/x) >> >> << /URI (https://packed.ir/y) >>")
	z.Close()
	body := fmt.Sprintf("%%PDF-1.5\n9 0 obj << /Type /ObjStm /N 2 /Filter /FlateDecode /Length %d >>\nstream\r\n%s\nendstream endobj", packed.Len(), packed.Bytes())
	p := Extract(Document{URL: "http://site.test/", Payload: []byte(body)}, Options{})
	if len(p.Links) != 2 || p.Links[0].URL != "http://packed.ir/x" || p.Links[1].URL != "https://packed.ir/y" {
		t.Errorf("links %+v", p.Links)
	}
	p = Extract(Document{URL: "http://site.test/", Payload: []byte("%PDF-1.5 /Encrypt 5 0 R /URI (http://a.ir/)")}, Options{})
	if len(p.Links) != 0 || len(p.Notes) != 1 {
		t.Errorf("an encrypted PDF: %+v", p)
	}
}
