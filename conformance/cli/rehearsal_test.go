//go:build unix

package cli_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"dynaproof"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// rehearse names the designs that are rehearsed. `make rehearsal` takes all, which takes
// minutes.
var rehearse = flag.String("rehearse", "", "designs that the AWS lane is rehearsed with as a whole, or all; without it the smallest case of each test")

// rehearsed are the designs that are asked for, and else the smallest case of a test.
func rehearsed(smallest string) []string {
	switch *rehearse {
	case "":
		return []string{smallest}
	case "all":
		return designs.Names()
	}
	return strings.Split(*rehearse, ",")
}

// elsewhere stands before a moto, and takes requests for those of another region and account.
func elsewhere(t *testing.T, url, region, account string) string {
	t.Helper()
	return front(t, url, func(request *asked) *httptest.ResponseRecorder {
		request.Header.Set("Authorization", strings.Replace(request.Header.Get("Authorization"), "/us-east-1/dynamodb/", "/"+region+"/dynamodb/", 1))
		request.Header.Set("X-Moto-Account-Id", account)
		return request.forward()
	})
}

// regionOf is the region that the document of a design names, or us-east-1.
func regionOf(t *testing.T, name string) string {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	return cmp.Or(own.FixedRegion(design), "us-east-1")
}

// kept deploys a design's stack dev as somebody has who keeps it, with the IAM policies of
// its roles.
func kept(t *testing.T, url, name, region, account string) {
	t.Helper()
	options := deploy.Options{
		Design: name, Environment: "dev", Region: region, Endpoint: url, Account: account, StateDir: t.TempDir(),
		Config: map[string]string{dynaproof.Project + ":guardrails": deploy.Enforce},
	}
	stack, err := deploy.Open(t.Context(), options)
	require.NoError(t, err)
	_, err = stack.Up(t.Context())
	require.NoError(t, err)
}

// policies lists the account's own policies with their tags.
func policies(t *testing.T, url string) (all []string) {
	t.Helper()
	pages := iam.NewListPoliciesPaginator(iamAt(url), &iam.ListPoliciesInput{Scope: iamtypes.PolicyScopeTypeLocal})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, policy := range page.Policies {
			all = append(all, aws.ToString(policy.Path)+aws.ToString(policy.PolicyName)+" "+aws.ToString(policy.PolicyId))
		}
	}
	slices.Sort(all)
	return all
}

// others are a table, an item and policies of others, and what looks whether they alone are
// there, as they were.
func others(t *testing.T, url string) (alone func(when string)) {
	t.Helper()
	snapshot := foreign(t, url, "theirs")
	policyIn(t, url, "/", "theirs", "")
	policyIn(t, url, "/dynaproof/run/", "theirs-too", "")
	table, all := snapshot(), policies(t, url)
	return func(when string) {
		t.Helper()
		assert.Equal(t, []string{"theirs"}, tables(t, url), when)
		assert.Equal(t, all, policies(t, url), when)
		same(t, when+": the table of others", table, snapshot())
	}
}

// onAWS prepares a run of the command in the AWS lane.
func (g *stage) onAWS(t *testing.T, folder, region string, args ...string) *child {
	t.Helper()
	if args[0] == "verify" {
		args = append(args, "--yes", "--engine", "moto", "--metrics-wait", "10ms")
	}
	if !slices.Contains(args, "--environments") { // the list says it
		args = append(args, "--target", "aws")
	}
	return prepare(t, append(awsEnvironment(g.url, region), "AWS_MAX_ATTEMPTS=3"), args...).in(folder)
}

// audit audits the stack dev of a design, and returns what it saw.
func (g *stage) audit(t *testing.T, name, region string) *evidence.Run {
	t.Helper()
	c := g.onAWS(t, t.TempDir(), region, "audit", name, "--env", "dev")
	code := c.code(t)
	seen := audited(t, c)
	withoutFailure(t, "audit", code, seen)
	return seen
}

// withoutFailure expects that every claim of a run holds, but for what moto cannot answer
// for a declared reason, and where CloudWatch has not counted.
func withoutFailure(t *testing.T, what string, code int, seen *evidence.Run) {
	t.Helper()
	waits := func(result evidence.Result) bool {
		found := result.Problems[0].Found
		return result.Verdict == evidence.Indeterminate && (strings.HasPrefix(found, "CloudWatch, table ") || strings.HasSuffix(found, "is indeterminate, and this one rests on it"))
	}
	want, reasons := 0, map[string]int{}
	for _, result := range seen.Results() {
		switch {
		case result.Verdict.Held():
		case result.Verdict == evidence.Unsupported && result.Declared != "":
			reasons[result.Declared]++
		case waits(result):
			want = 3
		default:
			t.Errorf("%s: %s: expected it to hold, found %s: %+v", what, result.ID, result.Verdict, result.Problems)
		}
		assert.NotEqual(t, evidence.AWS, result.Grade, "%s: %s", what, result.ID)
	}
	assert.Equal(t, want, code, "%s: exit code", what)
	t.Logf("%s: %d claims, exit code %d, unsupported on moto: %v", what, len(seen.Results()), code, reasons)
}

// What the AWS lane does is rehearsed where the requests of all services find an answer, and
// not AWS's: a moto in place of the account, which says little about DynamoDB.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	needsDocuments(t)
	for _, name := range rehearsed("roll-model") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rehearsal(t, newStage(t, moto(t)), name)
		})
	}
}

// One list names the stacks of two accounts, each reached by a role. What one account lacks
// is said of it alone.
func TestRehearsalOfTwoAccounts(t *testing.T) {
	t.Parallel()
	url := moto(t)
	var list strings.Builder
	list.WriteString("environments:\n")
	accounts := []string{"111111111111", "222222222222"}
	for i, account := range accounts {
		role := "arn:aws:iam::" + account + ":role/audit"
		for _, name := range rehearsed("roll-model") {
			region := regionOf(t, name)
			kept(t, elsewhere(t, url, region, account), name, region, account)
			fmt.Fprintf(&list, "  - {stack: %s.dev, account: '%s', region: %s, role: '%s', name: %s-%d}\n", name, account, region, role, name, i)
		}
	}
	g := newStage(t, url)
	audit := func(code int) *child {
		c := g.onAWS(t, t.TempDir(), "us-east-1", "audit", "--environments", "list.yaml")
		write(t, c.Dir, "list.yaml", list.String())
		c.expect(t, code)
		return c
	}
	n := len(accounts) * len(rehearsed("roll-model"))
	says(t, "the list", audit(0).stdout.String(), fmt.Sprintf("%d of %d environments", n, n))
	assert.GreaterOrEqual(t, g.seen["AssumeRole"], n, "expected the role of each entry to be taken")
	lost := rehearsed("roll-model")[0]
	there := elsewhere(t, url, regionOf(t, lost), accounts[1])
	_, err := client(there).UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String(tables(t, there)[0]), BillingMode: types.BillingModeProvisioned, ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)}})
	require.NoError(t, err)
	c := audit(1)
	says(t, "the list", c.stdout.String(), fmt.Sprintf("%d of %d environments", n-1, n), "in        "+lost+"-1\n")
	lacks(t, "the list", c.stdout.String(), "in        "+lost+"-0\n")
}

// What a run's own request did not create is somebody else's, in an account too: it is left
// as it is, and named, and what the run did create goes.
func TestOthersMakeWhatARunWouldMake(t *testing.T) {
	t.Parallel()
	const table, policy = "CreateTable", "CreatePolicy"
	url := moto(t)
	type exchange = func(others func(), request *asked) (answer *httptest.ResponseRecorder)
	before := func(others func(), request *asked) *httptest.ResponseRecorder {
		others()
		return request.forward()
	}
	lost := func(_ func(), request *asked) *httptest.ResponseRecorder {
		request.forward()
		return nil
	}
	instead := func(others func(), _ *asked) *httptest.ResponseRecorder {
		others()
		return nil
	}
	refused := func(others func(), request *asked) *httptest.ResponseRecorder {
		others()
		if request.operation == table {
			return answering(http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"no"}`)
		}
		return answering(http.StatusForbidden, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>")
	}
	for name, row := range map[string]struct {
		operation string
		happens   exchange
		says      string
		left      bool // what the others have made, and named
	}{
		"a policy is there before":                {policy, before, "EntityAlreadyExists", true},
		"a policy is refused, and made by others": {policy, refused, "AccessDenied", true},
		"a policy is replaced by others": {policy, func(others func(), request *asked) *httptest.ResponseRecorder {
			answer := request.forward()
			_, arn, _ := strings.Cut(answer.Body.String(), "<Arn>")
			arn, _, _ = strings.Cut(arn, "</Arn>")
			_, err := iamAt(url).DeletePolicy(t.Context(), &iam.DeletePolicyInput{PolicyArn: &arn})
			assert.NoError(t, err)
			others()
			return answer
		}, "", true},
		"the answer to a policy is lost":                  {policy, lost, "EntityAlreadyExists", false},
		"a policy does not arrive, and is made by others": {policy, instead, "EntityAlreadyExists", true},
		"a table is refused, and made by others":          {table, refused, "AccessDeniedException", true},
		"nobody may list policies": {"ListPolicies", func(_ func(), request *asked) *httptest.ResponseRecorder {
			return refused(func() {}, request)
		}, "", false},
		"a table does not arrive, and is made by others": {table, instead, "exists already", true},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, empty(url))
			g := newStage(t, url)
			alone := others(t, g.engine)
			var theirTables, theirPolicies []string
			g.expect(rule{row.operation, 1, func(request *asked) *httptest.ResponseRecorder {
				return row.happens(func() {
					inTables, inPolicies := tables(t, g.engine), policies(t, g.engine)
					sendWithoutTags(t, g.engine, request)
					there := func(before []string) func(string) bool {
						return func(name string) bool { return slices.Contains(before, name) }
					}
					theirTables, theirPolicies = slices.DeleteFunc(tables(t, g.engine), there(inTables)), slices.DeleteFunc(policies(t, g.engine), there(inPolicies))
				}, request)
			}})
			c := g.onAWS(t, t.TempDir(), "us-east-1", "verify", "roll-model")
			c.expect(t, 3)
			says(t, "the run", c.stdout.String(), row.says)
			n := len(theirTables) + len(theirPolicies)
			require.Equal(t, row.left, n == 1, "expected the others to have made one thing: %t, found %d", row.left, n)
			if row.left {
				_, name, _ := strings.Cut(strings.Join(append(theirPolicies, theirTables...), ""), "/")
				name, _, _ = strings.Cut(name[strings.LastIndex(name, "/")+1:], " ")
				says(t, "what was left", c.stderr.String(), name)
			}
			if len(theirTables) > 0 && g.seen["PutResourcePolicy"]+g.seen["UpdateContinuousBackups"] > 0 {
				t.Errorf("expected the others' table to stay as it is, found %v", g.seen)
			}
			for _, path := range theirPolicies {
				name, _, _ := strings.Cut(path, " ")
				arn := "arn:aws:iam::" + motoAccount + ":policy" + name
				again := g.onAWS(t, c.Dir, "us-east-1", "cleanup", "roll-model")
				again.expect(t, 3)
				says(t, "clean-up", again.stderr.String(), "not the run's", name[strings.LastIndex(name, "/")+1:])
				_, err := iamAt(g.engine).DeletePolicy(t.Context(), &iam.DeletePolicyInput{PolicyArn: &arn})
				assert.NoError(t, err, "expected the others' policy to be left")
			}
			for _, name := range theirTables {
				remove(t, g.engine, name) // it is left
			}
			assert.Len(t, tables(t, g.engine), 1, "expected no table of the run beside the others'")
			g.onAWS(t, c.Dir, "us-east-1", "cleanup", "roll-model").expect(t, 0)
			alone("clean-up")
		})
	}
}

// sendWithoutTags makes what a request would make, for somebody else.
func sendWithoutTags(t *testing.T, url string, request *asked) {
	t.Helper()
	body := request.body
	if form, err := neturl.ParseQuery(string(body)); err == nil && form.Get("Action") != "" {
		for name := range form {
			if strings.HasPrefix(name, "Tags.") {
				form.Del(name)
			}
		}
		body = []byte(form.Encode())
	} else {
		var members map[string]any
		assert.NoError(t, json.Unmarshal(body, &members))
		delete(members, "Tags")
		body, _ = json.Marshal(members) // it was JSON
	}
	sent, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if !assert.NoError(t, err) {
		return
	}
	sent.Header = request.Header.Clone()
	if answer, err := http.DefaultClient.Do(sent); assert.NoError(t, err) {
		_ = answer.Body.Close()
		assert.Equal(t, http.StatusOK, answer.StatusCode, "expected others to make the same")
	}
}

func rehearsal(t *testing.T, g *stage, name string) {
	region := regionOf(t, name)
	here := elsewhere(t, g.engine, region, motoAccount)
	alone := others(t, here)

	// Claims are decided that ask what an account has and an engine has not, and patterns that write and read: `make rehearsal` decides all.
	filter, asked := "kind:schema || kind:policy || kind:ledger || /pattern.*ai-thread/", []manifest.Kind{manifest.KindSchema, manifest.KindPolicy, manifest.KindLedger}
	decided := func(claim manifest.Claim) bool {
		return of(name)(claim) && (slices.Contains(asked, claim.Kind) || claim.Kind == manifest.KindPattern && strings.Contains(claim.ID, "ai-thread"))
	}
	existing := filter
	if *rehearse != "" {
		filter, existing, decided = everyClaim, withoutThousands+" && "+long, of(name)
	}
	c := g.onAWS(t, t.TempDir(), region, "verify", name, "--label-filter", filter)
	code := c.code(t)
	seen := read(t, c)
	withoutFailure(t, "verify", code, seen)
	onceEach(t, seen, claims(t, decided))
	alone("verify")
	says(t, "error output", c.stderr.String(), "account [account], region "+region, "cost estimate: at most", "USD", "as of 20")
	says(t, "summary", c.stdout.String(), "not AWS", "lack evidence from AWS", "moto "+target.MotoVersion+", which accepts much")
	at := seen.Target
	assert.Equal(t, []string{"aws", "engine", "[account]"}, []string{string(at.Kind), at.Grade, at.Account}, "expected the target to be of AWS's shape and not AWS")
	assert.Contains(t, at.Witness, "client")
	for _, table := range seen.Designs[0].Tables {
		assert.True(t, strings.HasPrefix(table, "dynaproof-"), "%s: expected a table name of the run's own", table)
	}
	assert.False(t, slices.ContainsFunc(seen.Ledger, func(entry wire.Entry) bool { return entry.SignedRegion != region }), "expected every request to be signed for %s", region)
	assert.NotZero(t, g.seen["CreatePolicy"], "expected IAM policies to be made and removed")
	assert.Equal(t, g.seen["CreatePolicy"], g.seen["DeletePolicy"])

	killings := tabletest.Read[map[string][]killing](t, "killings.yaml")[name]
	require.NotEmpty(t, killings)
	for _, k := range killings {
		if !k.Existing {
			g.killed(t, k, name, region, alone)
		}
	}

	kept(t, g.engine, name, region, motoAccount)
	theirs(t, here, name)
	before := everything(t, here)
	looked := g.audit(t, name, region)
	if len(looked.Ledger) == 0 || slices.ContainsFunc(writesOf(looked), func(e wire.Entry) bool { return e.Operation != "" }) { // other services have none
		t.Errorf("expected an audit to send reads to DynamoDB alone")
	}
	for _, k := range killings {
		if k.Existing {
			folder := g.killedRun(t, k, name, region, "--existing", "--env", "dev", "--confirm", "dev")
			cleansUp(t, g.onAWS(t, folder, region, "cleanup", name))
			same(t, "what was there", before, everything(t, here))
		}
	}
	c = g.onAWS(t, t.TempDir(), region, "verify", name, "--existing", "--env", "dev", "--confirm", "dev", "--label-filter", existing)
	code = c.code(t)
	seen = read(t, c)
	withoutFailure(t, "verify --existing", code, seen)
	lacks(t, "the plan", c.stderr.String(), "            policy/")
	for _, result := range seen.Results() {
		if strings.HasPrefix(result.ID, name+"/policy/") && !result.Verdict.Held() {
			t.Errorf("%s: expected the account's policies to be judged, found %s: %+v", result.ID, result.Verdict, result.Problems)
		}
	}
	conditionedWrites(t, seen)
	same(t, "what was there", before, everything(t, here))
}

// killing is a moment at which a run is killed: moto has answered the n-th request of an
// operation, and the run does not know it.
type killing struct {
	Operation string
	N         int
	Few       bool // claims are selected, for moments behind them
	Existing  bool // the run is beside items of others
	Sweep     bool // the state of the run is lost too
}

// killedRun kills a run at a moment, and returns its folder.
func (g *stage) killedRun(t *testing.T, k killing, name, region string, args ...string) (folder string) {
	t.Helper()
	args = append([]string{"verify", name, "--label-filter", map[bool]string{true: few, false: long}[k.Few]}, args...)
	c := g.onAWS(t, t.TempDir(), region, args...)
	g.dies(t, c, moment{k.Operation, k.N, false})
	return c.Dir
}

func (g *stage) killed(t *testing.T, k killing, name, region string, alone func(string)) {
	t.Helper()
	folder := g.killedRun(t, k, name, region)
	cleanup := []string{"cleanup", name}
	if k.Sweep {
		folder, cleanup = t.TempDir(), []string{"cleanup", "--older-than", "6h"}
		here := elsewhere(t, g.engine, region, motoAccount)
		g.onAWS(t, folder, region, cleanup...).expect(t, 0)
		assert.NotEqual(t, 1, len(tables(t, here)), "%+v: expected the sweep to leave a run that may go on", k)
		age(t, here)
	}
	cleaner := g.onAWS(t, folder, region, cleanup...)
	if k.Sweep { // and what was made is as old as its tag
		cleaner.variables = append(cleaner.variables, "AWS_ENDPOINT_URL="+aged(t, g.url, 7*time.Hour, 0))
	}
	cleansUp(t, cleaner)
	alone(fmt.Sprintf("%+v", k))
}

// cleansUp cleans up behind a kill. Requests that were under way beside the one that was waited for may be carried out yet: then the clean-up says so, and
// the next one comes ten minutes later, by the journals.
func cleansUp(t *testing.T, c *child) {
	t.Helper()
	code := c.code(t)
	if code == 3 && regexp.MustCompile("may be carried out yet|it may come yet").MatchString(c.stderr.String()) {
		t.Log("a request may come yet: cleaned up again")
		const later = -10 * time.Minute
		for _, path := range files(t, c.Dir) {
			var journal map[string]any
			if text, err := os.ReadFile(path); err == nil && filepath.Base(path) == "journal.json" && json.Unmarshal(text, &journal) == nil {
				for name, sent := range journal["creating"].(map[string]any) {
					at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(sent))
					require.NoError(t, err)
					journal["creating"].(map[string]any)[name] = at.Add(later)
				}
				require.NoError(t, os.WriteFile(path, tabletest.Must(json.Marshal(journal))(t), 0o600))
			}
			require.NoError(t, os.Chtimes(path, time.Now().Add(later), time.Now().Add(later)))
		}
		c.stderr.Reset()
		code = c.code(t)
	}
	c.ended(t, 0, code)
}

// age lets all runs have begun seven hours ago, by their tags.
func age(t *testing.T, url string) {
	t.Helper()
	old := func(value string) *string {
		run, _, _ := strings.Cut(value, "@")
		return aws.String(run + "@" + time.Now().Add(-7*time.Hour).UTC().Format(time.RFC3339))
	}
	for _, name := range tables(t, url) {
		table, err := client(url).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		require.NoError(t, err)
		tags, err := target.TableTags(t.Context(), client(url), *table.Table.TableArn)
		require.NoError(t, err)
		if value := tags[replay.RunTag]; value != "" {
			_, err = client(url).TagResource(t.Context(), &dynamodb.TagResourceInput{ResourceArn: table.Table.TableArn, Tags: []types.Tag{{Key: aws.String(replay.RunTag), Value: old(value)}}})
			require.NoError(t, err)
		}
	}
	listed, err := iamAt(url).ListPolicies(t.Context(), &iam.ListPoliciesInput{Scope: iamtypes.PolicyScopeTypeLocal})
	require.NoError(t, err)
	for _, policy := range listed.Policies {
		tags, err := iamAt(url).ListPolicyTags(t.Context(), &iam.ListPolicyTagsInput{PolicyArn: policy.Arn})
		require.NoError(t, err)
		for _, tag := range tags.Tags {
			if *tag.Key != replay.RunTag {
				continue
			}
			_, err = iamAt(url).TagPolicy(t.Context(), &iam.TagPolicyInput{PolicyArn: policy.Arn, Tags: []iamtypes.Tag{{Key: tag.Key, Value: old(*tag.Value)}}})
			require.NoError(t, err)
		}
	}
}

// script returns the script of a named step of the reusable workflow.
func script(t *testing.T, job, step string) string {
	t.Helper()
	var workflow map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(content(t, checkout, ".github/workflows/dynaproof.yml")), &workflow))
	text, is := tabletest.JQ(t, fmt.Sprintf(".jobs[%q].steps[] | select(.name == %q).run", job, step), workflow).(string)
	require.True(t, is, "expected a step %q with a script in job %s", step, job)
	return text
}

// prepareStep prepares a step as a runner runs it, in a folder where the step before has built the command.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
func prepareStep(t *testing.T, folder, url, job, step string) *child {
	t.Helper()
	built := filepath.Join(folder, "build", "dynaproof")
	require.NoError(t, os.MkdirAll(filepath.Dir(built), 0o755))
	if err := os.Symlink(binary, built); !os.IsExist(err) {
		require.NoError(t, err)
	}
	file := write(t, t.TempDir(), "step.sh", script(t, job, step))
	c := prepare(t, append(awsEnvironment(url, "us-east-1"), "DESIGN=personal-os", "ENVIRONMENT=prod", "REGION=us-east-1", "GITHUB_OUTPUT="+filepath.Join(folder, "output")))
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("the steps were not run: %v", err)
	}
	c.Path, c.Args, c.Dir = bash, []string{"bash", "-e", file}, folder
	return c
}

// What the workflow does when a run on AWS is cancelled, which interrupts it, and when it is killed: in the end none of its
// tables is there, and no other has gone.
func TestVerifyJobLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		signal syscall.Signal
		says   string // by the clean-up
	}{
		"cancelled": {syscall.SIGINT, "no interrupted verify of personal-os.dev is known"},
		"killed":    {syscall.SIGKILL, "removed what an interrupted verify of personal-os.dev deployed: 1 tables"},
	} {
		t.Run(name, func(t *testing.T) {
			url := moto(t)
			g, folder := newStage(t, url), t.TempDir()
			foreign(t, url, "theirs")
			prepareStep(t, folder, g.url, "verify", "Remove what lost runners left").apart(t, 0)
			verify := prepareStep(t, folder, g.url, "verify", "Verify on AWS")
			g.signals(verify, row.signal, moment{"CreateTable", 1, false})
			verify.starts(t)
			assert.NotZero(t, verify.ends(t), "expected the step to fail")
			g.reopen(t)
			cleanup := prepareStep(t, folder, g.url, "verify", "Remove what is left")
			cleanup.apart(t, 0)
			says(t, "clean-up", cleanup.stdout.String(), row.says)
			assert.Equal(t, []string{"theirs"}, tables(t, url))
		})
	}
}

// The step of the audit succeeds whatever it finds, so that the issue is kept; the last step ends the job as the audit
// ended.
func TestAuditJobKeepsTheExitCode(t *testing.T) {
	t.Parallel()
	url, folder := moto(t), t.TempDir()
	audit := prepareStep(t, folder, url, "audit", "Audit")
	audit.apart(t, 0)
	for file, want := range map[string]string{"output": "code=1\n", "audit.txt": "FAIL  the deployment does not conform"} {
		text := content(t, folder, file)
		says(t, file, text, want)
		if file == "audit.txt" {
			assert.Equal(t, text, audit.stdout.String(), "expected the log to hold what the issue will")
		}
	}
	for _, code := range []string{"0", "1", "3"} {
		last := prepareStep(t, folder, url, "audit", "Exit as the audit did")
		last.Env = append(last.Env, "CODE="+code)
		last.apart(t, int(code[0]-'0'))
	}
}
