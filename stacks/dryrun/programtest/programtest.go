// Package programtest holds a design's Pulumi program against what a test wrote out from the document. Every check
// returns an error that says what differs, nil when nothing does.
package programtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/dryrun"
)

// Registers checks that a stack of a program asks for exactly these tables, with exactly these inputs and the protection
// that the settings ask for, and for exactly these providers, by their names, beside the default one. Settings go by their full key (dynaproof:namePrefix).
func Registers(program pulumi.RunFunc, stack string, settings map[string]string, tables map[string]map[string]any, providers ...string) error {
	result, err := dryrun.Run(program, stack, settings)
	if err != nil {
		return err
	}
	var problems []error
	protect := settings["dynaproof:protect"] != "false"
	for id, inputs := range result.Tables {
		if on, _ := inputs["deletionProtectionEnabled"].(bool); on != protect || result.Protected[id] != protect {
			problems = append(problems, fmt.Errorf("table %s: expected protection %t, found deletionProtectionEnabled %t and protect %t", id, protect, on, result.Protected[id]))
		}
		if !protect {
			if _, given := inputs["deletionProtectionEnabled"]; given {
				problems = append(problems, fmt.Errorf("table %s: expected no word on deletion protection, which would turn it off, found some", id))
			}
		}
		delete(inputs, "deletionProtectionEnabled") // what is left is what the document says
	}
	if diff := cmp.Diff(tables, result.Tables); diff != "" {
		problems = append(problems, fmt.Errorf("tables (-want +got):\n%s", diff))
	}
	if found := slices.Sorted(maps.Keys(result.Providers)); !slices.Equal(providers, found) {
		problems = append(problems, fmt.Errorf("expected the providers %q beside the default one, found %q", providers, found))
	}
	return errors.Join(problems...)
}

// Exports checks that a stack of a program has exactly these outputs.
func Exports(program pulumi.RunFunc, stack string, settings map[string]string, outputs map[string]any) error {
	result, err := dryrun.Run(program, stack, settings)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(outputs, result.Outputs); diff != "" {
		return fmt.Errorf("outputs (-want +got):\n%s", diff)
	}
	return nil
}

// Refuses checks that a program ends with an error that holds all of these words, before it has asked for a table or a
// provider.
func Refuses(program pulumi.RunFunc, stack string, settings map[string]string, words ...string) error {
	result, err := dryrun.Run(program, stack, settings)
	var problems []error
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			problems = append(problems, fmt.Errorf("expected an error with %q, found %v", word, err)) //nolint:errorlint // there may be no error
		}
	}
	if len(result.Tables)+len(result.Providers) != 0 {
		problems = append(problems, fmt.Errorf("expected nothing registered, found %v and %v", result.Tables, result.Providers))
	}
	return errors.Join(problems...)
}
