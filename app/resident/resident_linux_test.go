package resident

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const someMaps = `00400000-01800000 r-xp 00000000 fe:00 12 /opt/forage
Size:              20480 kB
Rss:               12000 kB
Private_Clean:     12000 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
01800000-02c00000 r--p 01400000 fe:00 12 /opt/forage
Rss:               15000 kB
Anonymous:             4 kB
Swap:                  0 kB
02c00000-02d00000 r--p 02800000 fe:00 12 /opt/forage
Rss:                1000 kB
Anonymous:             0 kB
Swap:                  8 kB
02d00000-02e00000 rw-p 02900000 fe:00 12 /opt/forage
Rss:                 900 kB
Anonymous:             0 kB
Swap:                  0 kB
02e00000-02f00000 r--s 02a00000 fe:00 12 /opt/forage
Rss:                 900 kB
Anonymous:             0 kB
Swap:                  0 kB
02f00000-03000000 r--p 00000000 fe:00 13 /opt/other
Rss:                 900 kB
Anonymous:             0 kB
Swap:                  0 kB
03000000-03100000 r--p 02b00000 fe:00 12 /opt/forage
Rss:                 100 kB
c000000000-c000400000 rw-p 00000000 00:00 0
Rss:                4096 kB
Anonymous:          4096 kB
03100000-03200000 r--p 02c00000 fe:00 12 /opt/forage
Anonymous:             0 kB
Swap:                  0 kB
Rss:                  16 kB
`

// What was ever written to, can be, is shared, or is of another file, stays; what is not said to be clean, too.
func TestParse(t *testing.T) {
	got, err := parse(strings.NewReader(someMaps), "/opt/forage")
	want := []mapping{{0x400000, 0x1800000, 12000 << 10, true}, {0x3100000, 0x3200000, 16 << 10, true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("parse = %+v, %v, want %+v", got, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(someMaps)
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := parse(strings.NewReader(text), "/opt/forage")
		for _, m := range list {
			if m.begin >= m.end || !m.clean {
				t.Errorf("%+v of %q", m, text)
			}
		}
	})
}

func TestDrop_WhatWasRunIsUnmappedAndRunsOn(t *testing.T) {
	before := fileBytes(t)
	n, err := Drop()
	if err != nil {
		t.Fatal(err)
	}
	after := fileBytes(t)
	if n <= 0 || n > before {
		t.Errorf("unmapped %d bytes, of %d that were mapped", n, before)
	}
	if after >= before {
		t.Errorf("%d bytes of files are mapped, %d were before", after, before)
	}
}

// fileBytes returns how many bytes of files are in this process's memory.
func fileBytes(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, is := strings.CutPrefix(line, "RssFile:"); is {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Skip("this system does not say how much of files is mapped")
	return 0
}
