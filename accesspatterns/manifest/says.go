package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
)

// Fact is one thing that a claim asserts: "type" is "String".
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Says lists what a claim asserts, from the contract alone, in the order in which it is read. The environment stands for {env} in names
// and tags; "" leaves the documented form. It is empty for a kind whose title says everything.
func Says(d *accesspatterns.Design, claim Claim, environment string) []Fact {
	s := &sayer{d: d, claim: claim, environment: environment}
	if says := claim.Kind.row().says; says != nil {
		says(s)
	}
	return s.facts
}

type sayer struct {
	d           *accesspatterns.Design
	claim       Claim
	environment string
	facts       []Fact
}

// say adds a fact; nothing where there is no text.
func (s *sayer) say(name, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		s.facts = append(s.facts, Fact{name, text})
	}
}

func (s *sayer) list(name string, items []string) { s.say(name, "%s", strings.Join(items, ", ")) }

// the is an element that was looked for, or an empty one: a claim that is not this design's asserts nothing of it.
func the[T any](found *T, known bool) *T {
	if known {
		return found
	}
	return new(T)
}

func (s *sayer) name(name accesspatterns.NameTemplate) string {
	if s.environment == "" {
		return string(name)
	}
	return name.In(s.environment)
}

func (s *sayer) document() {
	s.say("expected", "the document's SHA-256 is %s, and the tokens of %d citations stand on the cited lines", s.d.Document.SHA256, len(Citations(s.d)))
}

func (s *sayer) schema() {
	if s.claim.Aspect == "" {
		var names []string
		for i := range s.d.Tables {
			names = append(names, s.name(s.d.Tables[i].Name))
		}
		s.say("expected", "tables %s", strings.Join(names, ", "))
		return
	}
	table, known := s.d.Table(s.claim.Subject)
	if !known {
		return
	}
	for _, part := range aspects(table, s.name) {
		if part.name == s.claim.Aspect {
			s.say("expected", "%s", part.expected)
		}
	}
}

func (s *sayer) index() {
	name, aspect, _ := strings.Cut(s.claim.Aspect, "/")
	index := the(the(s.d.Table(s.claim.Subject)).Index(name))
	if aspect != AspectProjection {
		s.say("expected", "index %s, key %s", index.Name, index.ShowKey())
		return
	}
	projected := string(index.Projection)
	if len(index.NonKeyAttributes) > 0 {
		projected += " of " + strings.Join(index.NonKeyAttributes, ", ")
	}
	s.say("expected", "index %s, projection %s", index.Name, projected)
}

func (s *sayer) entity() {
	entity := the(s.d.Entity(s.claim.Subject))
	s.say("table", "%s", entity.Table)
	for _, key := range entity.Keys {
		form := string(key.Template)
		if key.Type != "" && key.Type != dynamo.String {
			form += ", " + typeNames[key.Type]
		}
		if key.Optional {
			form += ", or absent, and then the item is not in the index"
		}
		for _, parameter := range key.Template.Parameters() {
			bound := key.Bound(parameter)
			if _, is := entity.Attribute(bound); is {
				form += "; {" + parameter + "} is attribute " + bound
			}
		}
		s.say("key "+key.Attribute, "%s", form)
	}
	if entity.Closed != nil {
		s.say("other attributes", "none (%s)", s.d.Document.Cite(*entity.Closed))
	}
}

// typeNames are the names of the types as AWS's documents write them.
var typeNames = map[dynamo.Type]string{
	dynamo.String: "String", dynamo.Number: "Number", dynamo.Binary: "Binary", dynamo.Boolean: "Boolean",
	dynamo.Null: "NULL", dynamo.Map: "Map", dynamo.List: "List",
	dynamo.StringSet: "String Set", dynamo.NumberSet: "Number Set", dynamo.BinarySet: "Binary Set", "": "any type",
}

func (s *sayer) attribute() {
	if attribute, known := the(s.d.Entity(s.claim.Subject)).Attribute(s.claim.Aspect); known {
		s.facts = ofAttribute(attribute)
	}
}

// ofAttribute says all that is asserted of an attribute: its type, whether an item must carry it, and its values.
func ofAttribute(a *accesspatterns.Attribute) []Fact {
	s := &sayer{}
	s.say("type", "%s", typeNames[a.Type])
	s.say("presence", "%s", []string{"required", "optional", "optional, may be NULL"}[a.Presence])
	var values []string
	if len(a.Allowed) > 0 {
		values = append(values, "one of "+strings.Join(a.Allowed, ", "))
	}
	if a.Minimum != nil {
		values = append(values, fmt.Sprintf("at least %g", *a.Minimum))
	}
	if a.Maximum != nil {
		values = append(values, fmt.Sprintf("at most %g", *a.Maximum))
	}
	if a.Format != "" {
		values = append(values, string(a.Format))
	}
	if a.NotEmpty {
		values = append(values, "not empty")
	}
	for _, name := range slices.Sorted(maps.Keys(a.JSON)) {
		values = append(values, "JSON member "+name+" "+a.JSON[name])
	}
	s.list("values", values)
	return s.facts
}

// attributeTitle is the title of a claim about an attribute.
func attributeTitle(entity *accesspatterns.Entity, a *accesspatterns.Attribute) string {
	var said []string
	for _, fact := range ofAttribute(a) {
		said = append(said, fact.Text)
	}
	return entity.Title + ": " + a.Name + " is " + strings.Join(said, ", ")
}

func (s *sayer) rule() {
	rule := the(the(s.d.Entity(s.claim.Subject)).Rule(s.claim.Aspect))
	s.say("rule", "%s", rule.Statement)
	s.say("attribute", "%s", rule.Attribute)
	s.say("has the form", "%s", rule.Template)
	s.say("equals", "%s", rule.EqualTo)
	s.say("holds when", "%s", rule.CEL)
}

func (s *sayer) pattern() {
	pattern := the(s.d.Pattern(s.claim.Subject))
	s.list("roles", pattern.Roles)
	s.list("returns", pattern.Returns)
	s.flow(pattern)
	if waiver, known := s.d.Waiver(pattern.Waiver); known {
		s.say("waiver", "%s: %s", waiver.ID, waiver.Reason)
	}
}

func (s *sayer) finding() {
	finding := the(s.d.Finding(s.claim.Subject))
	s.say("finding", "%s, severity %s", finding.Kind, finding.Severity)
	s.say("to the letter", "%s", finding.Literal)
	s.say("this project reads it as", "%s", finding.Resolved)
	s.say("to the author", "%s", finding.Instead)
	s.say("not shown by a request", "%s", finding.Static)
	for _, lack := range finding.Lacks {
		s.say("no item carries", "%s", lack)
	}
}

// proofs say how a guardrail is shown to hold.
var proofs = map[accesspatterns.Proof]string{
	accesspatterns.ByTrials:             "requests that would break it are tried: each is refused, or has no effect",
	accesspatterns.ByClaims:             "the claims that it restates hold",
	accesspatterns.ByLedgerNoScan:       "the ledger of the run has no Scan and no PartiQL statement but waived ones and those that show a finding",
	accesspatterns.ByLedgerOnePartition: "every Query of a pattern binds the partition key to one value",
	accesspatterns.ByLedgerProjection:   "every Query of a pattern carries a projection expression",
	accesspatterns.ByLedgerKeyCondition: "no request of a pattern filters without a key condition",
	accesspatterns.ByLedgerWholeTables:  "each table was created with all of its indexes by one request",
	accesspatterns.ByBudget:             "the read is replayed over more items than it may inspect",
}

// layers say what enforces a rule.
var layers = map[accesspatterns.Layer]string{
	accesspatterns.LayerGuard:      "guard: this project's client refuses the request before it is sent",
	accesspatterns.LayerEngine:     "engine: DynamoDB refuses the request, by a condition or a key schema",
	accesspatterns.LayerContract:   "contract: the pattern's own key condition, projection, filter or order of steps",
	accesspatterns.LayerDeployment: "deployment: how the tables are configured",
	accesspatterns.LayerPolicy:     "policy: an IAM policy, which AWS alone enforces",
}

func (s *sayer) guardrail() {
	guardrail := the(s.d.Guardrail(s.claim.Subject))
	s.say("rule", "%s", guardrail.Rule)
	s.law(guardrail.Law)
	s.say("enforced by", "%s", layers[guardrail.Layer])
	s.say("shown by", "%s", proofs[guardrail.Proof])
}

func (s *sayer) invariant() {
	invariant := the(s.d.Invariant(s.claim.Subject))
	s.say("rule", "%s", invariant.Rule)
	s.law(invariant.Law)
	s.say("enforced by", "%s", layers[invariant.Layer])
	s.say("flow", "%s", invariant.Flow)
	s.flow(the(s.d.Pattern(invariant.Flow)))
}

// confinement says whose items a role reaches, and who does not keep to it.
func (s *sayer) confinement() {
	role, known := s.d.Role(s.claim.Subject)
	if !known || role.Reach == nil {
		return
	}
	s.say("rule", "no request returns, changes or removes an item of a user whom the role does not reach")
	reaches := []string{"the items of the user whom it acts for"}
	if role.Confined == nil && role.Actor == "" {
		reaches = nil
	}
	for _, link := range role.Reach.Linked {
		reaches = append(reaches, "those of {"+link.To+"} of each "+link.Entity+" with its {"+link.From+"}")
	}
	for _, entity := range role.Reach.AllOf {
		reaches = append(reaches, "every "+entity)
	}
	s.say("reaches", "%s", cmp.Or(strings.Join(reaches, ", "), "nobody's"))
	s.list("kept by the flow alone", role.Reach.ByFlow)
	s.breaches(role.Reach.Broken)
}

func (s *sayer) validity() {
	s.say("rule", "an item that a documented write leaves is valid by its entity")
	s.breaches(s.d.Validity)
}

func (s *sayer) breaches(all []accesspatterns.Breach) {
	for _, breach := range all {
		s.say("not kept, finding "+breach.Finding, "%s", strings.Join(breach.Patterns, ", "))
	}
}

// law says a formula, and what does not keep it.
func (s *sayer) law(law *accesspatterns.Law) {
	if law == nil {
		return
	}
	name := "holds of all items"
	if law.Keeps {
		name = "holds of every change"
	}
	s.say(name, "%s", strings.Join(strings.Fields(law.Text), " "))
	s.list("not kept by", law.Broken)
	s.list("kept by the flow alone", law.ByFlow)
	s.list("kept by the flow of one client at a time", law.Alone)
}

// flow says the requests of a pattern, step by step, with what each demands. A write names the operations that it may be sent with.
func (s *sayer) flow(pattern *accesspatterns.Pattern) {
	for i := range pattern.Steps {
		step := &pattern.Steps[i]
		var text string
		if step.Read != nil {
			text = reading(step.Read)
		} else {
			var actions []string
			for j := range step.Write {
				actions = append(actions, writing(&step.Write[j]))
			}
			var operations []string
			for _, operation := range step.WriteOperations() {
				operations = append(operations, string(operation))
			}
			text = strings.Join(operations, " or ") + ": " + strings.Join(actions, "; ")
		}
		if step.ForEach != nil {
			text += "; again for each " + cmp.Or(step.ForEach.Step, "day")
		}
		if step.StopWhenEmpty {
			text += "; ends here where nothing is found"
		}
		s.say("step "+step.Name, "%s", text)
	}
}

func reading(read *accesspatterns.Read) string {
	text := string(read.Sends()) + " " + read.Table
	if read.Index != "" {
		text += ", index " + read.Index
	}
	if read.Partition != nil {
		text += ", " + read.Partition.Attribute + " = " + operand(read.Partition.Value)
	}
	if read.Sort != nil {
		text += ", " + condition(accesspatterns.Condition{Attribute: read.Sort.Attribute, Operator: read.Sort.Operator, Value: read.Sort.Value, High: read.Sort.High})
	}
	if len(read.Filter) > 0 {
		text += ", filter " + conditions(read.Filter)
	}
	if len(read.Projection) > 0 {
		text += ", projects " + strings.Join(read.Projection, ", ")
	}
	text += []string{"", ", ascending", ", descending", ", in order"}[read.Order]
	if read.Limit > 0 {
		text += fmt.Sprintf(", at most %d items", read.Limit)
	}
	if read.InspectBudget > 0 {
		text += fmt.Sprintf(", inspects at most %d items over all pages and says when it was cut", read.InspectBudget)
	}
	return text
}

func writing(action *accesspatterns.Action) string {
	kinds := map[accesspatterns.ActionKind]string{accesspatterns.Put: "put", accesspatterns.Update: "update", accesspatterns.Delete: "delete", accesspatterns.ConditionCheck: "check"}
	var key []string
	for _, part := range action.Key {
		key = append(key, operand(part.Value))
	}
	text := kinds[action.Kind] + " " + cmp.Or(action.Entity, strings.Join(key, " / "), action.Item)
	if action.Times != accesspatterns.Once {
		text += " (" + action.Times.String() + ")"
	}
	if len(action.Condition) > 0 {
		text += " if " + conditions(action.Condition)
	}
	return text
}

func conditions(all []accesspatterns.Condition) string {
	var parts []string
	for _, each := range all {
		var alternatives []string
		for _, one := range each.Alternatives() {
			alternatives = append(alternatives, condition(one))
		}
		parts = append(parts, strings.Join(alternatives, " or "))
	}
	return strings.Join(parts, " and ")
}

func condition(c accesspatterns.Condition) string {
	switch {
	case !c.Operator.Compares():
		return fmt.Sprintf("%s(%s)", c.Operator, c.Attribute)
	case c.Operator.Base() == expression.Between:
		return fmt.Sprintf("%s BETWEEN %s AND %s", c.Attribute, operand(c.Value), operand(c.High))
	}
	return fmt.Sprintf("%s %s %s", c.Attribute, c.Operator, operand(c.Value))
}

func operand(o accesspatterns.Operand) string { return cmp.Or(o.Attribute, string(o.Template)) }

// policy says what the policies of a stack must do; they are evaluated, and a request shows at most what is attached.
func (s *sayer) policy() {
	s.say("decided by", "evaluating the policies in the stack's outputs; that AWS enforces them is not observed")
	if s.claim.Aspect == PolicyRoles {
		s.say("guardrails by default", "%s (%s)", map[bool]string{false: "off", true: "enforce"}[s.d.Policies.Enforced], s.d.Document.Cite(s.d.Policies.Cite))
	}
	aspect, index, _ := strings.Cut(s.claim.Aspect, "/")
	role, _ := s.d.Role(s.claim.Subject)
	switch {
	case aspect == PolicyRoles:
		for _, role := range s.d.Policies.Roles {
			s.say("role "+role.ID, "%s", s.d.Document.Cite(role.Cite))
		}
	case aspect == PolicyNoScan:
		s.noScan(index)
	case role == nil:
	case aspect == PolicyConfinement:
		for _, form := range role.Confined.Partitions {
			s.say("own partition", "%s, where %s is the principal's tag", form, role.Confined.Tag)
		}
		s.say("must be denied", "another user's partition, that of a user whose id begins with the own one, the own and another's at once, a request that names none, a principal without the tag")
		s.list("left out", role.Confined.Except)
		s.limits(role)
	default:
		var own []string
		for i := range s.d.Patterns {
			if slices.Contains(s.d.Patterns[i].Roles, role.ID) {
				own = append(own, s.d.Patterns[i].ID)
			}
		}
		s.list("must be allowed", own)
		s.say("must be denied", "every other pattern that differs from these by action, table, index, form of the partition key or projection; every action on a table or index that none of these needs")
		s.list("must be denied by attributes", role.Withheld)
		s.list("must be denied with any other attribute", role.Narrow)
		s.say("not confined to a user", "%s", role.Unconfined)
		s.limits(role)
	}
}

func (s *sayer) limits(role *accesspatterns.Role) {
	if role.Actor != "" {
		s.say("who acts", "{%s} of its patterns, which guard.ForUser holds to the client's own user", role.Actor)
	}
	for _, limit := range role.Limits {
		s.say("beyond what a policy can do", "%s", limit)
	}
}

func (s *sayer) noScan(index string) {
	denied := "dynamodb:Scan, and dynamodb:PartiQLSelect where dynamodb:FullTableScan is true"
	if index != "" {
		denied += ", on index " + index
	}
	s.say("must be denied", "%s, to a principal that is allowed everything else", denied)
	if pattern, waived := s.d.ScanOf(s.claim.Subject); waived && index == "" {
		s.say("exception", "principals with the tag role=%s may Scan, for %s (waiver %s)", strings.Join(pattern.Roles, ", "), pattern.ID, pattern.Waiver)
	}
}

// ledger says what decides claims that no request of their own decides.
func (s *sayer) ledger() {
	switch s.claim.Aspect {
	case LedgerNoScan:
		s.say("decided by", "the ledger of the whole run: `gzip -dc evidence.json.gz | jq '[.ledger[] | select(.operation | IN(\"Scan\", \"ExecuteStatement\", \"BatchExecuteStatement\", \"ExecuteTransaction\")) | .seq]'` lists the requests in question")
	case LedgerDocumented:
		s.say("decided by", "the requests of every pattern in the ledger, compared with the pattern's table, index, partition and filter")
	case LedgerUnwritten:
		s.say("decided by", "all requests on the wire, the items of table %s, read back after everything was replayed, and the guard, which is asked to put and delete each", s.claim.Subject)
	case LedgerAgreement:
		s.say("decided by", "the client's own record of its calls, compared with the ledger of the wire by invocation id")
	}
	for _, waiver := range s.d.Waivers {
		s.say("waiver "+waiver.ID, "%s", waiver.Reason)
	}
}
