package robots

import (
	"strings"
	"testing"
	"time"
)

func TestLifetimeOf(t *testing.T) {
	for _, c := range []struct {
		header string
		want   time.Duration
	}{
		{"", 0}, {"public", 0}, {"max-age", 0}, {"max-age=", 0}, {"max-age=x", 0}, {"max-age=-1", 0}, {"s-maxage=60", 0}, {"stale-while-revalidate=60", 0},
		{"max-age=3600", time.Hour}, {"public, Max-Age=7200, immutable", 2 * time.Hour}, {`max-age="3600"`, time.Hour}, {" max-age=3600 ,", time.Hour},
		{"max-age=7200, max-age=3600", time.Hour}, {"max-age=86399", 24*time.Hour - time.Second}, {"max-age=86400", 24 * time.Hour}, {"max-age=31536000", 24 * time.Hour},
		{"max-age=0", minLifetime}, {"max-age=1", minLifetime}, {"no-cache", minLifetime}, {"NO-STORE, max-age=3600", minLifetime}, {`no-cache="set-cookie", max-age=60`, minLifetime},
		{"max-age=99999999999999999999", 0}, {strings.Repeat(",", maxCacheControl) + "max-age=3600", 0},
	} {
		if got := lifetimeOf(c.header); got != c.want {
			t.Errorf("lifetimeOf(%.40q) = %v, want %v", c.header, got, c.want)
		}
	}
}

// A webmaster who shuts us out is obeyed when the day is over at the latest,
// however long he once said that the old file was good for, and sooner if he
// said so. A cache that was filled from disk is no different.
func TestCache_OptOutIsObeyedWithinADay(t *testing.T) {
	for _, c := range []struct {
		cacheControl string
		status       int
		within       time.Duration
	}{
		{"", 200, 24 * time.Hour}, {"max-age=31536000, immutable", 200, 24 * time.Hour}, {"max-age=3600", 200, time.Hour}, {"no-store", 200, minLifetime},
		{"", 404, 24 * time.Hour}, {"max-age=31536000", 404, 24 * time.Hour}, {"max-age=600", 410, 10 * time.Minute},
	} {
		site := web{fileURL: {Status: c.status, CacheControl: c.cacheControl, Body: []byte(allBut)}}
		store := &memStore{}
		cache := NewCache(store, 0)
		page := pageOf(t, "/ok")
		if err := cache.Put(origin, Fetch(t.Context(), site, page, Record{}, noon)); err != nil {
			t.Fatal(err)
		}
		site[fileURL] = withBody(200, "User-agent: forage\nDisallow: /\n")

		for _, cache := range []*Cache{cache, NewCache(store, 0)} {
			r, rules, fresh := cache.Get(noon.Add(c.within-time.Second), origin)
			if v, _ := r.Verdict(noon.Add(c.within-time.Second), rules, page); !fresh || v != Allowed {
				t.Errorf("%q, status %d: fresh %v, verdict %d just before %v", c.cacheControl, c.status, fresh, v, c.within)
			}
			r, rules, fresh = cache.Get(noon.Add(c.within), origin)
			if v, _ := r.Verdict(noon.Add(c.within), rules, page); fresh || v != Deferred {
				t.Errorf("%q, status %d: fresh %v, verdict %d after %v: the old file still counts", c.cacheControl, c.status, fresh, v, c.within)
			}
		}
		now := noon.Add(c.within)
		if err := cache.Put(origin, Fetch(t.Context(), site, page, Record{}, now)); err != nil {
			t.Fatal(err)
		}
		r, rules, _ := cache.Get(now, origin)
		if v, _ := r.Verdict(now, rules, page); v != Forbidden {
			t.Errorf("%q, status %d: verdict %d by the new file, want it forbidden", c.cacheControl, c.status, v)
		}
	}
}
