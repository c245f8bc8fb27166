package cli

import (
	"errors"
	"io"
	"os"
	"strings"
)

// Run runs a command line in this process, for tests. Nobody is there to be asked.
func Run(stdout, stderr io.Writer, args ...string) int {
	return int(run(args, strings.NewReader(""), stdout, stderr))
}

// RunIn is [Run] in a working folder, with variables of the environment; both are put back.
func RunIn(folder string, variables []string, stdout, stderr io.Writer, args ...string) (code int, err error) {
	before, err := os.Getwd()
	if err = errors.Join(err, os.Chdir(folder)); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Chdir(before)) }()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		was, there := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
		defer func() {
			err = errors.Join(err, os.Setenv(name, was))
			if !there {
				err = errors.Join(err, os.Unsetenv(name))
			}
		}()
	}
	return Run(stdout, stderr, args...), nil
}
