package executor_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"mysqlevidence/internal/mysqltest"
)

// question is a query that is measured.
type question struct {
	name string
	text string
	arg  func(i int) int
}

var questions = []question{
	{"point", "SELECT id, customer, total, placed_at, score, active FROM orders WHERE id = ?", func(i int) int { return i%orderRows + 1 }},
	{"rows", "SELECT id, customer, total, placed_at, score, active FROM orders WHERE id > ? ORDER BY id LIMIT 1000", func(i int) int { return i % (orderRows - 1000) }},
	{"aggregate", "SELECT active, COUNT(*), SUM(total) FROM orders WHERE id > ? GROUP BY active", func(i int) int { return orderRows - 1000 - i%100 }},
}

// benchConnections is how many connections each way may have when several callers
// share them.
const benchConnections = 8

// BenchmarkCall compares ways to ask a server, on the same server in one run and
// taking turns: with one caller call by call, with several in short rounds.
//
//   - ours: executor and projector, from the parameters to the evidence's JSON.
//   - raw: a cached sql.Stmt whose rows are scanned into sql.RawBytes.
//   - any: the same, scanned into any, as a program does that keeps the values.
//   - naive: db.QueryContext with arguments, scanned into any.
//
// A metric such as ours/raw is the median of ours, over the median of raw: below
// 1, ours is faster.
func BenchmarkCall(b *testing.B) {
	for _, one := range mysqltest.Both(b) {
		for _, q := range questions {
			for _, callers := range []int{1, 8, 32} {
				b.Run(one.Flavour+"/"+q.name+"/"+strconv.Itoa(callers), func(b *testing.B) { compare(b, one, q, callers) })
			}
		}
	}
}

func compare(b *testing.B, one *mysqltest.Server, q question, callers int) {
	s := newBenchSource(b, one)
	connections := min(callers, benchConnections)
	ways := []way{s.ours(b, q, connections), s.raw(b, q, connections), s.intoAny(b, q, connections), s.naive(b, q, connections)}
	for _, w := range ways { // every connection is made and has its statement
		for range 3 {
			round(b, w, q, 4*callers, callers)
		}
	}
	took := make([][]time.Duration, len(ways))
	for i := 0; b.Loop(); i++ {
		for j := range ways {
			at := (i + j) % len(ways)
			took[at] = append(took[at], round(b, ways[at], q, i, callers))
		}
	}
	report(b, ways, took)
}

// round lets each caller call a few times, or once if there is one, and gives the
// time of it all.
func round(b *testing.B, w way, q question, seed, callers int) time.Duration {
	start := time.Now()
	if callers == 1 {
		if err := w.call(context.Background(), q.arg(seed)); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	var group sync.WaitGroup
	for c := range callers {
		group.Go(func() {
			for n := range 10 {
				if err := w.call(context.Background(), q.arg(seed*31+c*7+n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	return time.Since(start)
}

func report(b *testing.B, ways []way, took [][]time.Duration) {
	medians := make([]float64, len(ways))
	for i := range ways {
		if len(took[i]) < 5 {
			b.Log("too few rounds for a median: use a longer -benchtime")
		}
		slices.Sort(took[i])
		medians[i] = float64(took[i][len(took[i])/2].Nanoseconds())
		b.ReportMetric(medians[i]/1000, ways[i].name+"-µs")
	}
	for i := 1; i < len(ways); i++ {
		b.ReportMetric(medians[0]/medians[i], ways[0].name+"/"+ways[i].name)
	}
	b.ReportMetric(0, "ns/op") // of all the ways together
}
