package replay_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/tables"
	testtables "dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
)

const asked = `{
	"name": "orders", "hashKey": "pk", "rangeKey": "sk", "billingMode": "PROVISIONED", "readCapacity": 3, "writeCapacity": 4,
	"attributes": [{"name": "pk", "type": "S"}, {"name": "sk", "type": "N"}, {"name": "day", "type": "S"}],
	"globalSecondaryIndexes": [{"name": "by-day", "hashKey": "day", "rangeKey": "sk", "projectionType": "INCLUDE", "nonKeyAttributes": ["b", "a"], "readCapacity": 3, "writeCapacity": 4}],
	"ttl": {"enabled": true, "attributeName": "expiresAt"}, "pointInTimeRecovery": {"enabled": true}, "tags": {"Team": "orders"}
}`

func specOf(t *testing.T, text string) *tables.Spec {
	t.Helper()
	var inputs map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &inputs))
	return tables.Asked(inputs)
}

// operator stands behind a wire, which answers what the engine lacks.
func operator(t *testing.T) *tables.Operator {
	t.Helper()
	proxy, err := wire.Start(wire.Options{Upstream: testtables.Engine(t)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close(context.Background()) })
	return tables.At(proxy.URL(), "eu-west-1")
}

// A table is read back as it was asked for, and each part of it that is another is named.
func TestMadeAsAskedAndEachDifferenceNamed(t *testing.T) {
	o := operator(t)
	want := specOf(t, asked)
	require.NoError(t, o.MakeAsked(t.Context(), want))
	found, err := o.Read(t.Context(), "orders")
	require.NoError(t, err)
	for part, exchange := range map[string][2]string{
		"name":                   {`"orders", "hashKey"`, `"others", "hashKey"`},
		"key":                    {`"rangeKey": "sk", "billing`, `"rangeKey": "day", "billing`},
		"types":                  {`"type": "N"`, `"type": "B"`},
		"indexes":                {`["b", "a"]`, `["b"]`},
		"billing":                {"PROVISIONED", "PAY_PER_REQUEST"},
		"units":                  {`"readCapacity": 3, "writeCapacity": 4,`, `"readCapacity": 5, "writeCapacity": 4,`},
		"TTL":                    {`"enabled": true, "attributeName"`, `"enabled": false, "attributeName"`},
		"point-in-time recovery": {`Recovery": {"enabled": true}`, `Recovery": {"enabled": false}`},
		"tags":                   {`"Team": "orders"`, `"Team": "others"`},
	} {
		require.Contains(t, asked, exchange[0], "%s: nothing to exchange", part)
		different := specOf(t, strings.Replace(asked, exchange[0], exchange[1], 1)).Differences(found)
		assert.Contains(t, strings.Join(different, "\n"), part+": expected", part)
	}
	protected, streaming, other := specOf(t, asked), specOf(t, asked), specOf(t, asked)
	protected.Protected, streaming.Stream, other.Class = true, "NEW_IMAGE", "STANDARD_INFREQUENT_ACCESS"
	for part, spec := range map[string]*tables.Spec{"deletion protection": protected, "stream": streaming, "class": other} {
		different := spec.Differences(found)
		assert.True(t, len(different) == 1 && strings.HasPrefix(different[0], part+": expected"), "%s: expected it alone to be named, found %v", part, different)
	}
}

// What contracts promise can be made, changed by one thing, read back, and restored.
func TestPromisedTablesAreMade(t *testing.T) {
	o := operator(t)
	for _, design := range designs.All() {
		for i := range design.Tables {
			want := tables.Promised(&design.Tables[i], design.Tables[i].Name.In("dev"), "dev")
			want.Protected = false
			require.NoError(t, o.MakeAsked(t.Context(), want))
			require.NoError(t, o.Change(t.Context(), want.Name, func(s *tables.Spec) { s.Tags["Changed"] = "yes" }))
			found, err := o.Read(t.Context(), want.Name)
			require.NoError(t, err)
			different := want.Differences(found)
			assert.True(t, len(different) == 1 && strings.HasPrefix(different[0], "tags: "), "%s: expected the tag alone to differ, found %v", want.Name, different)
			require.NoError(t, o.Change(t.Context(), want.Name, func(s *tables.Spec) { s.Name += "-elsewhere" }))
			require.NoError(t, o.Restore(t.Context(), []*tables.Spec{want}, want.Name))
			all, err := o.All(t.Context())
			require.NoError(t, err)
			require.Len(t, all, 1, "expected nothing but what was there before")
			require.Empty(t, want.Differences(all[0]))
		}
	}
}

// A table that nobody asked for goes, whether or not it is protected, and so does one that a change has protected.
func TestProtectedTablesAreRestored(t *testing.T) {
	o := operator(t)
	want, protected := specOf(t, asked), specOf(t, asked)
	protected.Protected = true
	for _, were := range [][]*tables.Spec{nil, {want}} {
		require.NoError(t, o.MakeAsked(t.Context(), protected))
		require.NoError(t, o.Restore(t.Context(), were, want.Name))
		all, err := o.All(t.Context())
		require.NoError(t, err)
		require.Len(t, all, len(were))
		for i, was := range were {
			require.Empty(t, was.Differences(all[i]))
		}
	}
}

// An engine that makes another table than it was asked for is noticed.
func TestAnotherTableIsNoticed(t *testing.T) {
	want := specOf(t, asked)
	want.Class = "STANDARD_INFREQUENT_ACCESS"
	o := operator(t)
	err := o.MakeAsked(t.Context(), want)
	found, unread := o.Read(t.Context(), "orders")
	require.NoError(t, unread)
	assert.NotEqual(t, err != nil, found.Class == want.Class, "expected an error exactly where the engine has forgotten the class, found class %q and %v", found.Class, err)
}
