package stream

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	const retry = time.Second
	var p pace
	if p.room() != 32<<10 || p.patience(retry) != retry {
		t.Errorf("it begins with %d bytes and %v", p.room(), p.patience(retry))
	}
	for range 5 {
		p.came(retry/4, retry)
	}
	if p.room() != chunkSize {
		t.Errorf("after quick answers %d bytes, want %d", p.room(), chunkSize)
	}
	p.came(3*retry/4, retry)
	if p.room() != chunkSize {
		t.Errorf("after one that was neither quick nor slow %d bytes", p.room())
	}
	for range 9 {
		p.late()
	}
	if p.room() != 8<<10 || p.patience(retry) != 8*retry {
		t.Errorf("without answers %d bytes and %v, want 8 KiB and 8 s", p.room(), p.patience(retry))
	}
	p.came(5*retry, retry)
	if p.room() != 8<<10 || p.patience(retry) != 4*retry {
		t.Errorf("after a slow answer %d bytes and %v, want 8 KiB and 4 s", p.room(), p.patience(retry))
	}
	for range 9 {
		p.came(retry/4, retry)
	}
	if p.room() != chunkSize || p.patience(retry) != retry {
		t.Errorf("it does not recover: %d bytes and %v", p.room(), p.patience(retry))
	}
}
