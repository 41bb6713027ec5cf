//go:build unix

package server

import (
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStream_TenReaders is a node in which 500 things happen a second, with ten
// dashboards open. cpu% is what node and readers together take of one core: an
// operation is one event, at its pace.
func BenchmarkStream_TenReaders(b *testing.B) {
	const readers, perSecond, step = 10, 500, 10
	r := start(b, b.TempDir(), nil)
	for range readers {
		conn, err := net.Dial("tcp", r.desc.Addr)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /api/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: "+
			"text/event-stream\r\n\r\n", r.desc.Addr, r.desc.Token)
		go io.Copy(io.Discard, conn)
	}
	ticker := time.NewTicker(time.Second * step / perSecond)
	defer ticker.Stop()
	begun, used := time.Now(), processTime(b)
	for i := 0; b.Loop(); i++ {
		r.node.publish(1)
		if i%step == 0 {
			<-ticker.C
		}
	}
	b.ReportMetric(100*float64(processTime(b)-used)/float64(time.Since(begun)), "cpu%")
}

func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
