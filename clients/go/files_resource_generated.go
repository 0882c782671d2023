// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// FilesListQuery is what client.Files.List may be asked with.
type FilesListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// FilesResource is client.Files.
type FilesResource struct {
	sender sender
}

func newFilesResource(sender sender) *FilesResource {
	return &FilesResource{sender: sender}
}

// Create: begin the upload of a file. Send the bytes to `upload_url` by the tus protocol 1.0, in requests
// of at most 64 MiB. A broken upload resumes where it stopped. The file counts against your quota from now
// on. A key needs orders:write.
func (r *FilesResource) Create(ctx context.Context, body NewFileRequest, opts ...Option) (*StoredFile, error) {
	return send[StoredFile](ctx, r.sender, call{operation: "createFile", verb: "POST", path: "/files", body: body, takesKey: true}, opts)
}

// List: list your files, newest first. A key needs orders:read.
func (r *FilesResource) List(ctx context.Context, query FilesListQuery, opts ...Option) *List[StoredFile, StoredFilePage] {
	return newList[StoredFile, StoredFilePage](ctx, r.sender, call{operation: "listFiles", verb: "GET", path: "/files", query: query}, func(page *StoredFilePage) ([]StoredFile, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a file's name, size, hash and type. For its uploader, the parties of an order that names the
// file, and the arbiter of such an order's dispute. A key needs orders:read.
func (r *FilesResource) Get(ctx context.Context, fileID string, opts ...Option) (*StoredFile, error) {
	return send[StoredFile](ctx, r.sender, call{operation: "readFile", verb: "GET", path: pathOf("/files/%s", fileID)}, opts)
}

// Delete: delete an unused file, or an upload. A key needs orders:write.
func (r *FilesResource) Delete(ctx context.Context, fileID string, opts ...Option) (*DeletedFile, error) {
	return send[DeletedFile](ctx, r.sender, call{operation: "deleteFile", verb: "DELETE", path: pathOf("/files/%s", fileID), takesKey: true}, opts)
}

// CreateLink: make a short-lived link to a file's bytes. The link needs no token and works for a few
// minutes. The browser saves the file and never shows it. A key needs orders:read.
func (r *FilesResource) CreateLink(ctx context.Context, fileID string, opts ...Option) (*FileLink, error) {
	return send[FileLink](ctx, r.sender, call{operation: "createFileLink", verb: "POST", path: pathOf("/files/%s/link", fileID), takesKey: true}, opts)
}
