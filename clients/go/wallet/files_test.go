//go:build service

package wallet_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

// brokenNetwork loses the first part of an upload before it is sent, and the answer to the second.
type brokenNetwork struct{ parts int }

func (b *brokenNetwork) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPatch {
		return http.DefaultTransport.RoundTrip(request)
	}
	b.parts++
	if b.parts == 1 {
		return nil, errors.New("the network broke before the request")
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && b.parts == 2 {
		answer.Body.Close()
		return nil, errors.New("the network broke before the answer")
	}
	return answer, err
}

// busyService has too many downloads for the first two requests.
type busyService struct{ asked int }

func (b *busyService) RoundTrip(request *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(request.URL.Path, "/downloads/") {
		return http.DefaultTransport.RoundTrip(request)
	}
	b.asked++
	if b.asked > 2 {
		return http.DefaultTransport.RoundTrip(request)
	}
	status := http.StatusTooManyRequests
	if b.asked == 2 {
		status = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"0"}}, Body: http.NoBody, Request: request}, nil
}

func TestAnUploadContinuesAndIsDownloadedAsItsReferenceNamesIt(t *testing.T) {
	client := join(t, earnest.ScopeOrdersRead, earnest.ScopeOrdersWrite).Client
	content := make([]byte, 700_000)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	var seen []int64
	// The program is stopped after the second part.
	ctx, stop := context.WithCancel(t.Context())
	var id string
	upload := earnest.Upload{Name: "page-3.bin", ChunkBytes: 200_000, OnProgress: func(progress earnest.FileProgress) {
		id = progress.FileID
		if seen = append(seen, progress.Bytes); progress.Bytes == 400_000 {
			stop()
		}
	}}
	broken := &http.Client{Transport: &brokenNetwork{}}
	if _, err := client.Files.Upload(ctx, bytes.NewReader(content), upload, earnest.WithHTTPClient(broken)); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped upload: %v", err)
	}
	file, err := client.Files.Upload(t.Context(), bytes.NewReader(content), earnest.Upload{FileID: id})
	if err != nil || file.Name != "page-3.bin" || file.Status != "ready" || file.Reference == nil {
		t.Fatalf("%+v, %v", file, err)
	}
	if !slices.Equal(seen, []int64{0, 200_000, 400_000}) {
		t.Errorf("the progress is %v", seen)
	}
	var into bytes.Buffer
	if err := client.Files.Download(t.Context(), *file.Reference, &into, nil); err != nil || !bytes.Equal(into.Bytes(), content) {
		t.Fatalf("%d bytes, %v", into.Len(), err)
	}
	into.Reset()
	busy := &busyService{}
	asking := earnest.WithHTTPClient(&http.Client{Transport: busy})
	if err := client.Files.Download(t.Context(), *file.Reference, &into, nil, asking); err != nil || into.Len() != len(content) || busy.asked != 3 {
		t.Errorf("a busy service: %d bytes after %d requests, %v", into.Len(), busy.asked, err)
	}
	wrong := *file.Reference
	wrong.Size = 7
	if err := client.Files.Download(t.Context(), wrong, &bytes.Buffer{}, nil); !errors.Is(err, earnest.ErrFileMismatch) {
		t.Errorf("other bytes: %v", err)
	}
	if _, err := client.Files.Upload(t.Context(), bytes.NewReader(content[1:]), earnest.Upload{FileID: id}); !errors.Is(err, earnest.ErrFileMismatch) {
		t.Errorf("another source: %v", err)
	}
}
