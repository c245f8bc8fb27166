package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

// On AWS a run's tag and path are put on what it creates; what deploys puts them beside those of the program. Elsewhere nothing is.
func TestRunTagIsAskedFor(t *testing.T) {
	account := &target.Account{ID: "111122223333"}
	run := &Replay{cloud: account, id: "0123", evidence: evidence.Run{}, options: Options{Environment: "dev", Region: "eu-west-1"}}
	run.target = account
	design := designs.All()[0]
	asked := run.stackOptions(design)
	if d := cmp.Diff(map[string]string{RunTag: run.runTag()}, asked.Tags); d != "" || asked.PolicyPath != "/dynaproof/run/0123/" {
		t.Errorf("expected the run's tag and path, found %v and %q", asked.Tags, asked.PolicyPath)
	}
}
