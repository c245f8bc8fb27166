package target

import "context"

// Kind tells the targets apart in reports.
type Kind string

const (
	// KindEmbedded is an engine that the run started for itself.
	KindEmbedded Kind = "embedded"
	// KindEndpoint is an engine that was already listening on this machine.
	KindEndpoint Kind = "endpoint"
)

// GradeEngine is the grade of evidence that engines give: an independent engine answered, not AWS.
const GradeEngine = "engine"

// Target is an engine that answers DynamoDB's protocol for the length of a run.
type Target interface {
	// Description says what answers, for the report.
	Description() Description
	// URL is the engine's own address, for example "http://127.83.12.5:40123". Requests sent there pass no
	// witness; put a proxy of package wire in front.
	URL() string
	// Done is closed when the engine has ended, whether it was closed or died. It never closes for an endpoint,
	// whose life this package does not know.
	Done() <-chan struct{}
	// Err is an [*UnavailableError] once the engine has died by itself, with the last words that it
	// printed. It is nil while the engine runs and after Close.
	Err() error
	// Close ends what the target started and returns when it is gone and its port is free. When ctx
	// ends first, the engine is killed by force and the error says so. Close may be called again.
	Close(ctx context.Context) error
}

// Description says what answered the requests of a run; it is part of the evidence.
type Description struct {
	// Kind tells an embedded engine from an endpoint.
	Kind Kind `json:"kind"`
	// Engine is the engine's name. For an endpoint it is the product in its Server header, empty when it sends none.
	Engine string `json:"engine,omitempty"`
	// Version is the version that the engine itself reported, empty when it reports none.
	Version string `json:"version,omitempty"`
	// Digest is the digest of the executable that ran, "sha256:" and 64 hexadecimal digits; empty for an endpoint.
	Digest string `json:"digest,omitempty"`
	// Source says where the executable came from: the npm package with its version and integrity, or the environment variable
	// that named it; empty for an endpoint.
	Source string `json:"source,omitempty"`
	// URL is the engine's own address.
	URL string `json:"url"`
	// Grade is the grade of the evidence that this target gives.
	Grade string `json:"grade"`
	// Lacks are the operations that were declared beforehand as missing from an endpoint.
	Lacks []string `json:"lacks,omitempty"`
	// Account, Caller and Region are the AWS account, the ARN of who called and the region; empty for engines.
	Account string `json:"account,omitempty"`
	Caller  string `json:"caller,omitempty"`
	Region  string `json:"region,omitempty"`
	// Witness says who kept the ledger where it is not the recording proxy.
	Witness string `json:"witness,omitempty"`
}
