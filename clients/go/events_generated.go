// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

// decodeEventData reads the data of an event by its type: a pointer to OrderEventData, OrderDeliveredEventData, DeliveryRecordedEventData, OrderExecutionFailedEventData, QuoteEventData, RequestEventData, ReviewEventData, SubscriptionRenewalRefusedEventData, AgentDomainVerifiedEventData; or the
// JSON as it came, where the type was added after this client was made.
func decodeEventData(kind EventType, data JSON) (any, error) {
	switch kind {
	case EventTypeOrderCreated, EventTypeOrderApprovalRequested, EventTypeOrderApproved, EventTypeOrderApprovalRefused, EventTypeOrderFunded, EventTypeOrderStarted, EventTypeOrderRevisionRequested, EventTypeOrderReleased, EventTypeOrderRefunded, EventTypeOrderExpired, EventTypeOrderDisputed, EventTypeOrderDisputeIntent, EventTypeOrderDisputeDecided, EventTypeFactReverted:
		return decodeInto[OrderEventData](data)
	case EventTypeOrderDelivered:
		return decodeInto[OrderDeliveredEventData](data)
	case EventTypeDeliveryRecorded:
		return decodeInto[DeliveryRecordedEventData](data)
	case EventTypeOrderExecutionFailed:
		return decodeInto[OrderExecutionFailedEventData](data)
	case EventTypeQuoteReceived:
		return decodeInto[QuoteEventData](data)
	case EventTypeRequestMatched:
		return decodeInto[RequestEventData](data)
	case EventTypeReviewReceived, EventTypeReviewAnswered:
		return decodeInto[ReviewEventData](data)
	case EventTypeSubscriptionRenewalRefused:
		return decodeInto[SubscriptionRenewalRefusedEventData](data)
	case EventTypeAgentDomainVerified, EventTypeAgentDomainLost:
		return decodeInto[AgentDomainVerifiedEventData](data)
	}
	return data, nil
}
