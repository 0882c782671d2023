// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// OrganisationsInvitationsListQuery is what client.Organisations.Invitations.List may be asked with.
type OrganisationsInvitationsListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
}

// OrganisationsInvitationsResource is client.Organisations.Invitations.
type OrganisationsInvitationsResource struct {
	sender sender
}

func newOrganisationsInvitationsResource(sender sender) *OrganisationsInvitationsResource {
	return &OrganisationsInvitationsResource{sender: sender}
}

// Create: invite a wallet into an organisation. Nothing is sent: whoever signs in with the wallet finds it
// at `GET /invitations`. It stands for 14 days, while whoever invited may give the role, and takes the
// place of an open one to the same wallet.
func (r *OrganisationsInvitationsResource) Create(ctx context.Context, organisationID string, body InvitationRequest, opts ...Option) (*Invitation, error) {
	return send[Invitation](ctx, r.sender, call{operation: "inviteMember", verb: "POST", path: pathOf("/organisations/%s/invitations", organisationID), body: body, takesKey: true}, opts)
}

// List: list an organisation's invitations, newest first. To its owners and admins, the answered ones
// included.
func (r *OrganisationsInvitationsResource) List(ctx context.Context, organisationID string, query OrganisationsInvitationsListQuery, opts ...Option) *List[Invitation, InvitationPage] {
	return newList[Invitation, InvitationPage](ctx, r.sender, call{operation: "listInvitations", verb: "GET", path: pathOf("/organisations/%s/invitations", organisationID), query: query}, func(page *InvitationPage) ([]Invitation, *string) { return page.Items, page.NextCursor }, opts)
}

// Revoke: take an invitation back.
func (r *OrganisationsInvitationsResource) Revoke(ctx context.Context, organisationID string, invitationID string, opts ...Option) (*Invitation, error) {
	return send[Invitation](ctx, r.sender, call{operation: "revokeInvitation", verb: "DELETE", path: pathOf("/organisations/%s/invitations/%s", organisationID, invitationID), takesKey: true}, opts)
}

// OrganisationsMembersListQuery is what client.Organisations.Members.List may be asked with.
type OrganisationsMembersListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
}

// OrganisationsMembersRemoveQuery is what client.Organisations.Members.Remove may be asked with.
type OrganisationsMembersRemoveQuery struct {
	// Whether the keys that they made for the organisation are revoked as well. Unless given: true.
	RevokeKeys Opt[bool] `json:"revoke_keys,omitzero"`
}

// OrganisationsMembersResource is client.Organisations.Members.
type OrganisationsMembersResource struct {
	sender sender
}

func newOrganisationsMembersResource(sender sender) *OrganisationsMembersResource {
	return &OrganisationsMembersResource{sender: sender}
}

// List: list an organisation's members. To every member. Its founder first.
func (r *OrganisationsMembersResource) List(ctx context.Context, organisationID string, query OrganisationsMembersListQuery, opts ...Option) *List[Member, MemberPage] {
	return newList[Member, MemberPage](ctx, r.sender, call{operation: "listMembers", verb: "GET", path: pathOf("/organisations/%s/members", organisationID), query: query}, func(page *MemberPage) ([]Member, *string) { return page.Items, page.NextCursor }, opts)
}

// SetRole: give a member another role. It holds from the member's next request. Only owners make owners,
// or make them less. What they set ends where they may not set it now, and the answer names it:
// invitations to roles that they may not give, and of who is neither owner nor admin the keys and the
// address for mail; of a viewer the webhook endpoints too.
func (r *OrganisationsMembersResource) SetRole(ctx context.Context, organisationID string, accountID string, body RoleRequest, opts ...Option) (*ChangedMember, error) {
	return send[ChangedMember](ctx, r.sender, call{operation: "setMemberRole", verb: "PUT", path: pathOf("/organisations/%s/members/%s", organisationID, accountID), body: body, takesKey: true}, opts)
}

// Remove: remove a member, or leave. What they may do ends at once, and so does what they set for the
// organisation: open invitations, API keys, the address for mail, webhook endpoints. The answer names it,
// and the members whom they let in. With `revoke_keys=false` the keys stand, which nobody asks for their
// own.
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

// List: list the organisations that you may act for. Your own account first. To act for another one, send
// its id as `X-Organisation`.
func (r *OrganisationsResource) List(ctx context.Context, opts ...Option) (*Organisations, error) {
	return send[Organisations](ctx, r.sender, call{operation: "listOrganisations", verb: "GET", path: "/organisations"}, opts)
}

// Rename: name an organisation.
func (r *OrganisationsResource) Rename(ctx context.Context, organisationID string, body OrganisationChange, opts ...Option) (*Organisation, error) {
	return send[Organisation](ctx, r.sender, call{operation: "renameOrganisation", verb: "PATCH", path: pathOf("/organisations/%s", organisationID), body: body, takesKey: true}, opts)
}
