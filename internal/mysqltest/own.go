package mysqltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"
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
	o, err := startEmpty(ctx, t.TempDir(), f, files, args)
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

func startEmpty(ctx context.Context, dir string, f flavour, files map[string][]byte, args []string) (*owned, error) {
	if err := checkEngine(ctx); err != nil {
		return nil, err
	}
	copies, err := copiesOf(dir, files)
	if err != nil {
		return nil, err
	}
	c, err := testcontainers.Run(ctx, f.image(),
		testcontainers.WithLogger(log.NewNoopLogger()),
		testcontainers.WithEnv(map[string]string{"MYSQL_ROOT_PASSWORD": Root.Password}),
		testcontainers.WithExposedPorts(serverPort),
		testcontainers.WithHostConfigModifier(onLoopback),
		testcontainers.WithCmdArgs(args...),
		testcontainers.WithFiles(copies...),
		testcontainers.WithWaitStrategy(wait.ForSQL(serverPort, "mysql", readyDSN).
			WithStartupTimeout(2*time.Minute)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s from image %s: %w", f.name, f.image(), err),
			testcontainers.TerminateContainer(c))
	}
	o := &owned{container: c, server: Server{Flavour: f.name}}
	if err := o.locate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", f.name, err), o.stop())
	}
	return o, nil
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

func (o *owned) locate(ctx context.Context) error {
	var err error
	if o.lifeline, err = endWithProcess(o.container.GetContainerID()); err != nil {
		return err
	}
	host, err := o.container.Host(ctx)
	if err != nil {
		return err
	}
	port, err := o.container.MappedPort(ctx, serverPort)
	if err != nil {
		return err
	}
	o.server.Host, o.server.Port = host, int(port.Num())
	return nil
}
