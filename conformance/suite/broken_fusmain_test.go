package suite_test

import (
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/fixtures"
)

// brokenSitesAndMatches take from the flows of fus-main what keeps their
// items in agreement.
func brokenSitesAndMatches() []breakage {
	return []breakage{
		{
			name: "tag items written whatever the list says", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("change-site-tags", func(p *accesspatterns.Pattern) {
					for i := range p.Steps {
						p.Steps[i].Write = slices.DeleteFunc(p.Steps[i].Write, func(a accesspatterns.Action) bool { return a.Kind == accesspatterns.ConditionCheck })
					}
				})(design, set)
				// Whether the race goes wrong without them is a matter of luck.
				set.Stress = slices.DeleteFunc(set.Stress, func(s fixtures.Stress) bool { return s.For == "tag-items-follow-the-list" && s.Race != nil })
			},
			fails: map[string]string{
				"policy/role/admin":        `expected ConditionCheckItem on fus-main in partition SITE#1 to be denied`,
				"policy/role/superadmin":   `expected ConditionCheckItem on fus-main in partition SITE#1 to be denied`,
				"pattern/change-site-tags": `case the site vanishes before its tag item is written, step add: expected TransactionCanceledException, found success`,
			},
		},
		{
			name: "a match recorded over another", design: "fus-main",
			amend: pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write[1].Condition = nil }),
			fails: map[string]string{
				"pattern/record-match":          `case the id is taken, step record: expected TransactionCanceledException, found success`,
				"invariant/match-recorded-once": `runs that succeeded: expected 1, found 16`,
			},
		},
		{
			name: "the squash section without a look at the membership", design: "fus-main",
			amend: func(design *accesspatterns.Design, set *fixtures.Set) {
				pattern("record-match", func(p *accesspatterns.Pattern) { p.Steps[1].Write = p.Steps[1].Write[1:] })(design, set)
				pattern("members-list-players", func(p *accesspatterns.Pattern) { p.Steps[0].StopWhenEmpty = false })(design, set)
				pattern("members-get-match", func(p *accesspatterns.Pattern) { p.Steps[0].Read.Filter = nil })(design, set)
			},
			fails: map[string]string{
				"policy/role/manager":              `expected ConditionCheckItem on fus-main in partition USER#somebody to be denied, found allowed by statement OwnMembership`,
				"pattern/record-match":             `case taken out of the group between check and write, step record: expected TransactionCanceledException, found success`,
				"pattern/members-list-players":     `case in no group`,
				"pattern/members-get-match":        `case in another group, with an item of one's own making under the key`,
				"invariant/no-match-after-leaving": `runs that succeeded: expected 1, found 2`,
			},
		},
		{
			name: "participations moved after their match", design: "fus-main",
			amend: pattern("move-match", func(p *accesspatterns.Pattern) {
				move := p.Steps[1]
				after := move
				move.Write, after.Write, after.Name = move.Write[:1], move.Write[1:], "move participations"
				p.Steps = []accesspatterns.Step{p.Steps[0], move, after}
			}),
			fails: map[string]string{
				"pattern/move-match":          `case no such match, step move participations: expected a request, found none was sent`,
				"invariant/match-moves-whole": `together, found only match-1-moved`,
			},
		},
		{
			name: "a player deleted before the participations", design: "fus-main",
			amend: pattern("delete-player", func(p *accesspatterns.Pattern) { slices.Reverse(p.Steps[1:]) }),
			fails: map[string]string{
				"invariant/player-goes-last": `after request 2 of 4: expected player-10 as long as player-10-in-match-2 is there, found player-10-in-match-2 alone`,
			},
		},
	}
}
