// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// AuditListQuery is what client.Audit.List may be asked with.
type AuditListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
}

// AuditResource is client.Audit.
type AuditResource struct {
	sender sender
}

func newAuditResource(sender sender) *AuditResource {
	return &AuditResource{sender: sender}
}

// List: what was done to your credentials and wallets, newest first. Sessions, API keys, wallets, payout
// wallets, webhook secrets and members. Written in the transaction of what it tells of, and never changed.
func (r *AuditResource) List(ctx context.Context, query AuditListQuery, opts ...Option) *List[AuditEntry, AuditPage] {
	return newList[AuditEntry, AuditPage](ctx, r.sender, call{operation: "listAudit", verb: "GET", path: "/audit", query: query}, func(page *AuditPage) ([]AuditEntry, *string) { return page.Items, page.NextCursor }, opts)
}
