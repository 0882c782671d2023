// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// AuditListQuery is what client.Audit.List may be asked with.
type AuditListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// AuditResource is client.Audit.
type AuditResource struct {
	sender sender
}

func newAuditResource(sender sender) *AuditResource {
	return &AuditResource{sender: sender}
}

// List: list changes of your credentials and wallets. Newest first: sessions, API keys, wallets, payout
// wallets, webhook secrets and members. An entry is written in the transaction of its change, and never
// changes.
func (r *AuditResource) List(ctx context.Context, query AuditListQuery, opts ...Option) *List[AuditEntry, AuditPage] {
	return newList[AuditEntry, AuditPage](ctx, r.sender, call{operation: "listAudit", verb: "GET", path: "/audit", query: query}, func(page *AuditPage) ([]AuditEntry, *string) { return page.Items, page.NextCursor }, opts)
}
