package content

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	kflate "github.com/klauspost/compress/flate"
)

// deflated returns texts in the forms that compressors give them.
func deflated(t testing.TB) (list [][]byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	var page strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&page, "<li><a href=\"../lib/%d.html#t%x\">term %d</a>\n", i%700, rng.Uint32(), rng.IntN(50))
	}
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for _, text := range []string{"", "a", page.String(), strings.Repeat(" ", 70_000), string(noise),
		page.String()[:40_000] + string(noise[:5000]) + strings.Repeat("abcdefg", 5000) + page.String()} {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 6, 9} {
			var b bytes.Buffer
			w, err := flate.NewWriter(&b, level)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, text[:len(text)/2])
			w.Flush()
			io.WriteString(w, text[len(text)/2:])
			w.Close()
			list = append(list, b.Bytes())
		}
	}
	return append(list, []byte{3, 0}, []byte{0x4b, 4, 0}) // of fixed codes
}

// compareInflate holds inflate to what the reader of a library gives, up to limit bytes.
func compareInflate(t *testing.T, f *inflater, in []byte, limit int) {
	t.Helper()
	src := bytes.NewReader(in)
	want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(src), int64(limit)+1))
	const before = "kept"
	got, n, err := f.inflate([]byte(before), in, len(before)+limit)
	got = bytes.TrimPrefix(got, []byte(before))
	if len(got) > limit+maxMatch {
		t.Fatalf("inflate of %d bytes gives %d beyond the limit", len(in), len(got)-limit)
	}
	if len(got) > limit && len(want) > limit {
		got, err, wantErr = got[:limit+1], nil, nil
	} else if (err == nil) != (wantErr == nil) {
		t.Fatalf("inflate of %d bytes ends with %v, want %v", len(in), err, wantErr)
	} else if err == nil && n != len(in)-src.Len() {
		t.Fatalf("inflate of %d bytes takes %d, want %d", len(in), n, len(in)-src.Len())
	}
	if err != nil && bytes.HasPrefix(got, want) {
		return // the library wants to see more bits than a code has
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("inflate of %d bytes gives %d bytes (%v), want %d (%v)", len(in), len(got), err, len(want), wantErr)
	}
}

func TestInflate(t *testing.T) {
	var f inflater
	rng := rand.New(rand.NewPCG(3, 4))
	for _, in := range deflated(t) {
		compareInflate(t, &f, in, 1<<20)
		compareInflate(t, &f, append(slices.Clone(in), "more than that"...), 1<<20)
		compareInflate(t, &f, in, rng.IntN(50_000))
		for range 10 {
			compareInflate(t, &f, in[:rng.IntN(len(in)+1)], 1<<20)
			bad := slices.Clone(in)
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			compareInflate(t, &f, bad, 1<<20)
		}
	}
}

// FuzzGunzip holds members to the reader of a library, from a whole payload.
func FuzzGunzip(f *testing.F) {
	for _, h := range []gzip.Header{{}, {Name: "a"}, {Comment: "b", Extra: []byte("cd")}} {
		var b bytes.Buffer
		for range 2 {
			w := gzip.NewWriter(&b)
			w.Header = h
			io.WriteString(w, "text text text")
			w.Close()
		}
		for i := range b.Len() {
			f.Add(b.Bytes()[:i])
		}
		f.Add(append(b.Bytes(), "garbage"...))
		sum := append([]byte("\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\x00"), 0, 0)
		binary.LittleEndian.PutUint16(sum[10:], uint16(crc32.ChecksumIEEE(sum[:10])))
		f.Add(append(sum, b.Bytes()[b.Len()/2+10:]...))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var p Pools
		var got, want []byte
		errGot := p.gunzip(&got, in, 1<<16, 1<<16)
		d, release := p.decoder(gzipCoding)
		defer release()
		errWant := d.reset(bytes.NewReader(in))
		if errWant != nil {
			errWant = ErrEncoding
		} else {
			errWant = readDecoded(&want, d, 1<<16, 1<<16)
		}
		if (errGot == nil) != (errWant == nil) || errWant == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v; want %d, %v", len(got), errGot, len(want), errWant)
		}
	})
}

func FuzzInflate(f *testing.F) {
	for _, in := range deflated(f) {
		f.Add(in[:min(len(in), 2000)])
	}
	f.Fuzz(func(t *testing.T, in []byte) { compareInflate(t, new(inflater), in, 1<<20) })
}

func BenchmarkInflate(b *testing.B) {
	in := deflated(b)[13]
	b.Run("inflate", func(b *testing.B) {
		var f inflater
		var out []byte
		for range b.N {
			out, _, _ = f.inflate(out[:0], in, 1<<20)
		}
		b.SetBytes(int64(len(out)))
	})
	b.Run("reader", func(b *testing.B) {
		r := kflate.NewReader(bytes.NewReader(in))
		out := make([]byte, 1<<20)
		n := 0
		for range b.N {
			r.(kflate.Resetter).Reset(bytes.NewReader(in), nil)
			n, _ = io.ReadFull(r, out)
		}
		b.SetBytes(int64(n))
	})
}
