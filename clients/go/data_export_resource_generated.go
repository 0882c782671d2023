// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// DataExportResource is client.DataExport.
type DataExportResource struct {
	sender sender
}

func newDataExportResource(sender sender) *DataExportResource {
	return &DataExportResource{sender: sender}
}

// Download: download the newest export of your data. A zip file with one JSON file for each kind of data.
// Only a session of the account gets it.
func (r *DataExportResource) Download(ctx context.Context, opts ...Option) ([]byte, error) {
	return sendForFile(ctx, r.sender, call{operation: "downloadDataExport", verb: "GET", path: "/exports/account.zip", root: true, accept: "application/zip"}, opts)
}

// Request: request an export of all data of your account. A worker makes the file, once a day for an
// account. It is stored for 3 days.
func (r *DataExportResource) Request(ctx context.Context, opts ...Option) (*DataExport, error) {
	return send[DataExport](ctx, r.sender, call{operation: "requestDataExport", verb: "POST", path: "/me/export", takesKey: true}, opts)
}

// Get: read the state of the newest export of your data.
func (r *DataExportResource) Get(ctx context.Context, opts ...Option) (*DataExport, error) {
	return send[DataExport](ctx, r.sender, call{operation: "readDataExport", verb: "GET", path: "/me/export"}, opts)
}
