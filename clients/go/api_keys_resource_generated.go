// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ApiKeysListQuery is what client.APIKeys.List may be asked with.
type ApiKeysListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// The account of the creator.
	CreatedBy string `json:"created_by,omitzero"`
}

// ApiKeysResource is client.APIKeys.
type ApiKeysResource struct {
	sender sender
}

func newApiKeysResource(sender sender) *ApiKeysResource {
	return &ApiKeysResource{sender: sender}
}

// Create: create an API key.
func (r *ApiKeysResource) Create(ctx context.Context, body KeyRequest, opts ...Option) (*NewKey, error) {
	return send[NewKey](ctx, r.sender, call{operation: "createKey", verb: "POST", path: "/api-keys", body: body, takesKey: true}, opts)
}

// List: list your API keys. Newest first. Expired keys are listed, revoked keys are not.
func (r *ApiKeysResource) List(ctx context.Context, query ApiKeysListQuery, opts ...Option) *List[Key, KeyPage] {
	return newList[Key, KeyPage](ctx, r.sender, call{operation: "listKeys", verb: "GET", path: "/api-keys", query: query}, func(page *KeyPage) ([]Key, *string) { return page.Items, page.NextCursor }, opts)
}

// ListScopes: list the scopes of API keys.
func (r *ApiKeysResource) ListScopes(ctx context.Context, opts ...Option) (*Scopes, error) {
	return send[Scopes](ctx, r.sender, call{operation: "listScopes", verb: "GET", path: "/api-keys/scopes"}, opts)
}

// Update: change the limits, expiry or networks of an API key. Applies from the next order on. Amounts
// that the key has spent still count. An expired or revoked key cannot be changed: create another.
func (r *ApiKeysResource) Update(ctx context.Context, keyID string, body KeyChanges, opts ...Option) (*Key, error) {
	return send[Key](ctx, r.sender, call{operation: "changeKey", verb: "PATCH", path: pathOf("/api-keys/%s", keyID), body: body, takesKey: true}, opts)
}

// Revoke: revoke an API key.
func (r *ApiKeysResource) Revoke(ctx context.Context, keyID string, opts ...Option) (*Key, error) {
	return send[Key](ctx, r.sender, call{operation: "revokeKey", verb: "DELETE", path: pathOf("/api-keys/%s", keyID), takesKey: true}, opts)
}

// GetSpend: read what your API keys have spent and have left. A key reads itself; a session reads every
// active key, newest first. Days and months are in UTC. A refund counts for the day of the payment.
func (r *ApiKeysResource) GetSpend(ctx context.Context, opts ...Option) (*Spend, error) {
	return send[Spend](ctx, r.sender, call{operation: "readSpend", verb: "GET", path: "/me/spend"}, opts)
}
