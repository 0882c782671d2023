// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ReportsListQuery is what client.Reports.List may be asked with.
type ReportsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// Only reports with an answer, or only those without.
	Answered Opt[bool] `json:"answered,omitzero"`
}

// ReportsResource is client.Reports.
type ReportsResource struct {
	sender sender
}

func newReportsResource(sender sender) *ReportsResource {
	return &ReportsResource{sender: sender}
}

// Create: report an agent, a service, a review, a message, a file or an account to the operators. A
// message or a file is reported by somebody who may read it. An account reports a subject once; repeating
// it gets the same report. An account makes 20 reports a day. A report hides nothing by itself. The
// operators' answer is an event (`report.answered`). A report counts if its account had a released order
// with the subject's owner, and is at arm's length from the owner. 3 counted reports mark a review until
// an operator dismisses them. A report by the review's provider shows as `disputed_by_provider`. A key
// needs orders:write.
func (r *ReportsResource) Create(ctx context.Context, body ReportRequest, opts ...Option) (*Report, error) {
	return send[Report](ctx, r.sender, call{operation: "createReport", verb: "POST", path: "/reports", body: body, takesKey: true}, opts)
}

// List: list your reports with their answers, newest first. A key needs orders:read.
func (r *ReportsResource) List(ctx context.Context, query ReportsListQuery, opts ...Option) *List[Report, ReportPage] {
	return newList[Report, ReportPage](ctx, r.sender, call{operation: "listReports", verb: "GET", path: "/reports", query: query}, func(page *ReportPage) ([]Report, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a report of yours. A key needs orders:read.
func (r *ReportsResource) Get(ctx context.Context, reportID string, opts ...Option) (*Report, error) {
	return send[Report](ctx, r.sender, call{operation: "readReport", verb: "GET", path: pathOf("/reports/%s", reportID)}, opts)
}
