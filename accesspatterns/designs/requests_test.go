package designs_test

import (
	"testing"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/requests"
)

// TestRequests holds the guard to requests that were written from the documents alone, and to the same with other values.
func TestRequests(t *testing.T) {
	for _, design := range designs.All() {
		all, err := designs.Requests(design.Name)
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: expected requests, found %d, %v", design.Name, len(all), err)
		}
		t.Run(design.Name, func(t *testing.T) {
			judge := requests.NewJudge(design)
			for _, problem := range append(judge.Problems(all), judge.Varied(all)...) {
				t.Error(problem)
			}
		})
	}
}
