// Package chromium finds and starts the system's Chromium, so that it requests nothing by itself and leaves nothing
// behind.
//
// It captures pages, and tests look at pages with it. A browser has its own profile in a temporary folder (profile.go), and
// for root it runs as another user (process_linux.go), since it has no sandbox for root. It ends with all its processes when
// its context or the program ends. It can reach only this machine. A tab may have a
// proxy; then all requests of its page go there, and none of Chromium's own. No page can download anything to this
// machine.
package chromium

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os/exec"
	"slices"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// ErrAbsent means that no Chromium is installed, and says how to install it.
var ErrAbsent = errors.New("no Chromium is installed: apt-get install chromium")

// ErrUnsandboxed means that Chromium cannot shut the scripts of pages in here. Then none is started.
var ErrUnsandboxed = errors.New("no sandbox for Chromium, to shut the scripts of pages in: allow user namespaces " +
	"(sysctl user.max_user_namespaces, or the seccomp profile of the container), or install chromium-sandbox; as root it also needs " +
	"the right to change users")

// startWithin bounds the time for starting the browser.
const startWithin = time.Minute

// Options say how to start a browser. The zero value is fine.
type Options struct {
	// Trusted is the SHA-256 of a certificate authority's public key (its SPKI), in base64. Certificates signed by it are
	// accepted. "" trusts only the system's authorities.
	Trusted   string
	UserAgent string      // "" means Chromium's own
	Window    image.Point // inner size in CSS pixels; the zero Point means 1280×1024
	Language  string      // that pages see and are asked for in, such as "fa-IR"; "" means en-US
	Zone      string      // the time zone that pages see, such as "Asia/Tehran"; "" means this machine's
	Windows   bool        // pages may open windows; else none opens
}

// nowhere is a proxy address where nobody listens.
const nowhere = "127.0.0.1:9"

// absent are features that would send requests of their own, or bypass the proxy; and the first two, for which each tab
// would load pages of Chromium's own that cost more than those of most sites.
const absent = "WebUIOmniboxPopup,WebUIOmniboxAimPopup," +
	"AutofillServerCommunication,BackForwardCache,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,DnsOverHttps," +
	"HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,InterestFeedContentSuggestions,LocalNetworkAccessChecks,MediaRouter,NetworkTimeServiceQuerying," +
	"OptimizationHints,Prerender2,SpareRendererForSitePerProcess,Translate,UseDnsHttpsSvcb"

func flags(o Options, p *profile) []chromedp.ExecAllocatorOption {
	language := cmp.Or(o.Language, "en-US")
	set := map[string]any{
		"disable-component-update": true, "disable-popup-blocking": o.Windows, "block-new-web-contents": !o.Windows, "disable-domain-reliability": true, "disable-features": absent, "disable-gpu": true,
		"disable-quic": true, "disable-search-engine-choice-screen": true, "hide-scrollbars": true, "lang": language, "accept-lang": language, "mute-audio": true,
		"no-pings": true, "webrtc-ip-handling-policy": "disable_non_proxied_udp", "force-webrtc-ip-handling-policy": "disable_non_proxied_udp",
		"autoplay-policy": "no-user-gesture-required", "proxy-server": "http://" + nowhere,
		"no-sandbox":          false, // else chromedp sets it for root
		"host-resolver-rules": "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
	}
	if o.Trusted != "" {
		set["ignore-certificate-errors-spki-list"] = o.Trusted
	}
	opts := slices.Clone(chromedp.DefaultExecAllocatorOptions[:])
	for name, value := range set {
		opts = append(opts, chromedp.Flag(name, value))
	}
	if o.UserAgent != "" {
		opts = append(opts, chromedp.UserAgent(o.UserAgent))
	}
	return append(opts, chromedp.WindowSize(o.Window.X, o.Window.Y), chromedp.UserDataDir(p.data()), chromedp.NoInheritEnv,
		chromedp.ModifyCmdFunc(p.run))
}

// Browser is a running headless Chromium.
type Browser struct {
	window  image.Point
	ctx     context.Context
	cancel  context.CancelFunc
	removed chan struct{} // closed when it has ended and left nothing behind
}

// Start starts a browser. It ends when ctx ends, or by Close. It returns ErrAbsent if no Chromium is installed, and
// ErrUnsandboxed if it finds no sandbox.
func Start(ctx context.Context, o Options) (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	if o.Window == (image.Point{}) {
		o.Window = image.Pt(1280, 1024)
	}
	p, err := newProfile(o.Zone)
	if err != nil {
		return nil, err
	}
	alloc, endAlloc := chromedp.NewExecAllocator(ctx, append(flags(o, p), chromedp.ExecPath(path))...)
	bctx, end := chromedp.NewContext(alloc)
	b := &Browser{window: o.Window, ctx: bctx, cancel: end, removed: make(chan struct{})}
	go func() {
		defer close(b.removed)
		<-bctx.Done()
		endAlloc() // waits for it
		p.remove()
	}()
	started := make(chan error, 1)
	go func() {
		err := chromedp.Do(bctx)
		if err == nil {
			err = refuseDownloads(bctx)
		}
		started <- err
	}()
	select {
	case err = <-started:
	case <-time.After(startWithin):
		err = fmt.Errorf("it did not answer within %v", startWithin)
	}
	if err != nil {
		b.Close()
		return nil, p.why(fmt.Errorf("start %s: %w", path, err))
	}
	return b, nil
}

// refuseDownloads prevents pages of the tab's browser context from writing files.
func refuseDownloads(tab context.Context) error {
	_, err := chromedp.CallBrowser(tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: chromedp.FromContext(tab).BrowserContextID,
	})
	return err
}

// Check returns nil if browsers can be started here, otherwise why not. It starts one and ends it.
func Check() error {
	b, err := Start(context.Background(), Options{})
	if err == nil {
		b.Close()
	}
	return err
}

// Find returns the path of the Chromium to start, or ErrAbsent.
func Find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrAbsent
}

// Close ends the browser with all its processes, waits for them and removes its profile.
func (b *Browser) Close() {
	b.cancel()
	<-b.removed
}

// Kill ends the browser's own process, as a crash of it would. Close is still to be called.
func (b *Browser) Kill() error { return chromedp.FromContext(b.ctx).Browser.Process().Kill() }

// Gone is closed when the browser has ended, by Close or by itself.
func (b *Browser) Gone() <-chan struct{} { return b.ctx.Done() }

// Tab opens a tab and returns the context for chromedp's actions in it; cancel closes the tab. proxy is the host:port
// of an HTTP proxy on this machine, or "". With a proxy, every request of the tab's page goes there, even requests to
// this machine, and the tab shares no cookies, storage or cache with others.
func (b *Browser) Tab(proxy string) (ctx context.Context, cancel context.CancelFunc, err error) {
	if proxy == "" {
		return b.tab()
	}
	return b.tab(chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		p.ProxyServer, p.ProxyBypassList = "http://"+proxy, "<-loopback>"
	}))
}

// Private opens a tab as Tab does without a proxy, which shares no cookies, storage or cache with others.
func (b *Browser) Private() (ctx context.Context, cancel context.CancelFunc, err error) {
	return b.tab(chromedp.WithNewBrowserContext(func(*target.CreateBrowserContextParams) {}))
}

func (b *Browser) tab(opts ...chromedp.ContextOption) (ctx context.Context, cancel context.CancelFunc, err error) {
	ctx, cancel = chromedp.NewContext(b.ctx, opts...)
	err = chromedp.Do(ctx)
	if err == nil {
		err = refuseDownloads(ctx)
	}
	if err == nil { // the size of the window that Chromium starts with is the outer one
		err = chromedp.Do(ctx, chromedp.EmulateViewport(int64(b.window.X), int64(b.window.Y)))
	}
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("open a tab: %w", err)
	}
	return ctx, cancel, nil
}
