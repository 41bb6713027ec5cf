package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	hosts, truth, log := filepath.Join(dir, "hosts"), filepath.Join(dir, "truth"), filepath.Join(dir, "log")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-domains", "3", "-latency", "1ms", "-hosts", hosts, "-truth", truth, "-log",
			log}, in, io.Discard)
		in.Close()
	}()
	start, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || start != "http://start.test/\n" {
		t.Fatalf("start %q, %v (run: %v)", start, err, <-done)
	}
	addresses := strings.Fields(read(t, hosts))
	if addresses[1] != "start.test" || !strings.Contains(read(t, truth), "expected\thttp://start.test/\n") {
		t.Errorf("hosts %q or truth do not name the start", addresses)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addresses[0])
	}}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("http://start.test/no%20page")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
	fields := strings.Split(strings.TrimSuffix(read(t, log), "\n"), "\t")
	if len(fields) != 11 || strings.Join(fields[1:5], " ") != "start.test 404 GET /no%20page" || fields[10] < "0.001" {
		t.Errorf("log line %q", fields)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRun_Refuses(t *testing.T) {
	for _, args := range [][]string{
		{"-domains", "0"}, {"-domains", "2000"}, {"-pages", "-1"}, {"-listen", "localhost"}, {"-listen", "127.0.0.1:x"},
		{"-listen", "192.0.2.1:0"}, {"-latency", "1h"}, {"more"}, {"-hosts", t.TempDir()}, {"-log", t.TempDir()},
	} {
		var errs bytes.Buffer
		if err := run(t.Context(), args, io.Discard, &errs); err == nil {
			t.Errorf("run(%q) succeeded", args)
		}
	}
}

func TestFormat(t *testing.T) {
	end := time.UnixMicro(1_700_000_000_000_042)
	h := demo.Hit{
		URL: "http://a.test/x?y#%zz", Method: "GET", Agent: "a\tb\\\xff", Client: "127.0.0.1:9", Status: 200,
		Type:  "text/html",
		Bytes: 7, Start: end.Add(-1500 * time.Microsecond), End: end,
	}
	want := "1700000000.000042\ta.test\t200\tGET\t/x?y#%zz\ttext/html\t7\t-\t127.0.0.1:9\ta\\x09b\\x5C\\xFF\t0.001500\n"
	if got := format(h); got != want {
		t.Errorf("format = %q, want %q", got, want)
	}
}
