package engine

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

func TestProbe(t *testing.T) {
	t0 := time.Now()
	e, err := Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	fmt.Println("start", time.Since(t0))
	runtime.GC()
	runtime.ReadMemStats(&m)
	fmt.Println("heap", m.HeapAlloc>>20, "sys", m.Sys>>20)
	b, _ := os.ReadFile("/proc/self/status")
	for l := range strings.Lines(string(b)) {
		if strings.HasPrefix(l, "VmRSS") || strings.HasPrefix(l, "VmHWM") {
			fmt.Print(l)
		}
	}
	defer e.Close()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Passwd = "tcp", e.Addr(), e.User(), e.Password()
	cn, _ := mysql.NewConnector(cfg)
	db := sql.OpenDB(cn)
	db.SetMaxOpenConns(1)
	f, err := os.Open(os.Getenv("PROBE"))
	if err != nil {
		t.Skip()
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		text, argtext, _ := strings.Cut(line, " ## ")
		var args []any
		if argtext != "" {
			for _, a := range strings.Split(argtext, ",") {
				if strings.HasPrefix(a, "i:") {
					var n int64
					fmt.Sscan(a[2:], &n)
					args = append(args, n)
				} else {
					args = append(args, a)
				}
			}
		}
		fmt.Println("--", line)
		t0 := time.Now()
		var rows *sql.Rows
		var st *sql.Stmt
		if strings.HasPrefix(text, "T:") {
			rows, err = db.Query(text[2:])
		} else {
			st, err = db.Prepare(text)
			if err == nil {
				rows, err = st.Query(args...)
			}
		}
		if err != nil {
			fmt.Println("   ERR", err, time.Since(t0))
			continue
		}
		cols, _ := rows.ColumnTypes()
		var ty []string
		for _, c := range cols {
			ty = append(ty, c.Name()+":"+c.DatabaseTypeName())
		}
		fmt.Println("   ", strings.Join(ty, " "))
		n := 0
		for rows.Next() {
			vals := make([]any, len(cols))
			ptr := make([]any, len(cols))
			for i := range vals {
				ptr[i] = &vals[i]
			}
			if err := rows.Scan(ptr...); err != nil {
				fmt.Println("scan", err)
			}
			n++
			if n <= 7 {
				var out []string
				for _, v := range vals {
					if b, ok := v.([]byte); ok {
						v = fmt.Sprintf("%.120q", b)
					}
					out = append(out, fmt.Sprint(v))
				}
				fmt.Println("   ", strings.Join(out, " | "))
			}
		}
		fmt.Println("    rows", n, "err", rows.Err(), time.Since(t0))
		rows.Close()
		if st != nil {
			st.Close()
		}
	}
}
