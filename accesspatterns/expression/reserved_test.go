package expression

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/tabletest"
)

func TestReservedWord(t *testing.T) {
	if len(reserved) != 573 || !slices.IsSorted(reserved) {
		t.Errorf("expected DynamoDB's 573 words in order, found %d", len(reserved))
	}
	for text, want := range tabletest.Read[map[string]string](t, "reserved.yaml") {
		assert.Equal(t, want, ReservedWord(text), "%q", text)
	}
	if allocated := testing.AllocsPerRun(100, func() { ReservedWord("pk = :p AND begins_with(sk, :s)") }); allocated > 0 {
		t.Errorf("expected no allocation, found %v", allocated)
	}
}
