package earnest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// usualChunk is the number of bytes of a request of an upload, unless given.
	usualChunk = 8 << 20
	// mostUploadFailures is the number of consecutive failures after which an upload ends.
	mostUploadFailures = 8
	// longestDownloadWait is the longest wait before a busy service is asked for a download again. Its link works for minutes.
	longestDownloadWait = time.Minute
)

// ErrFileMismatch says that the bytes of a file differ from the hash or the size that its reference names. Do not use
// them.
var ErrFileMismatch = errors.New("earnest: the bytes of the file differ from its hash or size")

// FileProgress is the progress of an upload or a download.
type FileProgress struct {
	FileID string
	// Bytes is the number of bytes that were sent or read.
	Bytes int64
	// Size is the number of all bytes.
	Size int64
}

// Upload is a file to be uploaded.
type Upload struct {
	// Name is the name that others see. Default: "file".
	Name string
	// FileID continues this upload, as after a restart of the program. The source must be the same.
	FileID string
	// ChunkBytes is the number of bytes of a request. Default: 8 MiB; at most 64 MiB.
	ChunkBytes int
	// OnProgress is called before the first request that sends bytes, with the id to store for FileID, and after each.
	OnProgress func(FileProgress)
}

// Upload uploads a file, and continues after broken connections. The Reference of the returned file goes into payloads.
// The error wraps ErrFileMismatch if the service stored other bytes.
func (r *FilesResource) Upload(ctx context.Context, source io.ReadSeeker, upload Upload, opts ...Option) (*StoredFile, error) {
	size, err := source.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("earnest: the source of the upload: %w", err)
	}
	file, err := r.begin(ctx, size, upload, opts)
	if err != nil {
		return nil, err
	}
	if file.Size != size {
		return nil, fmt.Errorf("%w: the upload %s has %d bytes, and the source %d", ErrFileMismatch, file.ID, file.Size, size)
	}
	offset := size
	if file.Status == "uploading" {
		if offset, err = r.offsetOf(ctx, file.ID, opts); err != nil {
			return nil, err
		}
	}
	report := func() {
		if upload.OnProgress != nil {
			upload.OnProgress(FileProgress{FileID: file.ID, Bytes: offset, Size: size})
		}
	}
	report()
	chunk := int64(upload.ChunkBytes)
	if chunk <= 0 {
		chunk = usualChunk
	}
	for offset < size {
		part := make([]byte, min(chunk, size-offset))
		if _, err := source.Seek(offset, io.SeekStart); err != nil {
			return nil, fmt.Errorf("earnest: the source of the upload: %w", err)
		}
		if _, err := io.ReadFull(source, part); err != nil {
			return nil, fmt.Errorf("earnest: the source of the upload: %w", err)
		}
		if offset, err = r.sendFrom(ctx, file.ID, offset, part, opts); err != nil {
			return nil, err
		}
		report()
	}
	return r.requireSame(ctx, source, file.ID, opts)
}

func (r *FilesResource) begin(ctx context.Context, size int64, upload Upload, opts []Option) (*StoredFile, error) {
	if upload.FileID != "" {
		return r.Get(ctx, upload.FileID, opts...)
	}
	name := upload.Name
	if name == "" {
		name = "file"
	}
	return r.Create(ctx, NewFileRequest{Name: name, Size: size}, opts...)
}

// requireSame reads the complete file, and compares its hash with the source's.
func (r *FilesResource) requireSame(ctx context.Context, source io.ReadSeeker, id string, opts []Option) (*StoredFile, error) {
	hash := sha256.New()
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("earnest: the source of the upload: %w", err)
	}
	if _, err := io.Copy(hash, source); err != nil {
		return nil, fmt.Errorf("earnest: the source of the upload: %w", err)
	}
	file, err := r.Get(ctx, id, opts...)
	if err != nil {
		return nil, err
	}
	if own := "0x" + hex.EncodeToString(hash.Sum(nil)); file.SHA256 == nil || *file.SHA256 != own {
		return nil, fmt.Errorf("%w: the service stored %s otherwise than the source, which has %s", ErrFileMismatch, id, own)
	}
	return file, nil
}

// Download writes a file's bytes, and compares their size and hash with the reference, such as one of a payload. The
// error wraps ErrFileMismatch if they differ: do not use what was written. onProgress may be nil.
func (r *FilesResource) Download(
	ctx context.Context, reference FileReference, into io.Writer, onProgress func(FileProgress), opts ...Option,
) error {
	link, err := r.CreateLink(ctx, reference.FileID, opts...)
	if err != nil {
		return err
	}
	answer, err := r.openDownload(ctx, link.URL, opts)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	hash := sha256.New()
	counted := &progressWriter{progress: FileProgress{FileID: reference.FileID, Size: reference.Size}, report: onProgress}
	read, err := io.Copy(io.MultiWriter(into, hash, counted), io.LimitReader(answer.Body, reference.Size+1))
	if err != nil {
		return &ConnectionError{Operation: "downloadFile", Attempts: 1, Err: err}
	}
	if read != reference.Size || "0x"+hex.EncodeToString(hash.Sum(nil)) != reference.SHA256 {
		return fmt.Errorf("%w: %s is not the file of the reference %s", ErrFileMismatch, reference.FileID, reference.SHA256)
	}
	return nil
}

// openDownload requests a link, which carries its own right: no token is sent. A service with too many downloads is asked
// again.
func (r *FilesResource) openDownload(ctx context.Context, url string, opts []Option) (*http.Response, error) {
	rules, err := r.sender.settings.with(opts)
	if err != nil {
		return nil, err
	}
	endless := *rules.httpClient
	endless.Timeout = 0
	for failures := 1; ; failures++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, fmt.Errorf("earnest: the link of the download: %w", err)
		}
		answer, err := endless.Do(request)
		if err != nil {
			return nil, &ConnectionError{Operation: "downloadFile", Attempts: failures, Err: withoutURL(err)}
		}
		if answer.StatusCode == http.StatusOK {
			return answer, nil
		}
		answer.Body.Close()
		isBusy := answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable
		wait := firstWait
		if asked := readRetryAfter(answer.Header, time.Now()); asked != nil {
			wait = max(wait, min(*asked, longestDownloadWait))
		}
		if !isBusy || failures >= mostUploadFailures || !pause(ctx, wait) {
			return nil, fmt.Errorf("earnest: the download was answered with the status %d: make a new link", answer.StatusCode)
		}
	}
}

// progressWriter counts what is written.
type progressWriter struct {
	progress FileProgress
	report   func(FileProgress)
}

func (w *progressWriter) Write(part []byte) (int, error) {
	w.progress.Bytes += int64(len(part))
	if w.report != nil {
		w.report(w.progress)
	}
	return len(part), nil
}

// sendFrom sends a part, and returns the offset to continue from.
func (r *FilesResource) sendFrom(ctx context.Context, id string, offset int64, part []byte, opts []Option) (int64, error) {
	for failures := 1; ; failures++ {
		next, err := r.askUpload(ctx, http.MethodPatch, id, offset, part, opts)
		if err == nil {
			return next, nil
		}
		if failures >= mostUploadFailures || !mayResume(err) || !pause(ctx, waitToResume(err, failures)) {
			return 0, err
		}
		stored, err := r.offsetOf(ctx, id, opts)
		if err != nil {
			return 0, err
		}
		if stored != offset {
			return stored, nil
		}
	}
}

// offsetOf reads the number of stored bytes.
func (r *FilesResource) offsetOf(ctx context.Context, id string, opts []Option) (int64, error) {
	for failures := 1; ; failures++ {
		offset, err := r.askUpload(ctx, http.MethodHead, id, 0, nil, opts)
		if err == nil {
			return offset, nil
		}
		if failures >= mostUploadFailures || !mayResume(err) || !pause(ctx, waitToResume(err, failures)) {
			return 0, err
		}
	}
}

// askUpload sends one request of the tus protocol 1.0, and returns the offset of its response.
func (r *FilesResource) askUpload(ctx context.Context, verb, id string, offset int64, part []byte, opts []Option) (int64, error) {
	t := r.sender
	rules, err := t.settings.with(opts)
	if err != nil {
		return 0, err
	}
	c := call{operation: "upload", verb: verb, path: pathOf("/uploads/%s", id), root: true, accept: "*/*", once: true}
	made, err := t.write(c, rules)
	if err != nil {
		return 0, err
	}
	made.header.Set("Tus-Resumable", "1.0.0")
	if part != nil {
		made.body = bytes.Clone(part)
		made.header.Set("Content-Type", "application/offset+octet-stream")
		made.header.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	}
	response, err := t.try(ctx, c, rules, made, RequestReport{Operation: c.operation, Verb: verb, URL: made.url, Attempt: 1})
	if err != nil {
		return 0, err
	}
	next, err := strconv.ParseInt(response.Header.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return 0, &ConnectionError{Operation: c.operation, Attempts: 1, Err: errors.New("the response names no offset")}
	}
	return next, nil
}

// mayResume reports whether an upload continues after an error: a temporary one, another request's lease, or an offset
// that has moved.
func mayResume(err error) bool {
	var refusal *Error
	if errors.As(err, &refusal) && (refusal.Status == http.StatusLocked || refusal.Status == http.StatusConflict) {
		return true
	}
	return isRetryable(err, true)
}

func waitToResume(err error, failures int) time.Duration {
	wait := min(longestBackoff, firstWait<<min(failures-1, 4))
	var refusal *Error
	if errors.As(err, &refusal) && refusal.RetryAfter != nil {
		return max(wait, *refusal.RetryAfter)
	}
	return wait
}
