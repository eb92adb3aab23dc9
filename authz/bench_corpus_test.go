package authz_test

import (
	"slices"
	"testing"
	"time"

	"mysqlevidence/authz"
)

// BenchmarkCorpus plans each real question, and each statement of others' test
// suites, accepted or refused, against the policy that it implies, and reports the
// middle, the 99th and the slowest of a hundred, in microseconds.
func BenchmarkCorpus(b *testing.B) {
	v, functions := defaultValidator(b)
	texts := map[string][]string{}
	for _, q := range readCorpus[realQuestion](b, "questions/questions.jsonl.gz", 590) {
		texts["questions"] = append(texts["questions"], q.SQL)
	}
	for _, s := range readStatements(b) {
		texts["statements"] = append(texts["statements"], s.SQL)
	}
	for name, list := range texts {
		b.Run(name, func(b *testing.B) {
			policies := make([]*authz.Policy, len(list))
			for i, text := range list {
				if q, err := ask(v, functions, text, laneSchema); err == nil {
					policies[i], _ = authz.Compile(q.data.source(laneSchema, functions))
				}
			}
			var took []time.Duration
			for b.Loop() {
				for i, text := range list {
					start := time.Now()
					q, err := v.Validate(text)
					if err == nil {
						_, _ = policies[i].Authorize(q)
					}
					took = append(took, time.Since(start))
				}
			}
			slices.Sort(took)
			micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
			b.ReportMetric(micros(took[len(took)/2]), "µs-p50")
			b.ReportMetric(micros(took[len(took)*99/100]), "µs-p99")
			b.ReportMetric(micros(took[len(took)-1]), "µs-max")
		})
	}
}
