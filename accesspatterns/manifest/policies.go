package manifest

import "strings"

// Aspects of policies that are claims of their own. The subject of the last two
// is a role or a table, and for a scan of an index the index stands behind the
// aspect.
const (
	PolicyRoles       = "roles"
	PolicyRole        = "role"
	PolicyConfinement = "confinement"
	PolicyNoScan      = "no-scan"
)

// policies adds the claims about the policies of a stack. They are decided by
// evaluating what the stack has deployed; only AWS enforces it.
func (a *adder) policies() {
	if len(a.Policies.Roles) == 0 && a.Policies.NoScan == nil {
		return // a document that names no role and forbids no scan asks for no policy
	}
	const everyRole = "a role that patterns name can only be held to them by a policy of its own"
	a.add(KindPolicy, "policy/"+PolicyRoles, a.Name, PolicyRoles,
		"the stack has a policy for each role and each table, and no other", a.Policies.Cite.Implied(everyRole))
	for _, role := range a.Policies.Roles {
		a.add(KindPolicy, "policy/"+PolicyRole+"/"+role.ID, role.ID, PolicyRole,
			"the policy of role "+role.ID+", as evaluated, allows what its patterns need, and no request of another role that IAM can tell apart", role.Cite)
		if role.Confined != nil {
			confined := role.Confined.Cite
			confined.Basis = confined.Basis.Weaker(role.Cite.Basis)
			a.add(KindPolicy, "policy/"+PolicyConfinement+"/"+role.ID, role.ID, PolicyConfinement,
				"the policy of role "+role.ID+", as evaluated, confines a user to partitions of its own", confined)
		}
	}
	cite := a.AccessPatterns.Implied("no scan is allowed on any table without a waiver")
	if a.Policies.NoScan != nil {
		cite = *a.Policies.NoScan
	}
	for _, table := range a.Tables {
		claim := a.add(KindPolicy, "policy/"+PolicyNoScan+"/"+table.ID, table.ID, PolicyNoScan,
			"the policy of "+table.ID+", as evaluated, denies Scan and PartiQL full scans of the table to all", cite)
		if pattern, waived := a.ScanOf(table.ID); waived {
			claim.Waiver = pattern.Waiver
			claim.Title = "the policy of " + table.ID + ", as evaluated, denies PartiQL full scans of the table to all, and Scan to all but role " + strings.Join(pattern.Roles, ", ")
		}
		for _, index := range table.Indexes {
			a.add(KindPolicy, "policy/"+PolicyNoScan+"/"+table.ID+"/"+index.Name, table.ID, PolicyNoScan+"/"+index.Name,
				"the policy of "+table.ID+", as evaluated, denies Scan and PartiQL full scans of "+index.Name+" to all", cite)
		}
	}
}
