// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// EmailResource is client.Email.
type EmailResource struct {
	sender sender
}

func newEmailResource(sender sender) *EmailResource {
	return &EmailResource{sender: sender}
}

// Get: read where this account gets mail of its events.
func (r *EmailResource) Get(ctx context.Context, opts ...Option) (*MailSetting, error) {
	return send[MailSetting](ctx, r.sender, call{operation: "readMail", verb: "GET", path: "/me/email"}, opts)
}

// Set: set where this account gets mail of its events, and of which. A new address gets one message with a
// link that is good for a day and once. Until it is confirmed it gets nothing else. The same address may
// be sent again to get another link; five are sent of an account within a day, and three to an address.
func (r *EmailResource) Set(ctx context.Context, body MailRequest, opts ...Option) (*MailSetting, error) {
	return send[MailSetting](ctx, r.sender, call{operation: "setMail", verb: "PUT", path: "/me/email", body: body, takesKey: true}, opts)
}

// Remove: forget the address: no more mail.
func (r *EmailResource) Remove(ctx context.Context, opts ...Option) (*MailRemoved, error) {
	return send[MailRemoved](ctx, r.sender, call{operation: "removeMail", verb: "DELETE", path: "/me/email", takesKey: true}, opts)
}

// Verify: confirm an address by the token of its message. The page that the message links to does the same
// without a sign-in.
func (r *EmailResource) Verify(ctx context.Context, body MailVerification, opts ...Option) (*MailSetting, error) {
	return send[MailSetting](ctx, r.sender, call{operation: "verifyMail", verb: "POST", path: "/me/email/verify", body: body, takesKey: true}, opts)
}
