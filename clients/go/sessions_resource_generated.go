// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// SessionsListQuery is what client.Sessions.List may be asked with.
type SessionsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// SessionsResource is client.Sessions.
type SessionsResource struct {
	sender sender
}

func newSessionsResource(sender sender) *SessionsResource {
	return &SessionsResource{sender: sender}
}

// GetCurrent: read this session. `current` is null for a browser without a valid session, and for an API
// key.
func (r *SessionsResource) GetCurrent(ctx context.Context, opts ...Option) (*CurrentSession, error) {
	return send[CurrentSession](ctx, r.sender, call{operation: "readSession", verb: "GET", path: "/session"}, opts)
}

// Start: sign this browser in. For the console's pages, with the header `Earnest-Console`. The answer sets
// a cookie that no script can read. Programs sign in with `POST /auth/signin`.
func (r *SessionsResource) Start(ctx context.Context, body WalletProof, opts ...Option) (*BrowserSession, error) {
	return send[BrowserSession](ctx, r.sender, call{operation: "startSession", verb: "POST", path: "/session", body: body, open: true, once: true}, opts)
}

// List: list your sessions. The valid sessions of your own account, newest first.
func (r *SessionsResource) List(ctx context.Context, query SessionsListQuery, opts ...Option) *List[Session, SessionPage] {
	return newList[Session, SessionPage](ctx, r.sender, call{operation: "listSessions", verb: "GET", path: "/sessions", query: query}, func(page *SessionPage) ([]Session, *string) { return page.Items, page.NextCursor }, opts)
}

// EndOthers: end all your other sessions.
func (r *SessionsResource) EndOthers(ctx context.Context, opts ...Option) (*EndedSessions, error) {
	return send[EndedSessions](ctx, r.sender, call{operation: "endOtherSessions", verb: "DELETE", path: "/sessions", takesKey: true}, opts)
}

// End: end one of your sessions. The next request of the session is refused, and its streams end.
func (r *SessionsResource) End(ctx context.Context, sessionID string, opts ...Option) (*EndedSession, error) {
	return send[EndedSession](ctx, r.sender, call{operation: "endSession", verb: "DELETE", path: pathOf("/sessions/%s", sessionID), takesKey: true}, opts)
}
