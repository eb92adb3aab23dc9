package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print what this program was built from",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return errors.New("this program was built without build information")
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), describe(info))
			return err
		},
	}
}

// moduleVersion is "(devel)" where no version was built in.
func moduleVersion(info *debug.BuildInfo) string {
	if info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// describe gives the module's version, the commit where it is known, and the
// toolchain, on one line.
func describe(info *debug.BuildInfo) string {
	parts := []string{"mysql-evidence", moduleVersion(info)}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if commit := settings["vcs.revision"]; commit != "" {
		if settings["vcs.modified"] == "true" {
			commit += " with uncommitted changes"
		}
		parts = append(parts, "commit "+commit)
	}
	if at := settings["vcs.time"]; at != "" {
		parts = append(parts, at)
	}
	return strings.Join(append(parts, info.GoVersion), " ")
}
