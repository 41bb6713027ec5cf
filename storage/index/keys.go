package index

import (
	"encoding/binary"
	"strings"
)

// Links to other sites stand under their targets: under "domain 0 URL" the pages that link to an address, and
// under "1 hash of a domain" the domains that link to that at all.

func targetKey(domain, url string) string { return domain + "\x00" + url }

func linkingKey(domain uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte{1}, domain))
}

// splitTarget takes a key apart; linking says that it is that of a domain.
func splitTarget(key []byte) (domain, url string, linking, ok bool) {
	if len(key) > 0 && key[0] == 1 {
		return "", "", true, true
	}
	domain, url, ok = strings.Cut(string(key), "\x00")
	return domain, url, false, ok
}
