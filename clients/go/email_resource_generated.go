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

// Get: read the mail setting of this account.
func (r *EmailResource) Get(ctx context.Context, opts ...Option) (*MailSetting, error) {
	return send[MailSetting](ctx, r.sender, call{operation: "readMail", verb: "GET", path: "/me/email"}, opts)
}

// Set: set the mail address and events of this account. A new address gets one message with a link, which
// is valid for one use within a day. No other mail is sent until the address is confirmed. Send the same
// address again to get another link. At most five links a day are sent for an account, and three to an
// address.
func (r *EmailResource) Set(ctx context.Context, body MailRequest, opts ...Option) (*MailSetting, error) {
	return send[MailSetting](ctx, r.sender, call{operation: "setMail", verb: "PUT", path: "/me/email", body: body, takesKey: true}, opts)
}

// Remove: remove the mail address.
func (r *EmailResource) Remove(ctx context.Context, opts ...Option) (*MailRemoved, error) {
	return send[MailRemoved](ctx, r.sender, call{operation: "removeMail", verb: "DELETE", path: "/me/email", takesKey: true}, opts)
}

// Verify: confirm a mail address by the token of its message. The page that the message links to does the
// same without a session.
func (r *EmailResource) Verify(ctx context.Context, body MailVerification, opts ...Option) (*MailSetting, error) {
	return send[MailSetting](ctx, r.sender, call{operation: "verifyMail", verb: "POST", path: "/me/email/verify", body: body, takesKey: true}, opts)
}
