package wacz

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// Page is what a visitor of the package can begin with.
type Page struct {
	// URL and Date are those of an Entry.
	URL  string
	Date time.Time
	// Title is what the page calls itself, "" if it does not say.
	Title string
}

// pagesHeader is the first line of a list of pages.
const pagesHeader = `{"format":"json-pages-1.0","id":"pages","title":"All pages"}` + "\n"

// timeLayout is RFC 3339 in milliseconds, as in the index.
const timeLayout = "2006-01-02T15:04:05.000Z"

func appendPage(b []byte, p Page) ([]byte, error) {
	return appendJSON(b, struct {
		ID    string `json:"id"`
		URL   string `json:"url"`
		TS    string `json:"ts"`
		Title string `json:"title,omitempty"`
	}{p.id(), p.URL, p.Date.UTC().Format(timeLayout), p.Title})
}

// id is the same in every package that holds the page.
func (p Page) id() string {
	sum := sha256.Sum256(strconv.AppendInt(append([]byte(p.URL), 0), p.Date.UnixMicro(), 10))
	return hex.EncodeToString(sum[:10])
}
