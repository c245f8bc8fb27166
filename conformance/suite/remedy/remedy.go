// Package remedy has what to do about each way to fail. A sentence can be made here alone.
package remedy

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// Advice is what to do about a way to fail, in one or two sentences. All of them stand in this file.
type Advice struct{ text string }

func (r Advice) String() string { return r.text }

// What to do about requests, items and rules that are not as documented.
var (
	// RepairDeployment stands for the sentence of the claim's aspect, which [Deployed] chooses.
	RepairDeployment = Advice{"deployment"}

	ActiveTable      = Advice{"Wait until the table is ACTIVE, then ask again. A table that is being deleted or is archived has to be made again."}
	ExtraTable       = Advice{"Name the table in the document and the contract, or remove it if nobody uses it."}
	UsualSetting     = Advice{"Ask the table's team whether it wants this setting. The document does not speak of it."}
	ElsewhereRegion  = Advice{"Deploy to the documented region. A table cannot move: make it there, and copy the items."}
	PulumiPolicy     = Advice{"Run `pulumi up` again: the policy that is attached is not the stack's."}
	RepairPolicy     = Advice{"Correct the statements where the policies are written: the stack's program, or what attached them."}
	UnlikeKey        = Advice{"Compare the key types of the deployed table with the document: the engine refused the item for them."}
	UnlikePrimaryKey = Advice{"Compare the primary key of the deployed table with the document: the item does not stand under its key."}
	UnlikeTable      = Advice{"Compare the deployed table with the document: it refuses a request that the document makes possible."}
	WriterOrContract = Advice{"Correct what writes the item. If the document allows it, correct the contract."}
	RulesOfEntity    = Advice{"Correct the entity's attributes or rules in the contract: they let an item through that the fixtures call invalid."}
	KeyOfPattern     = Advice{"Correct the access pattern or the key in the contract: the request does not fit the documented key."}
	SeeOtherClaim    = Advice{"Look at that claim first: this one rests on it."}
	FixtureAsWritten = Advice{"Correct the fixture or its citation: it is not the item that the document shows."}
	UnlikeItem       = Advice{"Compare the stored item with the document: the engine gives back another one."}
	CiteOrNarrative  = Advice{"Cite the line in the contract, or list it with the reason why it promises nothing."}
	NarrativeList    = Advice{"Correct the list of lines that promise nothing: the document has changed under it."}
	Citation         = Advice{"Correct the citation in the contract, or the finding that makes it."}
	NoSuchAttribute  = Advice{"Take the attribute out of the item: the document does not list it."}

	RepairPattern    = Advice{"Compare three things: the request in the ledger, the stored items, and the line of the document. One of them differs."}
	DeclareFilter    = Advice{"Declare the filter in the access pattern, or read by a key that needs none."}
	FilterOrKey      = Advice{"Read by a key that finds just these items, or declare the filter in the access pattern."}
	PageByPage       = Advice{"Compare the answers with Limit 1 and without: paging changes what comes back."}
	ReaderRules      = Advice{"State in the access pattern what its reader leaves out."}
	StopEarlier      = Advice{"Name the step in the case. If the flow must end before it, correct the flow."}
	MustBeRefused    = Advice{"Compare the key schema and the write's condition with the document: the request must be refused."}
	EachCondition    = Advice{"Compare each condition of the transaction with the document."}
	WholeWrite       = Advice{"Put what belongs together into one transaction: the write happened in part."}
	NothingLeft      = Advice{"Put what belongs together into one transaction: a refused write must leave nothing behind."}
	CasePresence     = Advice{"Say in the case which items are there afterwards (present) and which are not (absent)."}
	UnnamedChange    = Advice{"Name the item in the case, present or absent. If the flow must not touch it, correct the flow."}
	EvaluatePattern  = Advice{"Correct the access pattern or its cases: its requests cannot be made, so that no policy can be asked about them."}
	OnePartition     = Advice{"Bind the partition key to one value: send one request for each partition."}
	ReadByKey        = Advice{"Read by key, and filter only what the key condition returns."}
	ProjectNeeded    = Advice{"Project the attributes that the reader needs."}
	GuardFirst       = Advice{"Let the client use the guard (guard.New): it refuses such a request before it is sent."}
	GuardReadOnly    = Advice{"Correct the contract: a table that nobody writes must have no pattern that writes it."}
	FindWriter       = Advice{"Find what sent the request. The document lets nobody write this table."}
	RepairFlow       = Advice{"Compare the conditions and transactions of the flow with the document: racing or dying clients break the rule."}
	ReachWrites      = Advice{"Compare the items of the attempt with the flow: the flow ends before it writes."}
	NotAsExplored    = Advice{"Give the pattern the condition that keeps the promise, or name it in the contract under not-kept, with a finding."}
	NotAsReplayed    = Advice{"Compare the request with what the engine does: exploration in memory (package evaluate) says otherwise."}
	FlowSends        = Advice{"Compare the attempt with the flow: it sends no request."}
	RaceRefusals     = Advice{"Compare the condition of the flow's write with the document: the losing clients must be refused by it."}
	RaceSucceeds     = Advice{"Correct the condition of the flow's write: it lets another number of clients through than documented."}
	RaceStuck        = Advice{"Correct the condition of the flow's write: no racing client gets through."}
	OneRequest       = Advice{"Write what belongs together in one request."}
	ChangedDocument  = Advice{"Look at the changed lines: `dynaproof documents` names them. Correct the contract, then pin the new digest."}
	TraceScan        = Advice{"Find the client that sent it: its request is not in this run's ledger. Let it read by key, or record a waiver with its reason."}
	DoTogether       = Advice{"Write the items in one transaction, or change the order of the steps: a client that dies between them leaves them apart."}
	LayerSeen        = Advice{"Name in the contract the layer that was seen, or add an attempt that this layer stops."}
	ReturnedEntities = Advice{"Correct the entities that the access pattern returns, or add a case that returns one."}
	KeyOrWaiver      = Advice{"Read by key, or make an exception in the contract: a waiver with its reason."}
	UnderAClaim      = Advice{"Send every request under a claim: nobody else may use this client during a run."}
	AsThePattern     = Advice{"Send what the access pattern says: its index, one partition and its filter."}
	AllOnTheWire     = Advice{"Send all traffic through the wire, and let nobody else use it during a run."}
	RepairView       = Advice{"Compare the view in the access pattern with the document."}
	RepairSteps      = Advice{"Compare the steps of the flow, and where it ends, with the document and the case."}
	RepairReader     = Advice{"Compare the reader's rules in the access pattern with the document."}
	ProjectOut       = Advice{"Project the attribute out: the document says that this role must not see it."}
	OneTransaction   = Advice{"Write them in one transaction."}
	NoSetting        = Advice{"Remove the setting dynaproof:guardrails, and run `pulumi up` again."}
	StopAtBudget     = Advice{"Stop at the budget, and say that the read was cut."}
	CompileAsText    = Advice{"Compile the pattern as the document says: this program sends another request."}
	WholeTable       = Advice{"Create the indexes with the table: an index that is added later is not what the document asks for."}
	CitedEntity      = Advice{"Compare the cited lines with the contract: the item breaks its entity."}
	UnlikeIAM        = Advice{"Compare the policy with what IAM makes of it. If IAM is right, the evaluation of this project is wrong."}
	RepairTrial      = Advice{"Compare the trial in the fixtures with the answer: the request does not do what the contract says that it does."}
	FixtureToLookAt  = Advice{"Add a fixture that the check can look at: `dynaproof check` names it. Or give the contract a lower level."}
	RenewWaiver      = Advice{"End the exception, or let its owner decide on it again and write the new last day into the contract."}
)

// deployed are what to do about a table or an index, by the aspect of the claim: where what is expected is not there, where there is
// something that is not expected, and where it differs. Where the last two are empty the first one stands for them.
var deployed = map[string]struct{ missing, extra, differs string }{
	"tables":                  {"Deploy the table.", "Document the table, or remove it if nobody uses it.", ""},
	manifest.AspectExists:     {"Deploy the table under this name, or give its own name with --table.", "", ""},
	manifest.AspectKey:        {"Make the table anew with the documented key and copy its items: DynamoDB cannot change the key of a table.", "", ""},
	manifest.AspectAttributes: {"Define the attribute with this type: an index or the key needs it.", "Remove the definition: no documented key uses the attribute.", "Define the attribute with the documented type. Where a key uses it, the table or the index has to be made anew."},
	manifest.AspectBilling:    {"Set the documented billing mode. Requests are served meanwhile.", "", ""},
	manifest.AspectIndexes:    {"Add the index: DynamoDB fills it from the table's items. A local index needs a new table.", "Remove the index if nobody reads it, or document it. No item is lost with it.", "Add the index that is missing, and remove or document the one that is not documented."},
	"index":                   {"Add the index: DynamoDB fills it from the table's items. A local index needs a new table.", "", "Delete the index and make it anew: DynamoDB cannot change the key of an index."},
	manifest.AspectProjection: {"Add the index with the documented projection.", "", "Delete the index and make it anew: DynamoDB cannot change a projection. Reads that ask for other attributes are refused meanwhile."},
	manifest.AspectTTL:        {"Switch time to live on for this attribute. Items that are due are deleted within days.", "Switch time to live off: items that the document keeps may be deleted.", "Switch time to live off, and after an hour on for the documented attribute."},
	manifest.AspectPITR:       {"Switch point-in-time recovery on. It restores no moment before it was on.", "", ""},
	manifest.AspectRegion:     {ElsewhereRegion.text, "", ""},
	manifest.AspectEncryption: {"Set encryption to the key that AWS owns, or to the managed key aws/dynamodb.", "", ""},
	manifest.AspectTags:       {"Add the tag.", "Remove the tag, or document it.", "Give the tag the documented value."},
	manifest.AspectStream:     {"Switch the stream on.", "Remove the stream if nobody reads it, or document it.", "Switch the stream off and on again with the documented view: DynamoDB cannot change it."},
	manifest.AspectProtection: {"Switch deletion protection on.", "", ""},
	manifest.AspectClass:      {"Set the documented table class.", "", ""},
	manifest.AspectExtras:     {"", "Remove it if nobody uses it, or document it.", ""},
}

// How to change a table: where the run deployed it, and where somebody deployed it long before.
const (
	byProgram = "Correct what deploys the table, and run again."
	byTool    = "Change it with the tool that deployed it. A tool that keeps a state has to read the table into it first, or it sees nothing to do."
)

// isNone reports whether a side of a comparison says that there is none.
func isNone(side string) bool {
	switch side {
	case "", "none", "off", "no stream", "no such index", "no such table", evidence.NotListed, "disabled", "DISABLED":
		return true
	}
	return strings.HasPrefix(side, "only documented")
}

// within reports whether every name of a list stands in another one.
func within(list, other string) bool {
	all := strings.Split(other, ", ")
	return !slices.ContainsFunc(strings.Split(list, ", "), func(name string) bool { return !slices.Contains(all, name) && !isNone(name) })
}

// Deployed says what to do about a table or an index that differs.
func Deployed(claim manifest.Claim, readOnly bool, expected, found string) Advice {
	aspect := claim.Aspect
	if _, property, is := strings.Cut(aspect, "/"); is {
		aspect = property
	} else if claim.Kind == manifest.KindIndex {
		aspect = "index"
	} else if aspect == "" {
		aspect = "tables"
	}
	of := deployed[aspect]
	what := of.missing
	switch {
	case isNone(expected) && of.extra != "":
		what = of.extra
	case !isNone(found) && aspect == manifest.AspectIndexes && within(expected, found):
		what = of.extra
	case !isNone(found) && aspect == manifest.AspectIndexes && within(found, expected):
	case !isNone(found) && of.differs != "":
		what = of.differs
	}
	how := byProgram
	if readOnly {
		how = byTool
	}
	return Advice{strings.TrimSpace(what + " " + how)}
}
