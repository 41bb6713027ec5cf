package wacz

import (
	"crypto/sha256"
	"encoding/json"
	"time"
)

// version is that of the format.
const version = "1.1.1"

// resource is what the manifest says of a file of the package.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// Description is what a package says of itself.
type Description struct {
	Title string
	// Software is what has made the package.
	Software string
	// MainPage is where a visit begins; nil if no page stands out.
	MainPage *Page
}

// manifest returns datapackage.json. The specification writes mainPageUrl, the
// first programs for the format mainPageURL.
func manifest(d Description, created time.Time, resources []resource) ([]byte, error) {
	m := struct {
		Profile      string     `json:"profile"`
		Version      string     `json:"wacz_version"`
		Title        string     `json:"title,omitempty"`
		Created      string     `json:"created"`
		Software     string     `json:"software,omitempty"`
		MainPage     string     `json:"mainPageUrl,omitempty"`
		MainPageToo  string     `json:"mainPageURL,omitempty"`
		MainPageDate string     `json:"mainPageDate,omitempty"`
		Resources    []resource `json:"resources"`
	}{
		Profile: "data-package", Version: version, Title: d.Title,
		Created: created.UTC().Format(time.RFC3339), Software: d.Software, Resources: resources,
	}
	if p := d.MainPage; p != nil {
		m.MainPage, m.MainPageToo, m.MainPageDate = p.URL, p.URL, p.Date.UTC().Format(timeLayout)
	}
	return json.MarshalIndent(m, "", "  ")
}

// manifestDigest returns datapackage-digest.json.
func manifestDigest(manifest []byte) ([]byte, error) {
	return json.MarshalIndent(struct {
		Path string `json:"path"`
		Hash string `json:"hash"`
	}{manifestName, digest(sha256.Sum256(manifest))}, "", "  ")
}
