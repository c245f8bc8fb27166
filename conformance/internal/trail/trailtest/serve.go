// Package trailtest stands in for CloudWatch Logs in tests: it speaks the JSON protocol of
// FilterLogEvents and answers with what a test wrote. Like some engines it knows no filter
// patterns, and returns everything. It has no sockets, so that a test may have a clock of its own.
package trailtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
)

// Search is the answer to one search: pages of messages, or an error code of the
// service.
type Search struct {
	Pages [][]string
	Error string
}

// Server answers searches, one after the other.
type Server struct {
	mutex    sync.Mutex
	searches []Search
	begun    int
	requests []Request
}

// Request is what a client asked for.
type Request struct {
	LogGroupName, LogGroupIdentifier, FilterPattern, NextToken string
	StartTime                                                  int64
	EndTime                                                    *int64
}

// Serve returns a server that gives the first search the first answer, and so on; all
// searches after the last answer get the last.
func Serve(searches ...Search) *Server { return &Server{searches: searches} }

// Client returns a client of the server that asks once.
func (s *Server) Client() *cloudwatchlogs.Client {
	return cloudwatchlogs.New(cloudwatchlogs.Options{
		HTTPClient: s, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		RetryMaxAttempts: 1,
	})
}

// Requests returns what was asked for, page by page.
func (s *Server) Requests() []Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests
}

// Do answers a request of the client, as one over a connection would be.
func (s *Server) Do(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	s.answer(recorder, request)
	return recorder.Result(), nil
}

func (s *Server) answer(writer http.ResponseWriter, request *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var asked Request
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil || request.Header.Get("X-Amz-Target") != "Logs_20140328.FilterLogEvents" {
		http.Error(writer, fmt.Sprintf("expected FilterLogEvents, found %q, %v", request.Header.Get("X-Amz-Target"), err), http.StatusBadRequest)
		return
	}
	s.requests = append(s.requests, asked)
	page := 0
	if asked.NextToken == "" {
		s.begun++
	} else if _, err := fmt.Sscanf(asked.NextToken, "page %d", &page); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	search := s.searches[min(s.begun, len(s.searches))-1]
	writer.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if search.Error != "" {
		writer.WriteHeader(http.StatusBadRequest)
		answer(writer, map[string]string{"__type": search.Error, "message": "said the service"})
		return
	}
	events := []map[string]any{}
	if page < len(search.Pages) {
		for i, message := range search.Pages[page] {
			events = append(events, map[string]any{"eventId": fmt.Sprintf("%d-%d", page, i), "logStreamName": "stream-1", "message": message, "timestamp": 1})
		}
	}
	found := map[string]any{"events": events}
	if page+1 < len(search.Pages) {
		found["nextToken"] = fmt.Sprintf("page %d", page+1)
	}
	answer(writer, found)
}

func answer(writer http.ResponseWriter, body any) {
	_ = json.NewEncoder(writer).Encode(body) // a client that is gone wants no answer
}
