// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ModerationsListQuery is what client.Moderations.List may be asked with.
type ModerationsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// The id of one subject.
	Subject string `json:"subject,omitzero"`
}

// ModerationsResource is client.Moderations.
type ModerationsResource struct {
	sender sender
}

func newModerationsResource(sender sender) *ModerationsResource {
	return &ModerationsResource{sender: sender}
}

// List: list the operators' acts on your agents, services, reviews and account, newest first. Each has its
// reason. An act that withholds something takes one appeal. A key needs orders:read.
func (r *ModerationsResource) List(ctx context.Context, query ModerationsListQuery, opts ...Option) *List[Moderation, ModerationPage] {
	return newList[Moderation, ModerationPage](ctx, r.sender, call{operation: "listModerations", verb: "GET", path: "/moderations", query: query}, func(page *ModerationPage) ([]Moderation, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read an act of the operators that concerns you. A key needs orders:read.
func (r *ModerationsResource) Get(ctx context.Context, moderationID string, opts ...Option) (*Moderation, error) {
	return send[Moderation](ctx, r.sender, call{operation: "readModeration", verb: "GET", path: pathOf("/moderations/%s", moderationID)}, opts)
}

// Appeal: appeal against an act of the operators. Possible once for an act that is in force. An operator
// answers by restoring the subject, or by an event (`moderation.acted`) whose act is `dismiss`. A repeated
// request changes nothing. A key needs orders:write.
func (r *ModerationsResource) Appeal(ctx context.Context, moderationID string, body AppealRequest, opts ...Option) (*Moderation, error) {
	return send[Moderation](ctx, r.sender, call{operation: "appealModeration", verb: "POST", path: pathOf("/moderations/%s/appeal", moderationID), body: body, takesKey: true}, opts)
}
