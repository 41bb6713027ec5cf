package progress

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
)

func TestProgress(t *testing.T) {
	var told []string
	ctx := With(t.Context(), func(r Report) { told = append(told, fmt.Sprint(r.Work, " ", r.Done, "/", r.Total, " ", r.Unit)) })
	m := Begin(ctx, &words.Message{Key: "counting"}, 3, Items)
	m.Add(1)
	m.Add(0) // is no news
	m.Add(2)
	if _, err := io.ReadAll(Begin(ctx, &words.Message{Key: "reading"}, 5, Bytes).Reader(strings.NewReader("hello"))); err != nil {
		t.Fatal(err)
	}
	want := "[counting 0/3 1 counting 1/3 1 counting 3/3 1 reading 0/5 0 reading 5/5 0]"
	if got := fmt.Sprint(told); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}

func TestProgress_NobodyWaits(t *testing.T) {
	m := Begin(context.Background(), &words.Message{Key: "counting"}, 3, Items)
	m.Add(1)
	r := strings.NewReader("hello")
	if m != nil || m.Reader(r) != io.Reader(r) {
		t.Errorf("%+v measures", m)
	}
}
