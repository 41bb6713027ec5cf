package api

import (
	"context"
	"net/http"
	"time"
)

// Viewer is the part of a Node that shows archived pages as they looked.
type Viewer interface {
	// ViewCapture returns a capture as a page for a frame; what is not a page
	// becomes one that says so in a language, "en" or "de". The error is
	// ErrNoCapture if there is no capture with that ID.
	ViewCapture(ctx context.Context, id, lang string) (ViewedPage, error)
	// ViewPart returns a picture, font or style sheet; parts is that of the
	// page that needs it. The error is ErrNoCapture for anything else.
	ViewPart(ctx context.Context, id string, parts map[string]string) (ViewedPart, error)
	// FollowLink returns the ID of the capture of a URL that is nearest in time
	// to the capture from, or, if there is none, a page that says so.
	FollowLink(ctx context.Context, from, url, lang string) (id string, none ViewedPage, err error)
}

// ViewedPage is a page as it is written into a frame.
type ViewedPage struct {
	ArchiveView
	// HTML is in UTF-8. It has no scripts, and its addresses are relative to
	// that of the page in a view: "p/ID" is a part and "to?URL" a link, whose URL is escaped once more.
	HTML []byte
	// Parts has the IDs of the parts of the page. Its keys mean something to the Viewer alone.
	Parts map[string]string
}

// ViewedPart is a part of a page.
type ViewedPart struct {
	// Kind is its content type: image/*, a font, or text/css.
	Kind string
	// Body has no addresses but those of other parts ("ID").
	Body []byte
}

// ArchiveView is what a frame shows of the archive.
type ArchiveView struct {
	// ID is that of the capture; "" if the address is not archived.
	ID     string    `json:"id"`
	URL    string    `json:"url"`
	Time   time.Time `json:"time"`
	Title  string    `json:"title"`
	Status int       `json:"status"`
	// Missing are the parts that the archive does not have, at most 500.
	Missing []MissingPart `json:"missing"`
	// More counts needs of parts that were not looked for, since there were too many.
	More int `json:"more"`
	// Hurried says that time ran out before all of the archive was searched for the missing parts.
	Hurried bool `json:"hurried"`
	// Cut says that there is more of the page than this.
	Cut bool `json:"cut"`
}

// MissingPart is something that a page needs and the archive does not have.
type MissingPart struct {
	URL string `json:"url"`
	// Kind is "style", "image", "font" or "other".
	Kind string `json:"kind"`
}

// ViewTicket is the answer of POST /api/archive/view.
type ViewTicket struct {
	// View names the view. Its bearer may read pages of the archive and their
	// parts, until an hour has passed in which nobody did.
	View string `json:"view"`
	// URL is what the addresses of its pages begin with: a path on this server,
	// to which the ID of a capture and a slash are added.
	URL string `json:"url"`
}

// beginView lets the caller's frames into the archive.
func (s *Server) beginView(w http.ResponseWriter, r *http.Request) error {
	if err := readBody(w, r, &struct{}{}); err != nil {
		return err
	}
	name := s.views.begin(Lang(r.Context()))
	return writeJSON(w, ViewTicket{View: name, URL: archivePath + name + "/"})
}

// whatIsShown says what a frame of the caller shows, whose links lead it on by itself.
func (s *Server) whatIsShown(w http.ResponseWriter, r *http.Request) error {
	params, err := query(r, "view")
	if err != nil {
		return err
	}
	if n := len(params["view"]); n == 0 || n > viewLength {
		return refuse(http.StatusBadRequest, "view must be the name of a view")
	}
	shown, ok := s.views.shown(params["view"])
	if !ok {
		return refuse(http.StatusNotFound, "this view is over: begin another")
	}
	return writeJSON(w, shown)
}
