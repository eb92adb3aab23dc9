package mysqltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	ryukVar = "TESTCONTAINERS_RYUK_DISABLED"
	hostVar = "TESTCONTAINERS_HOST_OVERRIDE"
)

// checkEngine refuses to start a container where testcontainers is known to
// hang. On Debian's own build of Docker it may take the machine's default
// gateway for the engine's host and dial that for a minute, and it begins by
// pulling a clean-up image, which fails where no registry can be reached.
func checkEngine(ctx context.Context) error {
	c, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return fmt.Errorf("no Docker engine: %w (scripts/test starts one on a bare Debian machine)", err)
	}
	defer c.Close()
	v, err := c.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return fmt.Errorf("the Docker engine does not answer: %w", err)
	}
	return checkSettings(v.Version, os.Getenv)
}

func checkSettings(engineVersion string, getenv func(string) string) error {
	if !strings.Contains(engineVersion, "dfsg") {
		return nil
	}
	if getenv(ryukVar) == "true" && getenv(hostVar) != "" {
		return nil
	}
	return fmt.Errorf("the Docker engine is Debian's (%s): run scripts/test, or set %s=true and %s=127.0.0.1",
		engineVersion, ryukVar, hostVar)
}

// endWithProcess makes the container end with this process, however that ends.
// Testcontainers has an image of its own for it; where that is switched off a
// shell takes its part, waiting for the end of a pipe that only we hold open.
// The pipe must be kept: collecting it as garbage would close it.
func endWithProcess(containerID string) (io.Closer, error) {
	if os.Getenv(ryukVar) != "true" {
		return io.NopCloser(nil), nil
	}
	cmd := exec.Command("sh", "-c", `cat >/dev/null; docker rm --force --volumes "$0"`, containerID)
	// Of a process group of its own, so that Ctrl-C leaves it to its work.
	cmd.SysProcAttr = ownGroup()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("watch over container: %w", err), pipe.Close())
	}
	go cmd.Wait()
	return pipe, nil
}
