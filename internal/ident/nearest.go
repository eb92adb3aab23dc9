package ident

import "strings"

// Nearest returns the known name that the written one was most likely meant to
// be, or "" when none is close. Case, '-' and '_' don't count as differences,
// and abbreviations (usr, pass) find the full name.
func Nearest(written string, known []string) string {
	w := plainLetters(written)
	best, bestDistance := "", 0
	for _, name := range known {
		k := plainLetters(name)
		d := distance(w, k)
		if !isNear(w, k, d) {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

func plainLetters(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(Fold(s))
}

func isNear(written, known string, d int) bool {
	longest := max(len(written), len(known))
	if d <= max(1, longest/3) && d < longest {
		return true
	}
	return len(written) >= 3 && known != "" && written[0] == known[0] &&
		(isSubsequence(written, known) || strings.HasPrefix(written, known))
}

// isSubsequence reports whether the letters of short stand in long in order.
func isSubsequence(short, long string) bool {
	i := 0
	for j := 0; i < len(short) && j < len(long); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

// maxCompared bounds the work that a long name can cause: no known key is
// near to anything that long.
const maxCompared = 128

// distance counts insertions, deletions, substitutions and swaps of neighbours
// (optimal string alignment) in bytes.
func distance(a, b string) int {
	if len(a) > maxCompared || len(b) > maxCompared {
		return max(len(a), len(b))
	}
	before := make([]int, len(b)+1)
	previous := make([]int, len(b)+1)
	current := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
