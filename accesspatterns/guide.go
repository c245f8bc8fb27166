package accesspatterns

import "embed"

// Guide says how a contract is written: README.md, and the design in the folder example that it goes through.
//
//go:embed README.md example
var Guide embed.FS
