package suite

import (
	"strings"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// remedy is what to do about a way to fail, in one or two sentences. All of them stand in this file.
type remedy struct{ text string }

// What to do about requests, items and rules that are not as documented.
var (
	// repairDeployment stands for the sentence of the claim's aspect, which o.deployed chooses.
	repairDeployment = remedy{"deployment"}

	activeTable      = remedy{"Wait until the table is ACTIVE, then ask again. A table that is being deleted or is archived has to be made again."}
	extraTable       = remedy{"Name the table in the document and the contract, or remove it if nobody uses it."}
	usualSetting     = remedy{"Ask the table's team whether it wants this setting. The document does not speak of it."}
	elsewhereRegion  = remedy{"Deploy to the documented region. A table cannot move: make it there, and copy the items."}
	pulumiPolicy     = remedy{"Run `pulumi up` again: the policy that is attached is not the stack's."}
	repairPolicy     = remedy{"Correct the statements where the policies are written: the stack's program, or what attached them."}
	unlikeKey        = remedy{"Compare the key types of the deployed table with the document: the engine refused the item for them."}
	unlikePrimaryKey = remedy{"Compare the primary key of the deployed table with the document: the item does not stand under its key."}
	unlikeTable      = remedy{"Compare the deployed table with the document: it refuses a request that the document makes possible."}
	writerOrContract = remedy{"Correct what writes the item. If the document allows it, correct the contract."}
	rulesOfEntity    = remedy{"Correct the entity's attributes or rules in the contract: they let an item through that the fixtures call invalid."}
	keyOfPattern     = remedy{"Correct the access pattern or the key in the contract: the request does not fit the documented key."}
	seeOtherClaim    = remedy{"Look at that claim first: this one rests on it."}
	fixtureAsWritten = remedy{"Correct the fixture or its citation: it is not the item that the document shows."}
	unlikeItem       = remedy{"Compare the stored item with the document: the engine gives back another one."}
	citeOrNarrative  = remedy{"Cite the line in the contract, or list it with the reason why it promises nothing."}
	narrativeList    = remedy{"Correct the list of lines that promise nothing: the document has changed under it."}
	citation         = remedy{"Correct the citation in the contract, or the finding that makes it."}
	noSuchAttribute  = remedy{"Take the attribute out of the item: the document does not list it."}

	repairPattern    = remedy{"Compare three things: the request in the ledger, the stored items, and the line of the document. One of them differs."}
	declareFilter    = remedy{"Declare the filter in the access pattern, or read by a key that needs none."}
	filterOrKey      = remedy{"Read by a key that finds just these items, or declare the filter in the access pattern."}
	pageByPage       = remedy{"Compare the answers with Limit 1 and without: paging changes what comes back."}
	readerRules      = remedy{"State in the access pattern what its reader leaves out."}
	stopEarlier      = remedy{"Name the step in the case. If the flow must end before it, correct the flow."}
	mustBeRefused    = remedy{"Compare the key schema and the write's condition with the document: the request must be refused."}
	eachCondition    = remedy{"Compare each condition of the transaction with the document."}
	wholeWrite       = remedy{"Put what belongs together into one transaction: the write happened in part."}
	nothingLeft      = remedy{"Put what belongs together into one transaction: a refused write must leave nothing behind."}
	casePresence     = remedy{"Say in the case which items are there afterwards (present) and which are not (absent)."}
	unnamedChange    = remedy{"Name the item in the case, present or absent. If the flow must not touch it, correct the flow."}
	evaluatePattern  = remedy{"Correct the access pattern or its cases: its requests cannot be made, so that no policy can be asked about them."}
	onePartition     = remedy{"Bind the partition key to one value: send one request for each partition."}
	readByKey        = remedy{"Read by key, and filter only what the key condition returns."}
	projectNeeded    = remedy{"Project the attributes that the reader needs."}
	guardFirst       = remedy{"Let the client use the guard (guard.New): it refuses such a request before it is sent."}
	guardReadOnly    = remedy{"Correct the contract: a table that nobody writes must have no pattern that writes it."}
	findWriter       = remedy{"Find what sent the request. The document lets nobody write this table."}
	repairFlow       = remedy{"Compare the conditions and transactions of the flow with the document: racing or dying clients break the rule."}
	reachWrites      = remedy{"Compare the items of the attempt with the flow: the flow ends before it writes."}
	notAsExplored    = remedy{"Give the pattern the condition that keeps the promise, or name it in the contract under not-kept, with a finding."}
	notAsReplayed    = remedy{"Compare the request with what the engine does: exploration in memory (package evaluate) says otherwise."}
	flowSends        = remedy{"Compare the attempt with the flow: it sends no request."}
	raceRefusals     = remedy{"Compare the condition of the flow's write with the document: the losing clients must be refused by it."}
	raceSucceeds     = remedy{"Correct the condition of the flow's write: it lets another number of clients through than documented."}
	raceStuck        = remedy{"Correct the condition of the flow's write: no racing client gets through."}
	oneRequest       = remedy{"Write what belongs together in one request."}
	changedDocument  = remedy{"Look at the changed lines: `dynaproof documents` names them. Correct the contract, then pin the new digest."}
	traceScan        = remedy{"Find the client that sent it: its request is not in this run's ledger. Let it read by key, or record a waiver with its reason."}
	doTogether       = remedy{"Write the items in one transaction, or change the order of the steps: a client that dies between them leaves them apart."}
	layerSeen        = remedy{"Name in the contract the layer that was seen, or add an attempt that this layer stops."}
	returnedEntities = remedy{"Correct the entities that the access pattern returns, or add a case that returns one."}
	keyOrWaiver      = remedy{"Read by key, or make an exception in the contract: a waiver with its reason."}
	underAClaim      = remedy{"Send every request under a claim: nobody else may use this client during a run."}
	asThePattern     = remedy{"Send what the access pattern says: its index, one partition and its filter."}
	allOnTheWire     = remedy{"Send all traffic through the wire, and let nobody else use it during a run."}
	repairView       = remedy{"Compare the view in the access pattern with the document."}
	repairSteps      = remedy{"Compare the steps of the flow, and where it ends, with the document and the case."}
	repairReader     = remedy{"Compare the reader's rules in the access pattern with the document."}
	projectOut       = remedy{"Project the attribute out: the document says that this role must not see it."}
	oneTransaction   = remedy{"Write them in one transaction."}
	noSetting        = remedy{"Remove the setting dynaproof:guardrails, and run `pulumi up` again."}
	stopAtBudget     = remedy{"Stop at the budget, and say that the read was cut."}
	compileAsText    = remedy{"Compile the pattern as the document says: this program sends another request."}
	wholeTable       = remedy{"Create the indexes with the table: an index that is added later is not what the document asks for."}
	citedEntity      = remedy{"Compare the cited lines with the contract: the item breaks its entity."}
	unlikeIAM        = remedy{"Compare the policy with what IAM makes of it. If IAM is right, the evaluation of this project is wrong."}
	repairTrial      = remedy{"Compare the trial in the fixtures with the answer: the request does not do what the contract says that it does."}
	fixtureToLookAt  = remedy{"Add a fixture that the check can look at: `dynaproof check` names it. Or give the contract a lower level."}
	renewWaiver      = remedy{"End the exception, or let its owner decide on it again and write the new last day into the contract."}
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
	manifest.AspectRegion:     {elsewhereRegion.text, "", ""},
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
	for name := range strings.SplitSeq(list, ", ") {
		found := false
		for _, each := range all {
			found = found || each == name
		}
		if !found && !isNone(name) {
			return false
		}
	}
	return true
}

// unanswerable says what to do where the target declared beforehand that it cannot answer.
var unanswerable = map[string]string{
	declaredDocuments:  "Set DYNAPROOF_DOCUMENTS to the folder that holds the document, and run again.",
	declaredExisting:   "Run `dynaproof verify` without --existing: on tables of its own it may do what nothing may do beside items of others.",
	declaredStack:      "Let the command of --deploy print the policies too, or deploy with the project's own stack.",
	declaredOpen:       "Attach the policies and ask with --guardrails enforce, or leave it: the document demands none.",
	declaredRaces:      "Run on an engine that keeps clients apart: the embedded dynoxide, or AWS.",
	declaredEncryption: "Ask AWS with `dynaproof audit --target aws`: an engine on this machine encrypts nothing.",
	declaredCreation:   "Let the run make the tables itself: `dynaproof verify` without --existing.",
	declaredMade:       "Deploy the tables with your own tool: --deploy, or `dynaproof audit` of what is deployed.",
	declaredDeviation:  "Ask another engine, or AWS: this one is known to do otherwise.",
	declaredRegion:     "Ask AWS with --target aws: an engine on this machine has no region.",
}

// lackedOperation is for a target that lacks an operation.
const lackedOperation = "Ask AWS, or an engine that knows the operation."

// unansweredRequests are what to do about a request that was not answered, by what became of it.
var unansweredRequests = map[failure]string{
	unanswered:       "Look at the answer: it judges the caller or the endpoint, not the table. Correct credentials, limits or the address, and run again.",
	denied:           "Give the caller the permission, and run again. `dynaproof audit --policy` prints all that an audit needs.",
	unknownOperation: "Declare the operation by --unsupported where the engine is known to lack it, or ask another engine.",
	throttled:        "Run again when the table is less busy, or give it more capacity.",
	broken:           "Look whether the engine still runs and can be reached, and run again.",
	withheld:         unanswerable[declaredExisting],
}

// stopped is for a request whose answer the run did not wait for.
const stopped = "Run again: the run was stopped before the answer came."

// undecidedClaims are what to do about a claim without a decision where nothing says more.
var undecidedClaims = map[evidence.Verdict]string{
	evidence.Indeterminate: "Remove what the reason names, and run again. Nothing is known about the claim.",
	evidence.Error:         "Run again. If it breaks the same way, the contract or this program is at fault, not the deployment.",
	evidence.Unsupported:   "Ask another target: this one cannot answer.",
}

// deployed says what to do about a table or an index that differs.
func (o *Observation) deployed(expected, found string) remedy {
	aspect := o.claim.Aspect
	if _, property, is := strings.Cut(aspect, "/"); is {
		aspect = property
	} else if o.claim.Kind == manifest.KindIndex {
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
	if o.session != nil && o.session.ReadOnly {
		how = byTool
	}
	return remedy{strings.TrimSpace(what + " " + how)}
}
