// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ApiKeysListQuery is what client.APIKeys.List may be asked with.
type ApiKeysListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// The account of their maker.
	CreatedBy string `json:"created_by,omitzero"`
}

// ApiKeysResource is client.APIKeys.
type ApiKeysResource struct {
	sender sender
}

func newApiKeysResource(sender sender) *ApiKeysResource {
	return &ApiKeysResource{sender: sender}
}

// Create: make an API key.
func (r *ApiKeysResource) Create(ctx context.Context, body KeyRequest, opts ...Option) (*NewKey, error) {
	return send[NewKey](ctx, r.sender, call{operation: "createKey", verb: "POST", path: "/api-keys", body: body, takesKey: true}, opts)
}

// List: list your API keys. Newest first, without the revoked ones.
func (r *ApiKeysResource) List(ctx context.Context, query ApiKeysListQuery, opts ...Option) *List[Key, KeyPage] {
	return newList[Key, KeyPage](ctx, r.sender, call{operation: "listKeys", verb: "GET", path: "/api-keys", query: query}, func(page *KeyPage) ([]Key, *string) { return page.Items, page.NextCursor }, opts)
}

// ListScopes: list the scopes a key may carry.
func (r *ApiKeysResource) ListScopes(ctx context.Context, opts ...Option) (*Scopes, error) {
	return send[Scopes](ctx, r.sender, call{operation: "listScopes", verb: "GET", path: "/api-keys/scopes"}, opts)
}

// Revoke: revoke an API key.
func (r *ApiKeysResource) Revoke(ctx context.Context, keyID string, opts ...Option) (*Key, error) {
	return send[Key](ctx, r.sender, call{operation: "revokeKey", verb: "DELETE", path: pathOf("/api-keys/%s", keyID), takesKey: true}, opts)
}
