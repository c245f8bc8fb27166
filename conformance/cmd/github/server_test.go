package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// issue is an issue, or a comment, as GitHub's API has it.
type issue struct {
	ID          int               `json:"id"`
	Number      int               `json:"number,omitempty"`
	Title       string            `json:"title,omitempty"`
	Body        string            `json:"body"`
	State       string            `json:"state,omitempty"`
	User        user              `json:"user"`
	PullRequest map[string]string `json:"pull_request,omitempty"`
	comments    []*issue
}

type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

var (
	bot    = user{"github-actions[bot]", "Bot"}
	person = user{"somebody", "User"}
)

// token is what the server takes; everything else is answered with 401.
const token = "a-token-of-the-test"

// server stands for GitHub's REST API of issues: it keeps what it is told, gives lists page by page, newest first, and
// refuses what GitHub refuses.
// https://docs.github.com/en/rest/issues
type server struct {
	*httptest.Server
	mu       sync.Mutex
	issues   []*issue
	asked    []string       // method and path of every request
	refusing map[string]int // status by method: an answer in place of the real one
	comments int
}

func serve(t *testing.T, issues ...*issue) *server {
	g := &server{issues: issues, refusing: map[string]int{}}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/v3/repos/owner/name/issues", g.list)
	routes.HandleFunc("POST /api/v3/repos/owner/name/issues", g.create)
	routes.HandleFunc("PATCH /api/v3/repos/owner/name/issues/{number}", g.edit)
	routes.HandleFunc("GET /api/v3/repos/owner/name/issues/{number}/comments", g.listComments)
	routes.HandleFunc("POST /api/v3/repos/owner/name/issues/{number}/comments", g.addComment)
	routes.HandleFunc("PATCH /api/v3/repos/owner/name/issues/comments/{id}", g.editComment)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.asked = append(g.asked, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v3/repos/owner/name"))
		if r.Header.Get("Authorization") != "Bearer "+token {
			refuse(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
		if status := g.refusing[r.Method]; status != 0 {
			refuse(w, status, map[int]string{403: "Resource not accessible by integration"}[status])
			return
		}
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"message": %q, "documentation_url": "https://docs.github.com/rest"}`, message)
}

func answer(w http.ResponseWriter, status int, value any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client has gone if this fails
}

// read reads a request's body, and refuses one that GitHub would refuse for its length.
func read(w http.ResponseWriter, r *http.Request) (map[string]string, bool) {
	given := map[string]string{}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &given)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return nil, false
	}
	if utf8.RuneCountInString(given["body"]) > 65536 {
		refuse(w, http.StatusUnprocessableEntity, "body is too long (maximum is 65536 characters)")
		return nil, false
	}
	return given, true
}

// page answers with one page of a list and the link to the next.
func page(w http.ResponseWriter, r *http.Request, all []*issue) {
	size, number := 30, 1
	if given := r.URL.Query().Get("per_page"); given != "" {
		size, _ = strconv.Atoi(given)
	}
	if given := r.URL.Query().Get("page"); given != "" {
		number, _ = strconv.Atoi(given)
	}
	if size < 1 || size > 100 || number < 1 {
		refuse(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	from, to := min((number-1)*size, len(all)), min(number*size, len(all))
	if to < len(all) {
		next := *r.URL
		query := next.Query()
		query.Set("page", strconv.Itoa(number+1))
		next.RawQuery = query.Encode()
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s>; rel="next"`, r.Host, next.String()))
	}
	answer(w, http.StatusOK, all[from:to])
}

func (g *server) list(w http.ResponseWriter, r *http.Request) {
	shown := []*issue{}
	for _, one := range g.issues {
		if state := r.URL.Query().Get("state"); state == "all" || one.State == state || state == "" && one.State == "open" {
			shown = append(shown, one)
		}
	}
	slices.Reverse(shown)
	page(w, r, shown)
}

func (g *server) create(w http.ResponseWriter, r *http.Request) {
	given, ok := read(w, r)
	if !ok {
		return
	}
	made := &issue{Number: 1, Title: given["title"], Body: given["body"], State: "open", User: bot}
	for _, one := range g.issues {
		made.Number = max(made.Number, one.Number+1)
	}
	g.issues = append(g.issues, made)
	answer(w, http.StatusCreated, made)
}

// find returns the issue that a path names.
func (g *server) find(w http.ResponseWriter, r *http.Request) *issue {
	for _, one := range g.issues {
		if strconv.Itoa(one.Number) == r.PathValue("number") {
			return one
		}
	}
	refuse(w, http.StatusNotFound, "Not Found")
	return nil
}

func (g *server) edit(w http.ResponseWriter, r *http.Request) {
	one := g.find(w, r)
	if one == nil {
		return
	}
	given, ok := read(w, r)
	if !ok {
		return
	}
	for key, field := range map[string]*string{"title": &one.Title, "body": &one.Body, "state": &one.State} {
		if value, ok := given[key]; ok {
			*field = value
		}
	}
	answer(w, http.StatusOK, one)
}

func (g *server) listComments(w http.ResponseWriter, r *http.Request) {
	if one := g.find(w, r); one != nil {
		page(w, r, one.comments)
	}
}

func (g *server) addComment(w http.ResponseWriter, r *http.Request) {
	one := g.find(w, r)
	if one == nil {
		return
	}
	if given, ok := read(w, r); ok {
		g.comments++
		made := &issue{ID: 1000 + g.comments, Body: given["body"], User: bot}
		one.comments = append(one.comments, made)
		answer(w, http.StatusCreated, made)
	}
}

func (g *server) editComment(w http.ResponseWriter, r *http.Request) {
	given, ok := read(w, r)
	if !ok {
		return
	}
	for _, one := range g.issues {
		for _, comment := range one.comments {
			if strconv.Itoa(comment.ID) == r.PathValue("id") {
				comment.Body = given["body"]
				answer(w, http.StatusOK, comment)
				return
			}
		}
	}
	refuse(w, http.StatusNotFound, "Not Found")
}
