package rollmodel

import ap "dynaproof/accesspatterns"

func findings() []ap.Finding {
	var all []ap.Finding
	all = append(all, privacyFindings()...)
	all = append(all, chatFindings()...)
	all = append(all, entryFindings()...)
	all = append(all, versionFindings()...)
	all = append(all, keywordFindings()...)
	all = append(all, gapFindings()...)
	return append(all, textFindings()...)
}
