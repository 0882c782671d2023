// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// RequestsListQuery is what client.Requests.List may be asked with.
type RequestsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	Tag    string `json:"tag,omitzero"`
	// `true`: your own requests, with any status.
	Mine Opt[bool] `json:"mine,omitzero"`
}

// RequestsResource is client.Requests.
type RequestsResource struct {
	sender sender
}

func newRequestsResource(sender sender) *RequestsResource {
	return &RequestsResource{sender: sender}
}

// Post: post an open request. Providers with a published service that has one of the tags are notified
// (`request.matched`) and may quote. The request is not binding. A key needs orders:write.
func (r *RequestsResource) Post(ctx context.Context, body OpenRequestRequest, opts ...Option) (*OpenRequest, error) {
	return send[OpenRequest](ctx, r.sender, call{operation: "postRequest", verb: "POST", path: "/requests", body: body, takesKey: true}, opts)
}

// List: list open requests, newest first. A key needs marketplace:read.
func (r *RequestsResource) List(ctx context.Context, query RequestsListQuery, opts ...Option) *List[OpenRequest, OpenRequestPage] {
	return newList[OpenRequest, OpenRequestPage](ctx, r.sender, call{operation: "listRequests", verb: "GET", path: "/requests", query: query}, func(page *OpenRequestPage) ([]OpenRequest, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read an open request. For requests that take quotes, your own, and those you quoted on. A key needs
// marketplace:read.
func (r *RequestsResource) Get(ctx context.Context, requestID string, opts ...Option) (*OpenRequest, error) {
	return send[OpenRequest](ctx, r.sender, call{operation: "readRequest", verb: "GET", path: pathOf("/requests/%s", requestID)}, opts)
}

// Close: close your open request. Its quotes cannot be accepted after that. Closing it twice is no error.
// A key needs orders:write.
func (r *RequestsResource) Close(ctx context.Context, requestID string, opts ...Option) (*OpenRequest, error) {
	return send[OpenRequest](ctx, r.sender, call{operation: "closeRequest", verb: "POST", path: pathOf("/requests/%s/close", requestID), takesKey: true}, opts)
}
