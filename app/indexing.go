package app

import (
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/crawl/words"
)

// counter returns what counts the words of the next page for the search index, nil if they are not wanted.
func (n *Node) counter() *words.Counter {
	if n.finder == nil {
		return nil
	}
	return n.finder.Counter()
}

// indexSettings returns what the user wants of the search index.
func (n *Node) indexSettings() find.Settings { return find.DefaultSettings() }

// indexAllowed reports whether the user's limits allow that the search index is worked on beside what is fetched.
func (n *Node) indexAllowed() bool { return n.governor != nil && n.governor.works() }
