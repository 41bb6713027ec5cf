package frontier

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
)

// findLimit bounds how many tasks of a host Find looks at. What was leased before is among the first.
const findLimit = 4096

// Find returns those of URLs that are queued, by their text. All are of the host of the first; others are not looked for. Of a host with more
// than 4,096 tasks only the first are looked at.
func (f *Frontier) Find(urls []crawl.URL) (map[string]crawl.Task, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	wanted := make(map[string]bool, len(urls))
	for _, u := range urls {
		wanted[u.String()] = true
	}
	found := make(map[string]crawl.Task, len(wanted))
	prefix := append(hostKey(urls[0].Domain(), urls[0].Origin()), 0)
	err := f.view(func(b *buckets) error {
		c := b.queue.Cursor()
		key, value := c.Seek(prefix)
		for range findLimit {
			if len(found) == len(wanted) || !bytes.HasPrefix(key, prefix) {
				break
			}
			if len(value) > 2 && wanted[string(value[2:])] {
				if t, err := readTask(key, value); err == nil {
					found[t.URL.String()] = t
				}
			}
			key, value = c.Next()
		}
		return nil
	})
	return found, err
}
