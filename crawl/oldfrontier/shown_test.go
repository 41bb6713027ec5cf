package frontier

import (
	"reflect"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// fullDomain is a record in which every field is set.
func fullDomain(t testing.TB) domainRecord {
	t.Helper()
	r := domainRecord{Closing: &closing{To: "a peer", N: 7}, Arriving: &arriving{From: "another", N: 8}}
	fields := reflect.ValueOf(&r).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Kind() {
		case reflect.Uint8, reflect.Uint32, reflect.Uint64:
			f.SetUint(uint64(100 + i))
		case reflect.Int64:
			f.SetInt(int64(100 + i))
		case reflect.String:
			f.SetString(fields.Type().Field(i).Name)
		case reflect.Bool:
			f.SetBool(true)
		}
	}
	for range 64 {
		r.Repeats = append(r.Repeats, repeat{})
		r.Lease.Tasks = append(r.Lease.Tasks, make([]byte, 150))
	}
	r.Lease.ID, r.Lease.Holder, r.Lease.Origin, r.Lease.Done = crawl.LeaseID(5), "holder", "http://a.test", []byte{1}
	r.Over, r.Former = r.Lease, []leaseRecord{r.Lease}
	r.Answers, r.Drops = badAnswers(), []uint64{0, 7, 3}
	for i := range fields.NumField() {
		if fields.Field(i).IsZero() {
			t.Fatalf("%s is not set", fields.Type().Field(i).Name)
		}
	}
	return r
}

// What front ends show of a domain is read as all of it would be, but for what is long.
func TestShown_IsTheRecordWithoutWhatIsLong(t *testing.T) {
	full := fullDomain(t)
	raw, err := encode.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	var got shownDomain
	if err := decode.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Lease.ID != full.Lease.ID || got.Lease.Holder != full.Lease.Holder {
		t.Errorf("the lease is %+v, want %d of %s", got.Lease, full.Lease.ID, full.Lease.Holder)
	}
	want := full
	want.Lease, want.Over, want.Repeats, want.Former, want.Answers = leaseRecord{}, leaseRecord{}, nil, nil, answers{}
	if !reflect.DeepEqual(got.domainRecord, want) {
		t.Errorf("read %+v\nwant %+v", got.domainRecord, want)
	}
}

func BenchmarkShown(b *testing.B) {
	raw, err := encode.Marshal(fullDomain(b))
	if err != nil {
		b.Fatal(err)
	}
	read := func(into func() any) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := decode.Unmarshal(raw, into()); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("all", read(func() any { return new(domainRecord) }))
	b.Run("shown", read(func() any { return new(shownDomain) }))
}
