package ring

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/forage-net/forage/crawl"
)

var update = flag.Bool("update", false, "write testdata/ring.json again; the network's protocol version must change with it")

const goldenFile = "testdata/ring.json"

// golden is what every version of this network must answer.
type golden struct {
	Members []goldenMember `json:"members"`
	Keys    []goldenKey    `json:"keys"`
}

type goldenMember struct {
	ID    string `json:"id"` // hex
	Units int    `json:"units"`
	Net   string `json:"net,omitempty"`
	Point string `json:"point"` // hex, of its point 0
}

type goldenKey struct {
	Domain string   `json:"domain"`
	Key    string   `json:"key"`   // hex
	Owner  string   `json:"owner"` // hex, as below
	Unit   int      `json:"unit"`
	Near   []string `json:"near"`  // 4 members
	Group  []string `json:"group"` // 3 members, of the owning unit
}

func goldenMembers() (members []Member) {
	for i := range 14 {
		digest := sha256.Sum256(fmt.Append(nil, "member ", i))
		m := Member{ID: "\x00\x24\x08\x01\x12\x20" + string(digest[:]), Units: 1 << (i % 4)}
		if i%3 != 0 {
			m.Net = fmt.Sprintf("192.%d", i%4)
		}
		members = append(members, m)
	}
	return append(members, Member{ID: "\x00", Units: 1}, Member{ID: "fetcher"}, Member{ID: "\xff\xfe", Units: 100})
}

func hexes(ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, hex.EncodeToString([]byte(id)))
	}
	return out
}

func answers(members []Member) (g golden) {
	r := New(members)
	for _, m := range members {
		first := pointKey(m.ID, 0)
		g.Members = append(g.Members, goldenMember{hex.EncodeToString([]byte(m.ID)), m.Units, m.Net, hex.EncodeToString(first[:])})
	}
	for i := range 48 {
		domain := crawl.Domain(fmt.Sprintf("site%d.example", i))
		k := crawl.KeyOf(domain)
		u, _ := r.Owner(k)
		g.Keys = append(g.Keys, goldenKey{
			string(domain), k.String(), hex.EncodeToString([]byte(u.Member)), u.Number,
			hexes(r.Near(k, 4)), hexes(r.Group(u, copies)),
		})
	}
	return g
}

func TestRing_GoldenAnswers(t *testing.T) {
	got, err := json.MarshalIndent(answers(goldenMembers()), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(goldenFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the answers differ from %s: nodes of this version and of others would disagree about owners", goldenFile)
	}
}
