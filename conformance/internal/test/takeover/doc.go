// Package takeover proves, with the ordinary Pulumi CLI, that the state which dynaproof/stacks/deploy writes is an
// ordinary Pulumi state: the CLI reads, previews, refreshes, updates and destroys a stack that deploy made, and deploy
// does the same with a stack that the CLI made.
//
// It holds tests alone. They need the CLI, which `make takeover` builds from its own Go module; pulumi.mod and
// pulumi.sum pin all that it consists of, apart from this module's own requirements.
//
// The CLI runs the same programs through Pulumi's Automation API, which needs no language plugin, and reaches the same
// aws provider as deploy, on loopback. So this proves that state, locks, secrets, configuration and the engine's
// protocol fit together. It proves nothing about the real aws plugin, about pulumi-language-go, or about AWS.
package takeover
