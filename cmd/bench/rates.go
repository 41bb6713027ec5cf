package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/forage-net/forage/cmd/bench/rates"
)

const (
	// maxOff and maxKernelOff are by how many percent a rate may be off its limit, as
	// socket calls move bytes and as the kernel does.
	maxOff       = 5
	maxKernelOff = 10
)

// rateOptions is what the command line says of rates.
type rateOptions struct {
	on   bool
	list string
	kbit []int // down; up is a quarter
	over time.Duration
}

func (r *rateOptions) flags(flags *flag.FlagSet) {
	flags.BoolVar(&r.on, "rates", false, "measure whether a node keeps to the rates that its user allows")
	flags.StringVar(&r.list, "kbit", "256,1000,10000,50000", "with -rates: rates down in `KBIT/S[,KBIT/S]...`; up is a quarter of each")
	flags.DurationVar(&r.over, "over", 10*time.Second, "with -rates: how long each is measured")
}

// withRates returns the options of measuring rates.
func (o options) withRates() (options, error) {
	for _, text := range strings.Split(o.rates.list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 32 || n > 10_000_000 {
			return options{}, fmt.Errorf("-kbit %q is out of range: 32 to 10000000", text)
		}
		o.rates.kbit = append(o.rates.kbit, n)
	}
	if o.rates.over < time.Second {
		return options{}, errors.New("-over must be a second or more")
	}
	return o, nil
}

// rateReport is what measuring rates has found.
type rateReport struct {
	Rows     []rates.Row
	Failures []string
}

func measureRates(ctx context.Context, o options, stderr io.Writer) (*rateReport, error) {
	r := new(rateReport)
	for _, kbit := range o.rates.kbit {
		fmt.Fprintf(stderr, "%d kbit/s down, %d up ...\n", kbit, kbit/4)
		row, err := rates.Measure(ctx, kbit, kbit/4, o.rates.over)
		if err != nil {
			return nil, fmt.Errorf("measure %d kbit/s: %w", kbit, err)
		}
		r.Rows = append(r.Rows, row)
		r.judge(fmt.Sprintf("%d kbit/s down", row.DownKbit), row.Down)
		r.judge(fmt.Sprintf("%d kbit/s up", row.UpKbit), row.Up)
	}
	return r, nil
}

// judge notes what is wrong with a flow.
func (r *rateReport) judge(name string, f rates.Flow) {
	if off := f.Off(); off > maxOff || off < -maxOff {
		r.Failures = append(r.Failures, fmt.Sprintf("%s: %+.1f %% at socket calls, want at most %d %% off", name, off, maxOff))
	}
	if off, known := f.KernelOff(); known && (off > maxKernelOff || off < -maxKernelOff) {
		r.Failures = append(r.Failures, fmt.Sprintf("%s: %+.1f %% by TCP_INFO, want at most %d %% off", name, off, maxKernelOff))
	}
}

func (r *rateReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kbit/s\t\tsockets\toff\tworst\tother side\tTCP_INFO off\tpages\twork\tbulk\tcontrol\t")
	for _, row := range r.Rows {
		printFlow(t, row.DownKbit, "down", row.Down)
		printFlow(t, row.UpKbit, "up", row.Up)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%d kbit/s: %d control calls in %.1f s, median %v, slowest %v\n",
			row.DownKbit, row.Pings, row.Seconds, row.Median.Round(100*time.Microsecond), row.Slowest.Round(100*time.Microsecond))
	}
	for _, f := range r.Failures {
		fmt.Fprintln(w, "FAILED:", f)
	}
	return nil
}

// printFlow prints a direction in kbit/s.
func printFlow(w io.Writer, kbit int, name string, f rates.Flow) {
	k := func(bytes float64) string { return fmt.Sprintf("%.0f", bytes*8/1000) }
	kernel := "-"
	if off, known := f.KernelOff(); known {
		kernel = fmt.Sprintf("%+.1f %%", off)
	}
	fmt.Fprintf(w, "%d\t%s\t%s\t%+.1f %%\t%+.1f %%\t%s\t%s\t%s\t%s\t%s\t%s\t\n", kbit, name, k(f.Sockets), f.Off(), f.WorstOff(), k(f.Far), kernel,
		k(f.Pages), k(f.Work), k(f.Bulk), k(f.Control))
}
