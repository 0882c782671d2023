// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// OrganisationsInvitationsListQuery is what client.Organisations.Invitations.List may be asked with.
type OrganisationsInvitationsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// OrganisationsInvitationsResource is client.Organisations.Invitations.
type OrganisationsInvitationsResource struct {
	sender sender
}

func newOrganisationsInvitationsResource(sender sender) *OrganisationsInvitationsResource {
	return &OrganisationsInvitationsResource{sender: sender}
}

// Create: invite a wallet into an organisation. Nothing is sent: the owner of the wallet signs in with it
// and finds the invitation at `GET /invitations`. The invitation is open for 14 days, as long as its
// sender may give the role. It replaces an open invitation to the same wallet.
func (r *OrganisationsInvitationsResource) Create(ctx context.Context, organisationID string, body InvitationRequest, opts ...Option) (*Invitation, error) {
	return send[Invitation](ctx, r.sender, call{operation: "inviteMember", verb: "POST", path: pathOf("/organisations/%s/invitations", organisationID), body: body, takesKey: true}, opts)
}

// List: list the invitations of an organisation. For owners and admins. Newest first, with answered
// invitations.
func (r *OrganisationsInvitationsResource) List(ctx context.Context, organisationID string, query OrganisationsInvitationsListQuery, opts ...Option) *List[Invitation, InvitationPage] {
	return newList[Invitation, InvitationPage](ctx, r.sender, call{operation: "listInvitations", verb: "GET", path: pathOf("/organisations/%s/invitations", organisationID), query: query}, func(page *InvitationPage) ([]Invitation, *string) { return page.Items, page.NextCursor }, opts)
}

// Revoke: revoke an invitation.
func (r *OrganisationsInvitationsResource) Revoke(ctx context.Context, organisationID string, invitationID string, opts ...Option) (*Invitation, error) {
	return send[Invitation](ctx, r.sender, call{operation: "revokeInvitation", verb: "DELETE", path: pathOf("/organisations/%s/invitations/%s", organisationID, invitationID), takesKey: true}, opts)
}

// OrganisationsMembersListQuery is what client.Organisations.Members.List may be asked with.
type OrganisationsMembersListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// OrganisationsMembersRemoveQuery is what client.Organisations.Members.Remove may be asked with.
type OrganisationsMembersRemoveQuery struct {
	// Whether to revoke the keys that the member created for the organisation. Unless given: true.
	RevokeKeys Opt[bool] `json:"revoke_keys,omitzero"`
}

// OrganisationsMembersResource is client.Organisations.Members.
type OrganisationsMembersResource struct {
	sender sender
}

func newOrganisationsMembersResource(sender sender) *OrganisationsMembersResource {
	return &OrganisationsMembersResource{sender: sender}
}

// List: list an organisation's members. For every member. The founder first.
func (r *OrganisationsMembersResource) List(ctx context.Context, organisationID string, query OrganisationsMembersListQuery, opts ...Option) *List[Member, MemberPage] {
	return newList[Member, MemberPage](ctx, r.sender, call{operation: "listMembers", verb: "GET", path: pathOf("/organisations/%s/members", organisationID), query: query}, func(page *MemberPage) ([]Member, *string) { return page.Items, page.NextCursor }, opts)
}

// SetRole: change the role of a member. The new role applies from the member's next request. Only owners
// can give or take the role of an owner. What the new role may not set ends: the member's open invitations
// to roles that the member may no longer give; for a developer or viewer, also the API keys and the mail
// address; for a viewer, also the webhook endpoints. The answer lists them.
func (r *OrganisationsMembersResource) SetRole(ctx context.Context, organisationID string, accountID string, body RoleRequest, opts ...Option) (*ChangedMember, error) {
	return send[ChangedMember](ctx, r.sender, call{operation: "setMemberRole", verb: "PUT", path: pathOf("/organisations/%s/members/%s", organisationID, accountID), body: body, takesKey: true}, opts)
}

// Remove: remove a member, or leave an organisation. The member's rights end at once, and so do things
// that the member set for the organisation: open invitations, API keys, the mail address and webhook
// endpoints. The answer lists them, and the members whom the member invited. With `revoke_keys=false` the
// keys stay valid; members cannot choose this for themselves.
func (r *OrganisationsMembersResource) Remove(ctx context.Context, organisationID string, accountID string, query OrganisationsMembersRemoveQuery, opts ...Option) (*RemovedMember, error) {
	return send[RemovedMember](ctx, r.sender, call{operation: "removeMember", verb: "DELETE", path: pathOf("/organisations/%s/members/%s", organisationID, accountID), query: query, takesKey: true}, opts)
}

// OrganisationsResource is client.Organisations.
type OrganisationsResource struct {
	sender      sender
	Invitations *OrganisationsInvitationsResource
	Members     *OrganisationsMembersResource
}

func newOrganisationsResource(sender sender) *OrganisationsResource {
	return &OrganisationsResource{sender: sender, Invitations: newOrganisationsInvitationsResource(sender), Members: newOrganisationsMembersResource(sender)}
}

// List: list the organisations that you may act for. Your own account first. To act for another
// organisation, send its id as `X-Organisation`.
func (r *OrganisationsResource) List(ctx context.Context, opts ...Option) (*Organisations, error) {
	return send[Organisations](ctx, r.sender, call{operation: "listOrganisations", verb: "GET", path: "/organisations"}, opts)
}

// Rename: rename an organisation.
func (r *OrganisationsResource) Rename(ctx context.Context, organisationID string, body OrganisationChange, opts ...Option) (*Organisation, error) {
	return send[Organisation](ctx, r.sender, call{operation: "renameOrganisation", verb: "PATCH", path: pathOf("/organisations/%s", organisationID), body: body, takesKey: true}, opts)
}
