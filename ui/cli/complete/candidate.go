package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/ui/cli/console"
)

// completion is what may stand where the cursor is.
type completion struct {
	list []candidate
	then cobra.ShellCompDirective
}

// candidate is a word that may stand where the cursor is, and what it means.
type candidate struct{ value, text string }

// written returns a completion as scripts read it.
func (a completion) written() (list []string, then cobra.ShellCompDirective) {
	for _, c := range a.list {
		list = append(list, cobra.CompletionWithDesc(console.Printable(c.value), console.Printable(c.text)))
	}
	return list, a.then
}

// matching returns the candidates that begin with what is there.
func matching(current string, list []candidate) completion {
	list = slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.value, current) })
	return completion{list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder}
}
