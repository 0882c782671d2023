// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// InvitationsListQuery is what client.Invitations.List may be asked with.
type InvitationsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// The id of the organisation.
	Organisation string `json:"organisation,omitzero"`
}

// InvitationsResource is client.Invitations.
type InvitationsResource struct {
	sender sender
}

func newInvitationsResource(sender sender) *InvitationsResource {
	return &InvitationsResource{sender: sender}
}

// List: list the open invitations to your wallets, newest first. Anybody may invite anybody, once for each
// organisation. Use `organisation` to find the one that you expect.
func (r *InvitationsResource) List(ctx context.Context, query InvitationsListQuery, opts ...Option) *List[ReceivedInvitation, ReceivedInvitationPage] {
	return newList[ReceivedInvitation, ReceivedInvitationPage](ctx, r.sender, call{operation: "listReceivedInvitations", verb: "GET", path: "/invitations", query: query}, func(page *ReceivedInvitationPage) ([]ReceivedInvitation, *string) { return page.Items, page.NextCursor }, opts)
}

// Accept: join the organisation.
func (r *InvitationsResource) Accept(ctx context.Context, invitationID string, opts ...Option) (*Invitation, error) {
	return send[Invitation](ctx, r.sender, call{operation: "acceptInvitation", verb: "POST", path: pathOf("/invitations/%s/accept", invitationID), takesKey: true}, opts)
}

// Decline: decline to join the organisation.
func (r *InvitationsResource) Decline(ctx context.Context, invitationID string, opts ...Option) (*Invitation, error) {
	return send[Invitation](ctx, r.sender, call{operation: "declineInvitation", verb: "POST", path: pathOf("/invitations/%s/decline", invitationID), takesKey: true}, opts)
}
