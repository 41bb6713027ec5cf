package robots

import (
	"strconv"
	"strings"
	"time"
)

// maxCacheControl is how much of a Cache-Control header is read, in bytes.
const maxCacheControl = 1 << 10

// lifetimeOf returns how long a server wants its answer to be good for by its
// Cache-Control header (RFC 9111 §5.2.2): never more than a day, since RFC
// 9309 §2.4 lets nobody rely on rules for longer, nor less than minLifetime; 0
// if the header does not say. Of several answers the shortest counts.
func lifetimeOf(cacheControl string) time.Duration {
	var shortest time.Duration
	for directive := range strings.SplitSeq(cacheControl[:min(len(cacheControl), maxCacheControl)], ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		asked := minLifetime
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `" `), 10, 31)
			if err != nil {
				continue
			}
			asked = min(max(time.Duration(seconds)*time.Second, minLifetime), lifetime)
		default:
			continue
		}
		if shortest == 0 || asked < shortest {
			shortest = asked
		}
	}
	return shortest
}
