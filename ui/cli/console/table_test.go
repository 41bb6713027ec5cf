package console

import (
	"bytes"
	"testing"
)

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, [][]string{{"A", "LONGER", "C"}, {"first", "2", ""}, {"", "x", "y"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "A      LONGER  C\nfirst  2\n       x       y\n"; got != want {
		t.Errorf("table:\n%s\nwant:\n%s", got, want)
	}
}
