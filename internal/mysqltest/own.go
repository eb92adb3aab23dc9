package mysqltest

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/testcontainers/testcontainers-go"
)

// Own starts a server for this test alone, with further arguments to the server
// and files in it (from their path in the container to their content). It is
// for what can't be done to the shared servers: global settings that others
// would feel, and settings that are read at the start. It has no test data and
// no account but [Root], and ends with the test.
func Own(t testing.TB, flavourName string, files map[string][]byte, args ...string) *Server {
	t.Helper()
	f := mysqlServer
	if flavourName == mariadb.name {
		f = mariadb
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	copies, err := copiesOf(t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	o, err := startEmpty(ctx, f, copies, args)
	if err != nil {
		t.Fatalf("mysqltest: %v", err)
	}
	t.Cleanup(func() {
		if err := o.stop(); err != nil {
			t.Errorf("mysqltest: %v", err)
		}
	})
	return &o.server
}

// copiesOf writes the files to the folder, from where they are copied before the
// server starts.
func copiesOf(dir string, files map[string][]byte) ([]testcontainers.ContainerFile, error) {
	var out []testcontainers.ContainerFile
	for path, content := range files {
		local, err := os.CreateTemp(dir, "")
		if err != nil {
			return nil, err
		}
		_, err = local.Write(content)
		if err := errors.Join(err, local.Close()); err != nil {
			return nil, err
		}
		// The server runs as a user of its own in some images.
		out = append(out, testcontainers.ContainerFile{HostFilePath: local.Name(), ContainerFilePath: path, FileMode: 0o644})
	}
	return out, nil
}
