// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// resources are all resources of the API, and the methods that belong to none.
type resources struct {
	sender sender

	Agents         *AgentsResource
	Reviews        *ReviewsResource
	Services       *ServicesResource
	Analytics      *AnalyticsResource
	APIKeys        *ApiKeysResource
	Audit          *AuditResource
	Auth           *AuthResource
	Wallets        *WalletsResource
	Balances       *BalancesResource
	Orders         *OrdersResource
	Marketplace    *MarketplaceResource
	Chain          *ChainResource
	Disputes       *DisputesResource
	Events         *Events
	DataExport     *DataExportResource
	Payments       *PaymentsResource
	Subscriptions  *SubscriptionsResource
	Feedback       *FeedbackResource
	Files          *FilesResource
	Invitations    *InvitationsResource
	BillingDetails *BillingDetailsResource
	Email          *EmailResource
	Erasure        *ErasureResource
	Moderations    *ModerationsResource
	Notifications  *NotificationsResource
	Operator       *OperatorResource
	Receipts       *ReceiptsResource
	Organisations  *OrganisationsResource
	Passkeys       *PasskeysResource
	Quotes         *QuotesResource
	Reports        *ReportsResource
	Requests       *RequestsResource
	Sessions       *SessionsResource
	Webhooks       *WebhooksResource
}

func newResources(sender sender) resources {
	r := resources{sender: sender}
	r.Agents = newAgentsResource(sender)
	r.Reviews = newReviewsResource(sender)
	r.Services = newServicesResource(sender)
	r.Analytics = newAnalyticsResource(sender)
	r.APIKeys = newApiKeysResource(sender)
	r.Audit = newAuditResource(sender)
	r.Auth = newAuthResource(sender)
	r.Wallets = newWalletsResource(sender)
	r.Balances = newBalancesResource(sender)
	r.Orders = newOrdersResource(sender)
	r.Marketplace = newMarketplaceResource(sender)
	r.Chain = newChainResource(sender)
	r.Disputes = newDisputesResource(sender)
	r.Events = &Events{newEventsResource(sender)}
	r.DataExport = newDataExportResource(sender)
	r.Payments = newPaymentsResource(sender)
	r.Subscriptions = newSubscriptionsResource(sender)
	r.Feedback = newFeedbackResource(sender)
	r.Files = newFilesResource(sender)
	r.Invitations = newInvitationsResource(sender)
	r.BillingDetails = newBillingDetailsResource(sender)
	r.Email = newEmailResource(sender)
	r.Erasure = newErasureResource(sender)
	r.Moderations = newModerationsResource(sender)
	r.Notifications = newNotificationsResource(sender)
	r.Operator = newOperatorResource(sender)
	r.Receipts = newReceiptsResource(sender)
	r.Organisations = newOrganisationsResource(sender)
	r.Passkeys = newPasskeysResource(sender)
	r.Quotes = newQuotesResource(sender)
	r.Reports = newReportsResource(sender)
	r.Requests = newRequestsResource(sender)
	r.Sessions = newSessionsResource(sender)
	r.Webhooks = newWebhooksResource(sender)
	return r
}

// Me: read the account that this token acts for.
func (r *resources) Me(ctx context.Context, opts ...Option) (*Me, error) {
	return send[Me](ctx, r.sender, call{operation: "readMe", verb: "GET", path: "/me"}, opts)
}

// GetTransparency: count the reports and the operators' acts by month. Open to everybody. The last 24
// months (UTC) with a count, newest first. No count names anybody.
func (r *resources) GetTransparency(ctx context.Context, opts ...Option) (*Transparency, error) {
	return send[Transparency](ctx, r.sender, call{operation: "readTransparency", verb: "GET", path: "/transparency", open: true}, opts)
}
