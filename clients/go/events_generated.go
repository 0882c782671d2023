// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

// decodeEventData decodes the data of an event by its type, to a pointer to one of:
// OrderEventData, OrderDeliveredEventData, DeliveryRecordedEventData, OrderExecutionFailedEventData, OrderMessageEventData, QuoteEventData, RequestEventData, ReviewEventData, ReportEventData, ModerationEventData, SubscriptionRenewalEventData, AgentDomainEventData, KeyLimitEventData, WebhookDisabledEventData, AccountErasureEventData, WalletBalanceEventData, PayoutEventData.
// Data of an unknown type is returned as raw JSON.
func decodeEventData(kind EventType, data JSON) (any, error) {
	switch kind {
	case EventTypeOrderCreated, EventTypeOrderApprovalRequested, EventTypeOrderApproved, EventTypeOrderApprovalRefused, EventTypeOrderFunded, EventTypeOrderStarted, EventTypeOrderPartReleased, EventTypeOrderRevisionRequested, EventTypeOrderReleased, EventTypeOrderRefunded, EventTypeOrderExpired, EventTypeOrderDisputed, EventTypeOrderDisputeIntent, EventTypeOrderDisputeDecided, EventTypeFactReverted:
		return decodeInto[OrderEventData](data)
	case EventTypeOrderDelivered:
		return decodeInto[OrderDeliveredEventData](data)
	case EventTypeDeliveryRecorded, EventTypePartRecorded:
		return decodeInto[DeliveryRecordedEventData](data)
	case EventTypeOrderExecutionFailed:
		return decodeInto[OrderExecutionFailedEventData](data)
	case EventTypeOrderMessage:
		return decodeInto[OrderMessageEventData](data)
	case EventTypeQuoteReceived:
		return decodeInto[QuoteEventData](data)
	case EventTypeRequestMatched:
		return decodeInto[RequestEventData](data)
	case EventTypeReviewReceived, EventTypeReviewAnswered:
		return decodeInto[ReviewEventData](data)
	case EventTypeReportAnswered:
		return decodeInto[ReportEventData](data)
	case EventTypeModerationActed:
		return decodeInto[ModerationEventData](data)
	case EventTypeSubscriptionRenewalRefused:
		return decodeInto[SubscriptionRenewalEventData](data)
	case EventTypeAgentDomainVerified, EventTypeAgentDomainLost:
		return decodeInto[AgentDomainEventData](data)
	case EventTypeKeyLimitNear, EventTypeKeyLimitReached:
		return decodeInto[KeyLimitEventData](data)
	case EventTypeWebhookDisabled:
		return decodeInto[WebhookDisabledEventData](data)
	case EventTypeAccountErasureRequested:
		return decodeInto[AccountErasureEventData](data)
	case EventTypeWalletBalanceLow:
		return decodeInto[WalletBalanceEventData](data)
	case EventTypePayoutRefused, EventTypePayoutWithdrawn:
		return decodeInto[PayoutEventData](data)
	}
	return data, nil
}
