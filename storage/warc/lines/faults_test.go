package lines

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/durable/durabletest"
)

// TestSorter_WhateverFails sorts with a fault at every operation in turn.
func TestSorter_WhateverFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	var text, sorted bytes.Buffer
	for n := range 40 {
		fmt.Fprintf(&text, "%02d %0100d\n", n*17%40, n)
	}
	if err := sortLines(NewSorterOn(durable.Disk{}, Memory), text.Bytes(), &sorted); err != nil {
		t.Fatal(err)
	}
	durabletest.EveryFault(t, []int{1, 3, durabletest.Lasts}, func(t *testing.T, fault string, prepare func(string) *durabletest.Disk) *durabletest.Disk {
		d := prepare(dir)
		var out bytes.Buffer
		err := sortLines(NewSorterOn(d, 500), text.Bytes(), &out)
		if err == nil && !bytes.Equal(out.Bytes(), sorted.Bytes()) {
			t.Errorf("%s: the lines are not sorted", fault)
		}
		return d
	})
}

func sortLines(s *Sorter, text []byte, w io.Writer) error {
	defer s.Close()
	for l := range bytes.Lines(text) {
		if err := s.Add(l); err != nil {
			return err
		}
	}
	return s.Write(w)
}
