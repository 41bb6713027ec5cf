package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// archivePath is what the paths of views begin with. Behind it come the name of
// a view, the ID of a page and a slash, and then "p/" with the ID of a part, or
// "to" with a URL as its query.
const archivePath = "/archive/"

// hasView reports whether a call names a view. The name is the secret: a frame
// without rights of its own sends no cookie, and says that it is of another
// site, whatever it asks for.
func (l *library) hasView(r *http.Request) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, archivePath), "/")
	_, ok := l.views.lang(name)
	return ok
}

// archived serves what a view shows.
func (l *library) archived(w http.ResponseWriter, r *http.Request) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, archivePath), "/")
	lang, ok := l.views.lang(name)
	if !ok {
		return refuse(http.StatusNotFound, "said.api.this-view-is-over-begin-another", nil)
	}
	id, rest, _ := strings.Cut(rest, "/")
	if len(id) > maxArchiveID {
		return api.ErrNoCapture
	}
	if rest == "to" {
		return l.follow(w, r, name, id, lang)
	}
	if err := query(r).err; err != nil {
		return err
	}
	if part, ok := strings.CutPrefix(rest, "p/"); ok {
		return l.part(w, r, part, l.views.parts(name, id))
	} else if rest != "" {
		return refuse(http.StatusNotFound, "said.api.there-is-no-such-path", nil)
	}
	page, err := ask(r, func(ctx context.Context) (api.ViewedPage, error) { return l.node.ViewCapture(ctx, id, lang) })
	if err != nil {
		return err
	}
	l.show(w, r, name, page)
	return nil
}

// follow leads a frame on to what a link leads to.
func (l *library) follow(w http.ResponseWriter, r *http.Request, name, id, lang string) error {
	link, err := url.PathUnescape(r.URL.RawQuery) // the whole query is the address
	if err != nil || r.ContentLength != 0 || link == "" || len(link) > maxLookup {
		return refuse(http.StatusBadRequest, "said.api.url-must-be-an-address-of", words.Args{"most": maxLookup})
	}
	type answer struct {
		id   string
		none api.ViewedPage
	}
	to, err := ask(r, func(ctx context.Context) (a answer, err error) {
		a.id, a.none, err = l.node.FollowLink(ctx, id, link, lang)
		return a, err
	})
	if err != nil {
		return err
	}
	if to.id == "" {
		l.show(w, r, name, to.none)
		return nil
	}
	inFrame(w.Header(), r, name)
	w.Header().Set("Location", archivePath+name+"/"+to.id+"/")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

func (l *library) show(w http.ResponseWriter, r *http.Request, name string, page api.ViewedPage) {
	l.views.show(name, page)
	inFrame(w.Header(), r, name)
	writeBody(w, http.StatusOK, "text/html; charset=utf-8", page.HTML)
}

// inFrame sets what a page of strangers may do in a frame of the dashboard: use
// parts from the archive, and nothing else.
func inFrame(h http.Header, r *http.Request, name string) {
	from := scheme(r) + "://" + r.Host + archivePath + name + "/"
	if strings.HasPrefix(r.Host, "[") {
		from = "'self'" // policies have no form for addresses of IPv6
	}
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src "+from+" 'unsafe-inline'; img-src "+from+" data:; font-src "+from+" data:; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox")
}

// part serves a picture, font or style sheet. It has no rights, even if somebody opens it by itself.
func (l *library) part(w http.ResponseWriter, r *http.Request, id string, parts map[string]string) error {
	if id == "" || len(id) > maxArchiveID {
		return api.ErrNoCapture
	}
	p, err := ask(r, func(ctx context.Context) (api.ViewedPart, error) { return l.node.ViewPart(ctx, id, parts) })
	if err != nil {
		return err
	}
	if !isPartKind(p.Kind) {
		return api.ErrNoCapture
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "inline")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // the frame is of no site
	if r.Header.Get("Origin") == "null" {
		h.Set("Access-Control-Allow-Origin", "null") // fonts are asked for like this
	}
	writeBody(w, http.StatusOK, p.Kind, p.Body)
	return nil
}

// partKinds are the content types of parts beside those of pictures.
var partKinds = map[string]bool{
	"text/css; charset=utf-8": true, "font/woff": true, "font/woff2": true, "font/ttf": true, "font/otf": true,
}

func isPartKind(kind string) bool {
	name, picture := strings.CutPrefix(kind, "image/")
	return partKinds[kind] || picture && name != "" &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.+-") == ""
}

// beginView lets the caller's frames into the archive.
func (l *library) beginView(w http.ResponseWriter, r *http.Request) error {
	if err := readBody(w, r, &struct{}{}); err != nil {
		return err
	}
	name := l.views.begin(api.Lang(r.Context()))
	return writeJSON(w, api.ViewTicket{View: name, URL: archivePath + name + "/"})
}

// whatIsShown says what a frame of the caller shows, whose links lead it on by itself.
func (l *library) whatIsShown(w http.ResponseWriter, r *http.Request) error {
	p := query(r, "view")
	view := p.text("view", 1, viewLength, "said.api.view-must-be-the-name-of")
	if p.err != nil {
		return p.err
	}
	shown, ok := l.views.shown(view)
	if !ok {
		return refuse(http.StatusNotFound, "said.api.this-view-is-over-begin-another", nil)
	}
	return writeJSON(w, shown)
}
