package desktop

import (
	"net/url"

	"github.com/forage-net/forage/ui/desktop/shown"
)

// pathOf is the path of an address, for where the site is named beside it.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return shown.Text(address)
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		query, err := url.QueryUnescape(u.RawQuery)
		if err != nil {
			query = u.RawQuery
		}
		path += "?" + query
	}
	return shown.Text(path)
}
