package commitcollect

import ap "dynaproof/accesspatterns"

func findings() []ap.Finding {
	var all []ap.Finding
	all = append(all, tableFindings()...)
	all = append(all, keyFindings()...)
	all = append(all, readFindings()...)
	all = append(all, sessionFindings()...)
	all = append(all, auditFindings()...)
	return append(all, writeFindings()...)
}
