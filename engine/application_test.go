package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/fetch/browser"
)

// application is a browser that fills one frame with another text and another link for each page.
type application struct{ *fakeBrowser }

func (b application) Load(ctx context.Context, url string, reloads int, ask browser.Asker) (*browser.Loaded, error) {
	loaded, err := b.fakeBrowser.Load(ctx, url, reloads, ask)
	if err == nil {
		k := 0
		fmt.Sscanf(url, "http://a.test/page/%d", &k)
		loaded.HTML = fmt.Sprintf("<p>We speak here of w%cx%c and others<a href=/page/%d>more</a>", 'a'+k%26, 'a'+k/26, k+1)
	}
	return loaded, err
}

// A site whose server gives the same frame for each page, which scripts fill, is crawled on with a browser.
func TestApplicationIsNoTrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/robots.txt status=404 --
-- a.test/** Content-Type=text/html --
<!doctype html><title>App</title><noscript>This site needs scripts to be switched on</noscript><div id=root></div>
`)
		o := options(s, fs, "http://a.test/page/0")
		o.Limits.Pages = 60
		o.Browser = application{newFakeBrowser(func(string) script { return nil })}
		if r := crawlNow(t, o); r.Recorded < 60 {
			t.Errorf("%d pages, the end %q", r.Recorded, r.End)
		}
	})
}
