package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

func serveCommand() *cobra.Command {
	options := replay.Options{DropResponses: true}
	c := help("serve", &cobra.Command{
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Designs = args
			options.Documents = documentsFolder()
			progress := newProgress(cmd.ErrOrStderr())
			options.Progress = progress.note
			run, err := replay.Start(cmd.Context(), options)
			if err != nil {
				return err
			}
			closing := context.WithoutCancel(cmd.Context())
			for _, design := range run.Designs() {
				if _, err := run.Open(cmd.Context(), design); err != nil {
					progress.clear()
					_ = run.Close(closing) // the first error is the cause
					return err
				}
			}
			progress.clear()
			fmt.Fprintf(cmd.OutOrStdout(), "export AWS_ENDPOINT_URL_DYNAMODB=%[1]s AWS_REGION=%[2]s AWS_DEFAULT_REGION=%[2]s AWS_ACCESS_KEY_ID=dynaproof AWS_SECRET_ACCESS_KEY=dynaproof\n",
				run.Endpoint(), cmp.Or(options.Region, replay.DefaultRegion))
			fmt.Fprintln(cmd.ErrOrStderr(), "serving; interrupt to end")
			select {
			case <-cmd.Context().Done():
				return run.Close(closing)
			case <-run.TargetDone():
				return errors.Join(errors.New("the engine ended by itself"), run.Close(closing))
			}
		},
	})
	designFlag(c)
	c.Flags().IntVar(&options.Port, "port", 0, "port on 127.0.0.1 (default: a free one)")
	environmentFlags(c, &options)
	return c
}

func engineCommand() *cobra.Command {
	var asJSON *bool
	c := help("engine", &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine, err := target.Embedded(cmd.Context(), func(line string) { cmd.PrintErrln(line) })
			if err != nil {
				return err
			}
			is := engine.Description()
			if *asJSON {
				err = printJSON(cmd.OutOrStdout(), map[string]string{"engine": is.Engine, "version": is.Version, "source": is.Source, "digest": is.Digest})
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n%s\n%s\n", is.Engine, is.Version, is.Source, is.Digest)
			}
			return errors.Join(err, engine.Close(cmd.Context()))
		},
	})
	asJSON = jsonFlag(c)
	return c
}
