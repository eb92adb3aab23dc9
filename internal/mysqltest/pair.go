package mysqltest

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
)

// Pair is a MySQL and a MariaDB that this process started for others to use.
type Pair struct{ servers []*owned }

// StartPair starts both servers at once, or only the MySQL. What it returns must
// be stopped.
func StartPair(ctx context.Context, onlyMySQL bool) (*Pair, error) {
	flavours := []flavour{mysqlServer, mariadb}
	if onlyMySQL {
		flavours = flavours[:1]
	}
	started, errs := make([]*owned, len(flavours)), make([]error, len(flavours))
	var wg sync.WaitGroup
	for i, f := range flavours {
		wg.Go(func() { started[i], errs[i] = start(ctx, f) })
	}
	wg.Wait()
	p := &Pair{}
	for _, o := range started {
		if o != nil {
			p.servers = append(p.servers, o)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// Environ is the servers' addresses as environment variables, in the form in
// which test processes look for them.
func (p *Pair) Environ() []string {
	out := []string{runVar + "=" + rand.Text()}
	for _, o := range p.servers {
		for _, f := range []flavour{mysqlServer, mariadb} {
			if f.name == o.server.Flavour {
				out = append(out, f.addressVar+"="+o.server.Addr())
			}
		}
	}
	return out
}

// Stop removes the containers.
func (p *Pair) Stop() error {
	errs := make([]error, len(p.servers))
	var wg sync.WaitGroup
	for i, o := range p.servers {
		wg.Go(func() { errs[i] = o.stop() })
	}
	wg.Wait()
	return errors.Join(errs...)
}
