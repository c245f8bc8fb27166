package reader

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTakenBack holds that nothing is read below a title that takes it back, in whatever form the title stands, and that a title which has
// such a word of something else takes nothing back.
func TestTakenBack(t *testing.T) {
	const text = "# Mill\n\n## Table: `mill`\n\n- Partition key: `PK` (String)\n- Sort key: `SK` (String)\n- GSI1: partition key `sack`\n\n%s\n\n" +
		"- GSI2: partition key `miller`, sort key `day`, projection KEYS_ONLY\n- Miller: PK = `MILLER#{id}`, SK = `PROFILE`\n- Sacks by miller: Query GSI2 with miller = `{id}`\n- TTL attribute: `goesAt`\n"
	read := func(title string) string {
		above, below, _ := strings.Cut(title, " … ")
		document, err := Read(fmt.Appendf(nil, text+below, above))
		require.NoError(t, err)
		return facts(document)
	}
	for _, title := range []string{"Rejected", "Open questions", "Unused", "Deprecated", "Patterns we gave up", "Alternatives considered", "Not implemented", "Out of scope", "Old design", "Option B", "Proposal B: by miller",
		"What we tried first", "Removed in v2", "Keys (superseded)", "Later", "Nice to have", "Legacy (v1)", "Verworfen", "Índices descartados", "Padrões removidos", "Idées abandonnées", "却下した案"} {
		for _, form := range []string{"## %s", "%s", "%s:", "**%s**"} {
			assert.NotRegexp(t, `GSI2|miller|MILLER|goesAt`, read(fmt.Sprintf(form, title)), form, title)
		}
	}
	for _, title := range []string{"## Rejected orders", "## Option B (chosen)", "**Legacy sacks**", "## Old and new millers"} {
		assert.Contains(t, read(title), "index GSI2", title)
	}
	for _, title := range []string{"## Shipped\n\n## Rejected", "## Requests\n\n### Pending\n\n### Removed", "## Anträge\n\n### Abgelehnt … ### Genehmigt", "**Pendientes**\n\nAlgo.\n\n**Rechazados**", "### 申請\n\n#### 承認待ち\n\n#### 却下", "- Pending: later\n- Rejected: see below"} {
		assert.Contains(t, read(title), "index GSI2", title)
	}
	for _, title := range []string{"## Decisions\n\n### Pending\n\n### Rejected", "## Indexes\n\n### Approved\n\n### Removed", "## Access patterns\n\n### Approved\n\n### Rejected", "### Pending\n\n## Rejected", "## Requests\n\n### Pending\n\n### Redis", "### Pending\n\n### Deprecated", "### Rejected\n\n### Removed"} {
		assert.NotContains(t, read(title), "GSI2", title)
	}
	const proposed = "## Proposed indexes"
	assert.NotContains(t, read(proposed), "index GSI2 @10 planned", "what is proposed is the design")
	for _, title := range []string{"## Alternative", "## Planned GSI for reporting", "**Optional extension**", "## GSI design (if needed)", "## GSI design (when required)", "## Indexes, as needed", "**Indexes if we need them**", "## Planned", "## Current keys\n\nAs above.\n\n" + proposed} {
		assert.True(t, strings.Contains(read(title), " planned"), title)
	}
}
