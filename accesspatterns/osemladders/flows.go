package osemladders

import ap "dynaproof/accesspatterns"

// The document lists reads alone (finding writes-undocumented). Beside the plain
// forms stand flows with conditions: rules that the text does not have (finding
// life-cycles and others), and what keeps two writers from undoing each other. They
// are chosen, and a service may do without them.

func idKey(attribute string, id ap.KeyTemplate) []ap.Equality {
	return []ap.Equality{*ap.Equals(attribute, id)}
}

func is(attribute string, value ap.Operand) ap.WriteCondition {
	return ap.WriteCondition{Attribute: attribute, Operator: ap.ConditionEquals, Value: value}
}

func has(attribute string, member ap.KeyTemplate) ap.WriteCondition {
	return ap.WriteCondition{Attribute: attribute, Operator: ap.ConditionHas, Value: ap.Text(member)}
}

func assign(attribute string, value ap.Operand) ap.Assignment {
	return ap.Assignment{Attribute: attribute, Value: value}
}

func updatedAt() ap.Assignment { return assign("updatedAt", ap.Digits("{updatedAt}")) }

func configWrites() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "create-config", Title: "a new config version, stored as inactive until it is activated",
			Cite:  ap.Lines(439, 445, "configId", "UUID", "createdBy", "createdAt", "isActive").Chosen(byRoles),
			Roles: []string{admin},
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Line(439, "configId", "UUID"),
				Write: []ap.Action{{Kind: ap.Put, Table: "ConfigVersions", Entity: "config", Item: "config", Condition: ap.IfAbsent("configId"), With: []ap.Equality{*ap.EqualsNumber("isActive", "0")}}},
			}},
			Returns: []string{"config"},
		},
		{
			// The base table decides, not the index: every transaction that succeeds
			// turns one flag off and one on, each on condition of what it was, so
			// that the number of active versions never changes. A read of the index
			// that comes late makes a condition fail, and the client begins again.
			ID: "activate-config", Title: "another config version becomes the active one, and the former one stops in the same transaction",
			Cite:  ap.Line(445, "isActive", "one active config").Chosen(byRoles),
			Roles: []string{admin},
			Flow: []ap.Step{
				{
					Name: "current", Cite: ap.Line(475, "current active config", "isActive=1"),
					Read:          configsByFlag("1"),
					StopWhenEmpty: true,
				},
				{
					Name: "switch", Cite: ap.Line(445, "one active config").And(ap.Line(472, "0 or 1")),
					ForEach: ap.Each("current", "configId", "currentConfigId"),
					Write: []ap.Action{
						setFlag("{currentConfigId}", "1", "0"),
						setFlag("{configId}", "0", "1"),
					},
				},
				{
					// No limit, so that a second active version could not hide.
					Name: "active", Cite: ap.Line(445, "one active config"),
					Read: configsByFlag("1"),
				},
			},
			Returns: []string{"config"},
		},
	}
}

// setFlag changes isActive of one version, provided that it still has the value
// that the caller believes it has.
func setFlag(configID, from, to ap.KeyTemplate) ap.Action {
	return ap.Action{
		Kind: ap.Update, Table: "ConfigVersions", Key: []ap.Equality{*ap.Equals("configId", configID)},
		Set:       []ap.Assignment{{Attribute: "isActive", Value: ap.Digits(to)}},
		Condition: []ap.WriteCondition{{Attribute: "isActive", Operator: ap.ConditionEquals, Value: ap.Digits(from)}},
	}
}
