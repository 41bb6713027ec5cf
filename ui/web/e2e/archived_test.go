package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
)

var (
	green = color.RGBA{0, 128, 0, 255}
	blue  = color.RGBA{0, 0, 200, 255}
	gold  = color.RGBA{200, 160, 0, 255}
)

// outside is a server that no archived page may ever reach. It remembers who was there.
type outside struct {
	*httptest.Server
	mu    sync.Mutex
	paths []string
}

func newOutside(t *testing.T) *outside {
	o := &outside{}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.paths = append(o.paths, r.URL.String())
		o.mu.Unlock()
		http.Error(w, "nothing is here", http.StatusNotFound)
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *outside) visits() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.paths)
}

// square is a picture of one colour.
func square(c color.Color) string {
	img := image.NewRGBA(image.Rect(0, 0, 60, 60))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	png.Encode(&b, img) // into memory
	return b.String()
}

// keep writes answers into the archive of a node that does not run yet.
func (l *lab) keep(answers [][3]string) {
	l.t.Helper()
	dir := filepath.Join(l.home, "data", "warc")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		l.t.Fatal(err)
	}
	a, err := warc.Open(warc.Config{Dir: dir, NoSync: true})
	if err != nil {
		l.t.Fatal(err)
	}
	for i, one := range answers {
		head := "HTTP/1.1 200 OK\r\nContent-Type: " + one[1] + "\r\n\r\n"
		title, _, _ := strings.Cut(one[2], "</title>")
		_, title, _ = strings.Cut(title, "<title>")
		_, err := a.Append(capture.Capture{
			URL: one[0], Date: time.Now().Add(time.Duration(i-100) * time.Second), Response: []byte(head + one[2]), HeadLen: len(head), Status: 200,
			MIME: one[1], PayloadDigest: [20]byte{byte(i + 1)}, Metadata: [][2]string{{"title", title}},
		})
		if err != nil {
			l.t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		l.t.Fatal(err)
	}
}

// hostilePage does what it can to run, and to reach OUT.
const hostilePage = `<!doctype html><html><head><title>Kept page</title>
<meta http-equiv="refresh" content="0;url=OUT/refresh"><base target="_top">
<link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="OUT/sheet.css"><link rel="preload" as="image" href="OUT/preload"><link rel="icon" href="OUT/icon">
<style>@import "OUT/import.css"; .far { background: u\72l(OUT/background.png) }</style>
<script>document.documentElement.className = "ran"; new Image().src = "OUT/script"; fetch("OUT/fetch")</script>
<script src="OUT/script.js"></script></head>
<body onload="document.documentElement.className = 'ran'">
<img src="/blue.png" width="60" height="60" alt="" onload="document.documentElement.className = 'ran'"><img src="OUT/pixel.png" srcset="OUT/pixel2.png 2x" alt="">
<p class="far" style="border-image: url(OUT/border.png)">far</p><iframe src="OUT/frame"></iframe><object data="OUT/object"></object><embed src="OUT/embed">
<video src="OUT/video" poster="OUT/poster" autoplay></video><svg><image href="OUT/svg.png" /><style>@import "OUT/svg.css"</style></svg>
<form action="OUT/form"><input type="image" src="OUT/input.png"></form>
<a class="next" href="/next" ping="OUT/ping">next</a><a class="out" href="OUT/link">out</a>
</body></html>`

const keptSheet = `html { background: rgb(0, 128, 0) } html.ran { background: rgb(255, 0, 0) } body { margin: 0; background: url(gold.png) no-repeat 300px 0 }
.next, .out { position: absolute; top: 120px; left: 0; width: 150px; height: 80px } .out { left: 200px }`

// An archived page has its style sheet and its pictures. Nothing of it runs, nothing of it leaves the node, and its links
// lead to what is archived, or say that it is not.
func TestArchivedPageLooksAsItDid(t *testing.T) {
	l := newLab(t)
	far := newOutside(t)
	page := "http://kept.test/dir/page"
	l.keep([][3]string{
		{"http://kept.test/style.css", "text/css", strings.ReplaceAll(keptSheet, "OUT", far.URL)},
		{"http://kept.test/blue.png", "image/png", square(blue)},
		{"http://kept.test/gold.png", "image/png", square(gold)},
		{"http://kept.test/next", "text/html", `<title>Next page</title><body style="background: rgb(0, 0, 200)">`},
		{page, "text/html", strings.ReplaceAll(hostilePage, "OUT", far.URL)},
	})
	l.crawl()
	p := l.dashboard("en")
	proto.EmulationSetDeviceMetricsOverride{Width: 1280, Height: 900, DeviceScaleFactor: 1}.Call(p)
	p.visit("mine?url=" + url.QueryEscape(page))
	p.see(".reader-head h1", "Kept page")
	p.see(".missing summary", "style sheets")
	for _, spot := range []struct {
		what string
		x, y int
		want color.RGBA
	}{
		{"the ground, from the style sheet", 600, 300, green},
		{"a picture of the page", 30, 30, blue},
		{"a picture of the style sheet", 330, 30, gold},
	} {
		p.colour(spot.what, spot.x, spot.y, spot.want)
	}
	p.accessible("archived page")
	p.picture("page")
	p.clickInFrame(50, 150)
	p.see(".reader-head h1", "Next page")
	p.colour("the ground of the next page", 600, 300, blue)
	p.MustElement("nav a").MustEval("() => history.back()")
	p.see(".reader-head h1", "Kept page")
	p.colour("the ground, once more", 600, 300, green)
	p.clickInFrame(250, 150)
	p.see(".reader-head h1", far.URL+"/link")
	p.see(".reader-head .note", "Not archived")
	if got := *p.see(".reader-bar a.button", "").MustAttribute("href"); got != far.URL+"/link" {
		t.Errorf("the live page is %s", got)
	}
	p.picture("elsewhere")
	p.click(".reader-bar button", "Back to the archived page")
	p.see(".reader-head h1", "Kept page")
	p.click(".reader-tabs button", "Text")
	p.see(".reader", "far")
	p.sound()
	if paths := far.visits(); len(paths) > 0 {
		t.Errorf("requests left the node: %q", paths)
	}
}

// colour waits until a spot of the frame has a colour.
func (p *page) colour(what string, x, y int, want color.RGBA) {
	p.t.Helper()
	var got string
	p.lab.await(fmt.Sprintf("%s is %v", what, want), func() bool {
		shot, err := p.see("iframe.archived", "").Screenshot(proto.PageCaptureScreenshotFormatPng, 0)
		if err != nil {
			return false
		}
		img, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			return false
		}
		r, g, b, _ := img.At(x, y).RGBA()
		got = fmt.Sprint(r>>8, g>>8, b>>8)
		return got == fmt.Sprint(want.R, want.G, want.B)
	})
}

// clickInFrame clicks on a spot of the frame, as a person would.
func (p *page) clickInFrame(x, y float64) {
	p.t.Helper()
	frame := p.see("iframe.archived", "")
	frame.MustScrollIntoView()
	box := frame.MustShape().Box()
	p.Mouse.MustMoveTo(box.X+x, box.Y+y).MustClick(proto.InputMouseButtonLeft)
}
