package mysqltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	// The image of either flavour is waited for through this driver.
	_ "github.com/go-sql-driver/mysql"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"
)

const serverPort = "3306/tcp"

// owned is a server in a container that this process started.
type owned struct {
	server    Server
	container testcontainers.Container
	lifeline  io.Closer
}

// start runs a container of the flavour's image and loads the test data. The
// container ends with this process at the latest.
func start(ctx context.Context, f flavour) (*owned, error) {
	o, err := startEmpty(ctx, f, nil, nil)
	if err != nil {
		return nil, err
	}
	err = load(ctx, f, &o.server)
	if err == nil {
		err = o.server.identify(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", f.name, err), o.stop())
	}
	return o, nil
}

// startEmpty runs a container of the flavour's image, with files in it and further
// arguments to the server.
func startEmpty(ctx context.Context, f flavour, files []testcontainers.ContainerFile, args []string) (*owned, error) {
	if err := checkEngine(ctx); err != nil {
		return nil, err
	}
	c, err := testcontainers.Run(ctx, f.image(),
		testcontainers.WithLogger(log.NewNoopLogger()),
		testcontainers.WithEnv(map[string]string{"MYSQL_ROOT_PASSWORD": Root.Password}),
		testcontainers.WithExposedPorts(serverPort),
		testcontainers.WithHostConfigModifier(onLoopback),
		testcontainers.WithCmdArgs(args...),
		testcontainers.WithFiles(files...),
		// A query and no line of the log: the wording of the log is the
		// packager's, and the public images start twice.
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

// locate ties the container to this process and finds its address.
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

func (o *owned) stop() error {
	err := testcontainers.TerminateContainer(o.container, testcontainers.StopTimeout(0))
	if o.lifeline != nil {
		err = errors.Join(err, o.lifeline.Close())
	}
	return err
}

func onLoopback(c *container.HostConfig) {
	c.AutoRemove = true
	c.PortBindings = network.PortMap{
		network.MustParsePort(serverPort): {{HostIP: netip.MustParseAddr("127.0.0.1")}},
	}
}

func readyDSN(host string, port network.Port) string {
	s := Server{Host: host, Port: int(port.Num())}
	return s.RootDSN("")
}
