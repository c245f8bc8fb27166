package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/environments"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/tables"
	"dynaproof/conformance/report"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// place is where a design is deployed four times: two accounts, two regions.
type place struct{ account, region string }

func (p place) role() string { return "arn:aws:iam::" + p.account + ":role/audit" }

var places = []place{{"111111111111", "eu-west-1"}, {"111111111111", "us-east-1"}, {"222222222222", "eu-west-1"}, {"222222222222", "us-east-1"}}

// client takes the role of a place.
func (p place) client(t *testing.T) *dynamodb.Client {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion(p.region))
	require.NoError(t, err)
	cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), p.role()))
	return dynamodb.NewFromConfig(cfg)
}

// Twelve environments, three designs in four places, in one paper: first all as documented, then two of them broken.
func TestTwelveEnvironmentsInOnePaper(t *testing.T) {
	path := executable(t)
	engine, err := target.Moto(t.Context(), nil)
	if errors.As(err, new(*target.ConfigError)) {
		t.Skip(err) // there is no Python
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Close(context.Background())) })
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": engine.URL(), "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	var text strings.Builder
	text.WriteString("environments:\n")
	named := []string{"roll-model", "fus-main", "osem-ladders"}
	for at, place := range places {
		for _, name := range named {
			design, err := designs.Find(name)
			require.NoError(t, err)
			require.NoError(t, tables.MakeAll(t.Context(), place.client(t), design, "prod", session.InEnvironment(design, nil, "prod").Deployment.Tables))
			fmt.Fprintf(&text, "  - {name: %s-%d, stack: %s.prod, account: %q, region: %s, role: '%s'}\n", name, at+1, name, place.account, place.region, place.role())
		}
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "environments.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	list, err := environments.Read(file, designs.Names(), nil)
	require.NoError(t, err)
	options := environments.Options{
		Parallel: 4, Time: time.Hour, Folder: folder, Shown: (*evidence.Run).Redacted, Opened: func(*target.Account) {},
		Replay: replay.Options{Command: "dynaproof audit --environments environments.yaml", Progress: func(string) {}},
	}
	first := environments.Audit(t.Context(), list, options)
	require.Len(t, first.Environments, 12, "expected twelve environments that conform")
	require.Equal(t, evidence.Conforms, first.ExitCode())

	// One table goes, and an index of another environment has another projection.
	_, err = places[1].client(t).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("RollModel")})
	require.NoError(t, err)
	teams := aws.String("osem-prod-Teams")
	update := func(change types.GlobalSecondaryIndexUpdate) {
		t.Helper()
		_, err := places[2].client(t).UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
			TableName: teams, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{change},
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("teamId"), AttributeType: "S"}, {AttributeName: aws.String("managerId"), AttributeType: "S"}},
		})
		require.NoError(t, err)
	}
	update(types.GlobalSecondaryIndexUpdate{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("managerId-index")}})
	update(types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{
		IndexName: aws.String("managerId-index"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("managerId"), KeyType: types.KeyTypeHash}},
	}})
	seen := environments.Audit(t.Context(), list, options)
	require.NoError(t, seen.Write(folder))
	assert.Equal(t, evidence.DoesNotConform, seen.ExitCode(), "expected two of twelve not to conform")
	assert.Equal(t, "10 of 12 environments conform to the contract, 2 do not", seen.Conclusion())
	for i := range seen.Environments {
		e := &seen.Environments[i]
		broken := e.Name == "roll-model-2" || e.Name == "osem-ladders-3"
		switch {
		case e.Since == nil || e.Since.ID != first.Environments[i].Run.ID:
			t.Errorf("%s: expected to be compared with the first audit, found %+v", e.Name, e.Since)
		case broken != (len(e.Since.NewlyFailing) > 0), broken != (e.Verdict() == evidence.Fail):
			t.Errorf("%s: found %s, %s", e.Name, e.Verdict(), e.Since.Words())
		}
	}
	var ids []string
	for _, difference := range seen.Differences() {
		ids = append(ids, difference.Claim.ID)
	}
	require.Len(t, ids, 2, "root causes")
	assert.Equal(t, "roll-model/table/RollModel/exists", ids[0], "the lost table")
	assert.True(t, strings.HasSuffix(ids[1], "managerId-index/projection"), "expected the projection, found %s", ids[1])
	showPaper(t, path, folder)
}

// showPaper opens the paper in the browser, and follows a cell of the matrix to the environment's own report.
func showPaper(t *testing.T, path, folder string) {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	b, closeTab := tab(t, path, server.URL+"/"+report.AuditsPage)
	t.Cleanup(closeTab)
	b.visit("")
	b.becomes(`document.querySelector("h1").textContent`, "10 of 12 environments conform to the contract, 2 do not")
	b.becomes(`document.querySelectorAll("h2 ~ .wide table.figures tbody tr").length`, "12")
	b.becomes(`Array.from(document.querySelectorAll("table.figures tbody tr")).filter((row) => row.textContent.includes("newly failing")).map((row) => row.id).join(" ")`, "roll-model-2 osem-ladders-3")
	assert.Equal(t, "readable", b.says(contrast), "expected a contrast of 4.5 or more")
	for _, width := range []int64{400, 1440} {
		b.do(chromedp.EmulateViewport(width, 1000))
		b.picture(fmt.Sprintf("environments-%d", width))
	}
	b.do(chromedp.EmulateViewport(360, 1000))
	assert.Equal(t, "0", b.says(beyond), "expected nothing beyond the window")
	b.clean()
	b.do(chromedp.EmulateViewport(1440, 1000))
	b.click("table.matrix td a", "fail")
	b.becomes(`document.querySelector(".view.current h1").textContent`, "the documented tables are deployed, and no other whose name could be the document's")
}
