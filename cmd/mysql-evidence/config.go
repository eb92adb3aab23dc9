package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mysqlevidence/config"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Work on the config file",
		Args:  cobra.NoArgs, // else a misspelt subcommand would print help and succeed
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck())
	return cmd
}

func newConfigCheck() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "check --config FILE",
		Short: "List every mistake in a config file, or print ok",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := "ok", error(nil)
			if _, mistakes := config.Load(path); mistakes != nil {
				answer, err = mistakes.Error(), errNo
			}
			if _, writing := fmt.Fprintln(cmd.OutOrStdout(), answer); writing != nil {
				return writing
			}
			return err
		},
	}
	return withConfig(cmd, &path)
}

// withConfig gives a command the flag --config, which it can't do without.
func withConfig(cmd *cobra.Command, path *string) *cobra.Command {
	cmd.Flags().StringVar(path, "config", "", "path of the config file (required)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *path == "" {
			return fmt.Errorf("name the config file: --config FILE")
		}
		return nil
	}
	return cmd
}
