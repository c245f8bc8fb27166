package observe

import (
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/failures"
)

// What a target declares beforehand that it cannot answer.
const (
	// DeclaredDocuments: the folder does not hold the document.
	DeclaredDocuments = "documents"
	// DeclaredExisting: on an existing stack nothing may touch the items of others.
	DeclaredExisting = "existing stack"
	// DeclaredStack: another tool than a stack made the tables, and tells no policies.
	DeclaredStack = "stack"
	// DeclaredOpen: the document leaves open whether policies are attached, and none is.
	DeclaredOpen = "policies"
	// DeclaredRaces: the engine mixes clients up.
	DeclaredRaces = "races"
	// DeclaredEncryption: an engine on this machine encrypts nothing.
	DeclaredEncryption = "encryption"
	// DeclaredCreation: the tables were made before the run, or by requests that it did not see.
	DeclaredCreation = "creation"
	// DeclaredMade: what nobody deployed.
	DeclaredMade = "settings of tables that are made from the contract"
	// declaredDeviation: the engine is known to do otherwise than AWS there.
	declaredDeviation = "known deviations of the engine"
	// DeclaredRegion: an engine on this machine has no region.
	DeclaredRegion = "region"
)

// Why claims of two kinds cannot be decided on an existing stack.
const (
	NeedsEphemeral = "clients that race and die need an ephemeral stack: on an existing stack one client alone writes, under the condition that nobody else does"
	CreationUnseen = "the run saw no request that created the table"
	NeedsStack     = "no stack was asked for its policies"
)

// unanswerable says what to do where the target declared beforehand that it cannot answer.
var unanswerable = map[string]string{
	DeclaredDocuments:  "Set DYNAPROOF_DOCUMENTS to the folder that holds the document, and run again.",
	DeclaredExisting:   "Run `dynaproof verify` without --existing: on tables of its own it may do what nothing may do beside items of others.",
	DeclaredStack:      "Let the command of --deploy print the policies too, or deploy with the project's own stack.",
	DeclaredOpen:       "Attach the policies and ask with --guardrails enforce, or leave it: the document demands none.",
	DeclaredRaces:      "Run on an engine that keeps clients apart: the embedded dynoxide, or AWS.",
	DeclaredEncryption: "Ask AWS with `dynaproof audit --target aws`: an engine on this machine encrypts nothing.",
	DeclaredCreation:   "Let the run make the tables itself: `dynaproof verify` without --existing.",
	DeclaredMade:       "Deploy the tables with your own tool: --deploy, or `dynaproof audit` of what is deployed.",
	declaredDeviation:  "Ask another engine, or AWS: this one is known to do otherwise.",
	DeclaredRegion:     "Ask AWS with --target aws: an engine on this machine has no region.",
}

// lackedOperation is for a target that lacks an operation.
const lackedOperation = "Ask AWS, or an engine that knows the operation."

// unansweredRequests are what to do about a request that was not answered, by what became of it.
var unansweredRequests = map[failures.Kind]string{
	failures.Unanswered:       "Look at the answer: it judges the caller or the endpoint, not the table. Correct credentials, limits or the address, and run again.",
	failures.Denied:           "Give the caller the permission, and run again. `dynaproof audit --policy` prints all that an audit needs.",
	failures.UnknownOperation: "Declare the operation by --unsupported where the engine is known to lack it, or ask another engine.",
	failures.Throttled:        "Run again when the table is less busy, or give it more capacity.",
	failures.Broken:           "Look whether the engine still runs and can be reached, and run again.",
	failures.Local:            "No engine is at fault: do what the reason says, and run again.",
	failures.Withheld:         unanswerable[DeclaredExisting],
}

// stopped is for a request whose answer the run did not wait for.
const stopped = "Run again: the run was stopped before the answer came."

// undecidedClaims are what to do about a claim without a decision where nothing says more.
var undecidedClaims = map[evidence.Verdict]string{
	evidence.Indeterminate: "Remove what the reason names, and run again. Nothing is known about the claim.",
	evidence.Error:         "Run again. If it breaks the same way, the contract or this program is at fault, not the deployment.",
	evidence.Unsupported:   "Ask another target: this one cannot answer.",
}
