package expression

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReservedWord(t *testing.T) {
	if len(reserved) != 573 || !slices.IsSorted(reserved) {
		t.Errorf("expected DynamoDB's 573 words in order, found %d", len(reserved))
	}
	for text, want := range map[string]string{
		"":                                          "",
		"SET status = :s":                           "status",
		"set Status = :s":                           "Status",
		"SET #status = :status":                     "",
		"SET #s.status = :s":                        "status",
		"SET a = :s REMOVE ttl, b":                  "ttl",
		"SET a = if_not_exists(value, :s)":          "value",
		"SET a = list_append(lines, :l)":            "lines",
		"attribute_exists(id) AND size(a) > :n":     "",
		"size(size) > :n":                           "size",
		"contains(#roles, :r) OR NOT a IN (:b, :c)": "",
		"a BETWEEN :low AND :high":                  "",
		"id, data[0].x":                             "data",
		"id, parts[0].name[1]":                      "name",
		"statuses = :s AND stat = :s":               "",
		"zzz = :z":                                  "",
	} {
		assert.Equal(t, want, ReservedWord(text), "%q", text)
	}
	if allocated := testing.AllocsPerRun(100, func() { ReservedWord("pk = :p AND begins_with(sk, :s)") }); allocated > 0 {
		t.Errorf("expected no allocation, found %v", allocated)
	}
}
