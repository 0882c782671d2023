// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "time"

type plainOrderSummary OrderSummary

// UnmarshalJSON keeps unknown members.
func (v *OrderSummary) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderSummary)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderSummary) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderSummary(v), v.Unknown)
}

type plainServiceReference ServiceReference

// UnmarshalJSON keeps unknown members.
func (v *ServiceReference) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainServiceReference)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ServiceReference) MarshalJSON() ([]byte, error) {
	return writeMembers(plainServiceReference(v), v.Unknown)
}

type plainAgentReference AgentReference

// UnmarshalJSON keeps unknown members.
func (v *AgentReference) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentReference)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentReference) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentReference(v), v.Unknown)
}

type plainTrailEntry TrailEntry

// UnmarshalJSON keeps unknown members.
func (v *TrailEntry) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTrailEntry)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TrailEntry) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTrailEntry(v), v.Unknown)
}

type plainTransaction Transaction

// UnmarshalJSON keeps unknown members.
func (v *Transaction) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTransaction)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Transaction) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTransaction(v), v.Unknown)
}

type plainOrderEventLinks OrderEventLinks

// UnmarshalJSON keeps unknown members.
func (v *OrderEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderEventLinks(v), v.Unknown)
}

type plainOrderEventData OrderEventData

// UnmarshalJSON keeps unknown members.
func (v *OrderEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderEventData(v), v.Unknown)
}

type plainOrderDeliveredEventData OrderDeliveredEventData

// UnmarshalJSON keeps unknown members.
func (v *OrderDeliveredEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderDeliveredEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderDeliveredEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderDeliveredEventData(v), v.Unknown)
}

type plainDeliveryRecordedEventData DeliveryRecordedEventData

// UnmarshalJSON keeps unknown members.
func (v *DeliveryRecordedEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeliveryRecordedEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeliveryRecordedEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeliveryRecordedEventData(v), v.Unknown)
}

type plainFailedExecution FailedExecution

// UnmarshalJSON keeps unknown members.
func (v *FailedExecution) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFailedExecution)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FailedExecution) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFailedExecution(v), v.Unknown)
}

type plainExecutionEventLinks ExecutionEventLinks

// UnmarshalJSON keeps unknown members.
func (v *ExecutionEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainExecutionEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ExecutionEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainExecutionEventLinks(v), v.Unknown)
}

type plainOrderExecutionFailedEventData OrderExecutionFailedEventData

// UnmarshalJSON keeps unknown members.
func (v *OrderExecutionFailedEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderExecutionFailedEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderExecutionFailedEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderExecutionFailedEventData(v), v.Unknown)
}

type plainSentMessage SentMessage

// UnmarshalJSON keeps unknown members.
func (v *SentMessage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSentMessage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SentMessage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSentMessage(v), v.Unknown)
}

type plainMessageEventLinks MessageEventLinks

// UnmarshalJSON keeps unknown members.
func (v *MessageEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMessageEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v MessageEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMessageEventLinks(v), v.Unknown)
}

type plainOrderMessageEventData OrderMessageEventData

// UnmarshalJSON keeps unknown members.
func (v *OrderMessageEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderMessageEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderMessageEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderMessageEventData(v), v.Unknown)
}

type plainQuoteEventLinks QuoteEventLinks

// UnmarshalJSON keeps unknown members.
func (v *QuoteEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainQuoteEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v QuoteEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainQuoteEventLinks(v), v.Unknown)
}

type plainQuoteEventData QuoteEventData

// UnmarshalJSON keeps unknown members.
func (v *QuoteEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainQuoteEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v QuoteEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainQuoteEventData(v), v.Unknown)
}

type plainRequestEventLinks RequestEventLinks

// UnmarshalJSON keeps unknown members.
func (v *RequestEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRequestEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RequestEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRequestEventLinks(v), v.Unknown)
}

type plainRequestEventData RequestEventData

// UnmarshalJSON keeps unknown members.
func (v *RequestEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRequestEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RequestEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRequestEventData(v), v.Unknown)
}

type plainReviewEventLinks ReviewEventLinks

// UnmarshalJSON keeps unknown members.
func (v *ReviewEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReviewEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReviewEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReviewEventLinks(v), v.Unknown)
}

type plainReviewEventData ReviewEventData

// UnmarshalJSON keeps unknown members.
func (v *ReviewEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReviewEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReviewEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReviewEventData(v), v.Unknown)
}

type plainSubject Subject

// UnmarshalJSON keeps unknown members.
func (v *Subject) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubject)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Subject) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubject(v), v.Unknown)
}

type plainReportEventLinks ReportEventLinks

// UnmarshalJSON keeps unknown members.
func (v *ReportEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReportEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReportEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReportEventLinks(v), v.Unknown)
}

type plainReportEventData ReportEventData

// UnmarshalJSON keeps unknown members.
func (v *ReportEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReportEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReportEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReportEventData(v), v.Unknown)
}

type plainModerationEventLinks ModerationEventLinks

// UnmarshalJSON keeps unknown members.
func (v *ModerationEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainModerationEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ModerationEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModerationEventLinks(v), v.Unknown)
}

type plainModerationEventData ModerationEventData

// UnmarshalJSON keeps unknown members.
func (v *ModerationEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainModerationEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ModerationEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModerationEventData(v), v.Unknown)
}

type plainSubscriptionEventLinks SubscriptionEventLinks

// UnmarshalJSON keeps unknown members.
func (v *SubscriptionEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubscriptionEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SubscriptionEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubscriptionEventLinks(v), v.Unknown)
}

type plainSubscriptionRenewalEventData SubscriptionRenewalEventData

// UnmarshalJSON keeps unknown members.
func (v *SubscriptionRenewalEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubscriptionRenewalEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SubscriptionRenewalEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubscriptionRenewalEventData(v), v.Unknown)
}

type plainDomainEventLinks DomainEventLinks

// UnmarshalJSON keeps unknown members.
func (v *DomainEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDomainEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DomainEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDomainEventLinks(v), v.Unknown)
}

type plainAgentDomainEventData AgentDomainEventData

// UnmarshalJSON keeps unknown members.
func (v *AgentDomainEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentDomainEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentDomainEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentDomainEventData(v), v.Unknown)
}

type plainKeyEventLinks KeyEventLinks

// UnmarshalJSON keeps unknown members.
func (v *KeyEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainKeyEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v KeyEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainKeyEventLinks(v), v.Unknown)
}

type plainKeyLimitEventData KeyLimitEventData

// UnmarshalJSON keeps unknown members.
func (v *KeyLimitEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainKeyLimitEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v KeyLimitEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainKeyLimitEventData(v), v.Unknown)
}

type plainWebhookEventLinks WebhookEventLinks

// UnmarshalJSON keeps unknown members.
func (v *WebhookEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookEventLinks(v), v.Unknown)
}

type plainWebhookDisabledEventData WebhookDisabledEventData

// UnmarshalJSON keeps unknown members.
func (v *WebhookDisabledEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookDisabledEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookDisabledEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookDisabledEventData(v), v.Unknown)
}

type plainErasureEventLinks ErasureEventLinks

// UnmarshalJSON keeps unknown members.
func (v *ErasureEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainErasureEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ErasureEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainErasureEventLinks(v), v.Unknown)
}

type plainAccountErasureEventData AccountErasureEventData

// UnmarshalJSON keeps unknown members.
func (v *AccountErasureEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAccountErasureEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AccountErasureEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAccountErasureEventData(v), v.Unknown)
}

type plainWalletEventLinks WalletEventLinks

// UnmarshalJSON keeps unknown members.
func (v *WalletEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWalletEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WalletEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWalletEventLinks(v), v.Unknown)
}

type plainWalletBalanceEventData WalletBalanceEventData

// UnmarshalJSON keeps unknown members.
func (v *WalletBalanceEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWalletBalanceEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WalletBalanceEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWalletBalanceEventData(v), v.Unknown)
}

type plainPayoutEventLinks PayoutEventLinks

// UnmarshalJSON keeps unknown members.
func (v *PayoutEventLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPayoutEventLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PayoutEventLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPayoutEventLinks(v), v.Unknown)
}

type plainPayoutEventData PayoutEventData

// UnmarshalJSON keeps unknown members.
func (v *PayoutEventData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPayoutEventData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PayoutEventData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPayoutEventData(v), v.Unknown)
}

type plainViolation Violation

// UnmarshalJSON keeps unknown members.
func (v *Violation) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainViolation)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Violation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainViolation(v), v.Unknown)
}

type plainPassedLimit PassedLimit

// UnmarshalJSON keeps unknown members.
func (v *PassedLimit) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPassedLimit)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PassedLimit) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPassedLimit(v), v.Unknown)
}

type plainNonce Nonce

// UnmarshalJSON keeps unknown members.
func (v *Nonce) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainNonce)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Nonce) MarshalJSON() ([]byte, error) {
	return writeMembers(plainNonce(v), v.Unknown)
}

type plainSignIn SignIn

// UnmarshalJSON keeps unknown members.
func (v *SignIn) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSignIn)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SignIn) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSignIn(v), v.Unknown)
}

type plainSessionTokens SessionTokens

// UnmarshalJSON keeps unknown members.
func (v *SessionTokens) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSessionTokens)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SessionTokens) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSessionTokens(v), v.Unknown)
}

type plainAccount Account

// UnmarshalJSON keeps unknown members.
func (v *Account) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAccount)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Account) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAccount(v), v.Unknown)
}

type plainSignOut SignOut

// UnmarshalJSON keeps unknown members.
func (v *SignOut) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSignOut)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SignOut) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSignOut(v), v.Unknown)
}

type plainCurrentSession CurrentSession

// UnmarshalJSON keeps unknown members.
func (v *CurrentSession) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCurrentSession)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CurrentSession) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCurrentSession(v), v.Unknown)
}

type plainBrowserSession BrowserSession

// UnmarshalJSON keeps unknown members.
func (v *BrowserSession) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainBrowserSession)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v BrowserSession) MarshalJSON() ([]byte, error) {
	return writeMembers(plainBrowserSession(v), v.Unknown)
}

type plainSession Session

// UnmarshalJSON keeps unknown members.
func (v *Session) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSession)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Session) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSession(v), v.Unknown)
}

type plainDeviceSignIn DeviceSignIn

// UnmarshalJSON keeps unknown members.
func (v *DeviceSignIn) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeviceSignIn)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeviceSignIn) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeviceSignIn(v), v.Unknown)
}

type plainDeviceSignInPoll DeviceSignInPoll

// UnmarshalJSON keeps unknown members.
func (v *DeviceSignInPoll) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeviceSignInPoll)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeviceSignInPoll) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeviceSignInPoll(v), v.Unknown)
}

type plainDeviceSignInRequest DeviceSignInRequest

// UnmarshalJSON keeps unknown members.
func (v *DeviceSignInRequest) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeviceSignInRequest)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeviceSignInRequest) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeviceSignInRequest(v), v.Unknown)
}

type plainUserCode UserCode

// UnmarshalJSON keeps unknown members.
func (v *UserCode) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainUserCode)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v UserCode) MarshalJSON() ([]byte, error) {
	return writeMembers(plainUserCode(v), v.Unknown)
}

type plainDeviceLink DeviceLink

// UnmarshalJSON keeps unknown members.
func (v *DeviceLink) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeviceLink)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeviceLink) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeviceLink(v), v.Unknown)
}

type plainDeviceApproved DeviceApproved

// UnmarshalJSON keeps unknown members.
func (v *DeviceApproved) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeviceApproved)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeviceApproved) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeviceApproved(v), v.Unknown)
}

type plainSessionPage SessionPage

// UnmarshalJSON keeps unknown members.
func (v *SessionPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSessionPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SessionPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSessionPage(v), v.Unknown)
}

type plainEndedSession EndedSession

// UnmarshalJSON keeps unknown members.
func (v *EndedSession) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEndedSession)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EndedSession) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEndedSession(v), v.Unknown)
}

type plainEndedSessions EndedSessions

// UnmarshalJSON keeps unknown members.
func (v *EndedSessions) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEndedSessions)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EndedSessions) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEndedSessions(v), v.Unknown)
}

type plainWallets Wallets

// UnmarshalJSON keeps unknown members.
func (v *Wallets) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWallets)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Wallets) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWallets(v), v.Unknown)
}

type plainWallet Wallet

// UnmarshalJSON keeps unknown members.
func (v *Wallet) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWallet)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Wallet) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWallet(v), v.Unknown)
}

type plainRemovedWallet RemovedWallet

// UnmarshalJSON keeps unknown members.
func (v *RemovedWallet) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRemovedWallet)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RemovedWallet) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRemovedWallet(v), v.Unknown)
}

type plainPasskeyList PasskeyList

// UnmarshalJSON keeps unknown members.
func (v *PasskeyList) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPasskeyList)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PasskeyList) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPasskeyList(v), v.Unknown)
}

type plainPasskey Passkey

// UnmarshalJSON keeps unknown members.
func (v *Passkey) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPasskey)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Passkey) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPasskey(v), v.Unknown)
}

type plainTransferToSign TransferToSign

// UnmarshalJSON keeps unknown members.
func (v *TransferToSign) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTransferToSign)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TransferToSign) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTransferToSign(v), v.Unknown)
}

type plainRelay Relay

// UnmarshalJSON keeps unknown members.
func (v *Relay) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRelay)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Relay) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRelay(v), v.Unknown)
}

type plainRelayAnswer RelayAnswer

// UnmarshalJSON keeps unknown members.
func (v *RelayAnswer) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRelayAnswer)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RelayAnswer) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRelayAnswer(v), v.Unknown)
}

type plainAccountDeployment AccountDeployment

// UnmarshalJSON keeps unknown members.
func (v *AccountDeployment) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAccountDeployment)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AccountDeployment) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAccountDeployment(v), v.Unknown)
}

type plainMe struct {
	plainAccount
	Auth Authority `json:"auth"`
}

// UnmarshalJSON keeps unknown members.
func (v *Me) UnmarshalJSON(data []byte) error {
	plain := plainMe{plainAccount(v.Account), v.Auth}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = Me{Account(plain.plainAccount), plain.Auth}
	return err
}

// MarshalJSON writes unknown members too.
func (v Me) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMe{plainAccount(v.Account), v.Auth}, v.Unknown)
}

type plainAuthority Authority

// UnmarshalJSON keeps unknown members.
func (v *Authority) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAuthority)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Authority) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAuthority(v), v.Unknown)
}

type plainMailSetting MailSetting

// UnmarshalJSON keeps unknown members.
func (v *MailSetting) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMailSetting)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v MailSetting) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMailSetting(v), v.Unknown)
}

type plainMailRemoved MailRemoved

// UnmarshalJSON keeps unknown members.
func (v *MailRemoved) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMailRemoved)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v MailRemoved) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMailRemoved(v), v.Unknown)
}

type plainNewKey struct {
	plainKey
	Token string `json:"token"`
}

// UnmarshalJSON keeps unknown members.
func (v *NewKey) UnmarshalJSON(data []byte) error {
	plain := plainNewKey{plainKey(v.Key), v.Token}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = NewKey{Key(plain.plainKey), plain.Token}
	return err
}

// MarshalJSON writes unknown members too.
func (v NewKey) MarshalJSON() ([]byte, error) {
	return writeMembers(plainNewKey{plainKey(v.Key), v.Token}, v.Unknown)
}

type plainKeyLimits KeyLimits

// UnmarshalJSON keeps unknown members.
func (v *KeyLimits) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainKeyLimits)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v KeyLimits) MarshalJSON() ([]byte, error) {
	return writeMembers(plainKeyLimits(v), v.Unknown)
}

type plainKey Key

// UnmarshalJSON keeps unknown members.
func (v *Key) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainKey)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Key) MarshalJSON() ([]byte, error) {
	return writeMembers(plainKey(v), v.Unknown)
}

type plainKeyPage KeyPage

// UnmarshalJSON keeps unknown members.
func (v *KeyPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainKeyPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v KeyPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainKeyPage(v), v.Unknown)
}

type plainScopes Scopes

// UnmarshalJSON keeps unknown members.
func (v *Scopes) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScopes)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Scopes) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScopes(v), v.Unknown)
}

type plainScopeMeaning ScopeMeaning

// UnmarshalJSON keeps unknown members.
func (v *ScopeMeaning) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScopeMeaning)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ScopeMeaning) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScopeMeaning(v), v.Unknown)
}

type plainSpend Spend

// UnmarshalJSON keeps unknown members.
func (v *Spend) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSpend)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Spend) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSpend(v), v.Unknown)
}

type plainKeySpend KeySpend

// UnmarshalJSON keeps unknown members.
func (v *KeySpend) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainKeySpend)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v KeySpend) MarshalJSON() ([]byte, error) {
	return writeMembers(plainKeySpend(v), v.Unknown)
}

type plainSpendPeriod SpendPeriod

// UnmarshalJSON keeps unknown members.
func (v *SpendPeriod) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSpendPeriod)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SpendPeriod) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSpendPeriod(v), v.Unknown)
}

type plainTokenSpend TokenSpend

// UnmarshalJSON keeps unknown members.
func (v *TokenSpend) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTokenSpend)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TokenSpend) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTokenSpend(v), v.Unknown)
}

type plainOpenOrders OpenOrders

// UnmarshalJSON keeps unknown members.
func (v *OpenOrders) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOpenOrders)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OpenOrders) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOpenOrders(v), v.Unknown)
}

type plainAuditPage AuditPage

// UnmarshalJSON keeps unknown members.
func (v *AuditPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAuditPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AuditPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAuditPage(v), v.Unknown)
}

type plainAuditEntry AuditEntry

// UnmarshalJSON keeps unknown members.
func (v *AuditEntry) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAuditEntry)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AuditEntry) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAuditEntry(v), v.Unknown)
}

type plainAuditActor AuditActor

// UnmarshalJSON keeps unknown members.
func (v *AuditActor) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAuditActor)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AuditActor) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAuditActor(v), v.Unknown)
}

type plainOrganisations Organisations

// UnmarshalJSON keeps unknown members.
func (v *Organisations) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrganisations)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Organisations) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrganisations(v), v.Unknown)
}

type plainOrganisation Organisation

// UnmarshalJSON keeps unknown members.
func (v *Organisation) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrganisation)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Organisation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrganisation(v), v.Unknown)
}

type plainMemberPage MemberPage

// UnmarshalJSON keeps unknown members.
func (v *MemberPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMemberPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v MemberPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMemberPage(v), v.Unknown)
}

type plainMember Member

// UnmarshalJSON keeps unknown members.
func (v *Member) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMember)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Member) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMember(v), v.Unknown)
}

type plainChangedMember struct {
	plainMember
	RevokedInvitations int64             `json:"revoked_invitations"`
	Invitations        []EndedInvitation `json:"invitations"`
	Keys               []Key             `json:"keys"`
	Email              *string           `json:"email"`
	Webhooks           []Webhook         `json:"webhooks"`
	InvitedMembers     []InvitedMember   `json:"invited_members"`
}

// UnmarshalJSON keeps unknown members.
func (v *ChangedMember) UnmarshalJSON(data []byte) error {
	plain := plainChangedMember{plainMember(v.Member), v.RevokedInvitations, v.Invitations, v.Keys, v.Email, v.Webhooks, v.InvitedMembers}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ChangedMember{Member(plain.plainMember), plain.RevokedInvitations, plain.Invitations, plain.Keys, plain.Email, plain.Webhooks, plain.InvitedMembers}
	return err
}

// MarshalJSON writes unknown members too.
func (v ChangedMember) MarshalJSON() ([]byte, error) {
	return writeMembers(plainChangedMember{plainMember(v.Member), v.RevokedInvitations, v.Invitations, v.Keys, v.Email, v.Webhooks, v.InvitedMembers}, v.Unknown)
}

type plainEndedInvitation EndedInvitation

// UnmarshalJSON keeps unknown members.
func (v *EndedInvitation) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEndedInvitation)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EndedInvitation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEndedInvitation(v), v.Unknown)
}

type plainWebhook Webhook

// UnmarshalJSON keeps unknown members.
func (v *Webhook) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhook)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Webhook) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhook(v), v.Unknown)
}

type plainInvitedMember InvitedMember

// UnmarshalJSON keeps unknown members.
func (v *InvitedMember) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainInvitedMember)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v InvitedMember) MarshalJSON() ([]byte, error) {
	return writeMembers(plainInvitedMember(v), v.Unknown)
}

type plainRemovedMember RemovedMember

// UnmarshalJSON keeps unknown members.
func (v *RemovedMember) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRemovedMember)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RemovedMember) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRemovedMember(v), v.Unknown)
}

type plainInvitation Invitation

// UnmarshalJSON keeps unknown members.
func (v *Invitation) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainInvitation)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Invitation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainInvitation(v), v.Unknown)
}

type plainInvitationPage InvitationPage

// UnmarshalJSON keeps unknown members.
func (v *InvitationPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainInvitationPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v InvitationPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainInvitationPage(v), v.Unknown)
}

type plainReceivedInvitationPage ReceivedInvitationPage

// UnmarshalJSON keeps unknown members.
func (v *ReceivedInvitationPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReceivedInvitationPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReceivedInvitationPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReceivedInvitationPage(v), v.Unknown)
}

type plainReceivedInvitation struct {
	plainInvitation
	OrganisationName *string `json:"organisation_name"`
}

// UnmarshalJSON keeps unknown members.
func (v *ReceivedInvitation) UnmarshalJSON(data []byte) error {
	plain := plainReceivedInvitation{plainInvitation(v.Invitation), v.OrganisationName}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ReceivedInvitation{Invitation(plain.plainInvitation), plain.OrganisationName}
	return err
}

// MarshalJSON writes unknown members too.
func (v ReceivedInvitation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReceivedInvitation{plainInvitation(v.Invitation), v.OrganisationName}, v.Unknown)
}

type plainAgent Agent

// UnmarshalJSON keeps unknown members.
func (v *Agent) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgent)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Agent) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgent(v), v.Unknown)
}

type plainAgentCapabilities AgentCapabilities

// UnmarshalJSON keeps unknown members.
func (v *AgentCapabilities) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentCapabilities)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentCapabilities) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentCapabilities(v), v.Unknown)
}

type plainEndpointHealth EndpointHealth

// UnmarshalJSON keeps unknown members.
func (v *EndpointHealth) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEndpointHealth)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EndpointHealth) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEndpointHealth(v), v.Unknown)
}

type plainAgentIdentity AgentIdentity

// UnmarshalJSON keeps unknown members.
func (v *AgentIdentity) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentIdentity)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentIdentity) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentIdentity(v), v.Unknown)
}

type plainAgentVerified AgentVerified

// UnmarshalJSON keeps unknown members.
func (v *AgentVerified) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentVerified)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentVerified) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentVerified(v), v.Unknown)
}

type plainVerifiedDomain VerifiedDomain

// UnmarshalJSON keeps unknown members.
func (v *VerifiedDomain) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainVerifiedDomain)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v VerifiedDomain) MarshalJSON() ([]byte, error) {
	return writeMembers(plainVerifiedDomain(v), v.Unknown)
}

type plainWalletAge WalletAge

// UnmarshalJSON keeps unknown members.
func (v *WalletAge) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWalletAge)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WalletAge) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWalletAge(v), v.Unknown)
}

type plainReputationFigures ReputationFigures

// UnmarshalJSON keeps unknown members.
func (v *ReputationFigures) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReputationFigures)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReputationFigures) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReputationFigures(v), v.Unknown)
}

type plainShownScore ShownScore

// UnmarshalJSON keeps unknown members.
func (v *ShownScore) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainShownScore)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ShownScore) MarshalJSON() ([]byte, error) {
	return writeMembers(plainShownScore(v), v.Unknown)
}

type plainDeletedAgent DeletedAgent

// UnmarshalJSON keeps unknown members.
func (v *DeletedAgent) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeletedAgent)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeletedAgent) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeletedAgent(v), v.Unknown)
}

type plainVocabulary Vocabulary

// UnmarshalJSON keeps unknown members.
func (v *Vocabulary) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainVocabulary)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Vocabulary) MarshalJSON() ([]byte, error) {
	return writeMembers(plainVocabulary(v), v.Unknown)
}

type plainAgentIdentityState AgentIdentityState

// UnmarshalJSON keeps unknown members.
func (v *AgentIdentityState) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentIdentityState)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentIdentityState) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentIdentityState(v), v.Unknown)
}

type plainAgentRegistration AgentRegistration

// UnmarshalJSON keeps unknown members.
func (v *AgentRegistration) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentRegistration)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentRegistration) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentRegistration(v), v.Unknown)
}

type plainRegistrationService RegistrationService

// UnmarshalJSON keeps unknown members.
func (v *RegistrationService) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRegistrationService)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RegistrationService) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRegistrationService(v), v.Unknown)
}

type plainRegistration Registration

// UnmarshalJSON keeps unknown members.
func (v *Registration) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRegistration)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Registration) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRegistration(v), v.Unknown)
}

type plainAgentDomain AgentDomain

// UnmarshalJSON keeps unknown members.
func (v *AgentDomain) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentDomain)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentDomain) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentDomain(v), v.Unknown)
}

type plainDomainProof DomainProof

// UnmarshalJSON keeps unknown members.
func (v *DomainProof) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDomainProof)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DomainProof) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDomainProof(v), v.Unknown)
}

type plainDomainProblems DomainProblems

// UnmarshalJSON keeps unknown members.
func (v *DomainProblems) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDomainProblems)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DomainProblems) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDomainProblems(v), v.Unknown)
}

type plainDomainProblem DomainProblem

// UnmarshalJSON keeps unknown members.
func (v *DomainProblem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDomainProblem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DomainProblem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDomainProblem(v), v.Unknown)
}

type plainDomainClaim DomainClaim

// UnmarshalJSON keeps unknown members.
func (v *DomainClaim) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDomainClaim)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DomainClaim) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDomainClaim(v), v.Unknown)
}

type plainService struct {
	plainListedService
	InputSchema  JSON            `json:"input_schema"`
	OutputSchema JSON            `json:"output_schema"`
	Stages       []QuotedStage   `json:"stages"`
	Execution    *ShownExecution `json:"execution"`
	Session      *ServiceSession `json:"session"`
}

// UnmarshalJSON keeps unknown members.
func (v *Service) UnmarshalJSON(data []byte) error {
	plain := plainService{plainListedService(v.ListedService), v.InputSchema, v.OutputSchema, v.Stages, v.Execution, v.Session}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = Service{ListedService(plain.plainListedService), plain.InputSchema, plain.OutputSchema, plain.Stages, plain.Execution, plain.Session}
	return err
}

// MarshalJSON writes unknown members too.
func (v Service) MarshalJSON() ([]byte, error) {
	return writeMembers(plainService{plainListedService(v.ListedService), v.InputSchema, v.OutputSchema, v.Stages, v.Execution, v.Session}, v.Unknown)
}

type plainAcceptedToken AcceptedToken

// UnmarshalJSON keeps unknown members.
func (v *AcceptedToken) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAcceptedToken)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AcceptedToken) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAcceptedToken(v), v.Unknown)
}

type plainServiceAgent struct {
	plainAgentReference
	Verified AgentVerified `json:"verified"`
	Score    *int64        `json:"score"`
}

// UnmarshalJSON keeps unknown members.
func (v *ServiceAgent) UnmarshalJSON(data []byte) error {
	plain := plainServiceAgent{plainAgentReference(v.AgentReference), v.Verified, v.Score}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ServiceAgent{AgentReference(plain.plainAgentReference), plain.Verified, plain.Score}
	return err
}

// MarshalJSON writes unknown members too.
func (v ServiceAgent) MarshalJSON() ([]byte, error) {
	return writeMembers(plainServiceAgent{plainAgentReference(v.AgentReference), v.Verified, v.Score}, v.Unknown)
}

type plainQuotedStage QuotedStage

// UnmarshalJSON keeps unknown members.
func (v *QuotedStage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainQuotedStage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v QuotedStage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainQuotedStage(v), v.Unknown)
}

type plainShownExecution ShownExecution

// UnmarshalJSON keeps unknown members.
func (v *ShownExecution) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainShownExecution)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ShownExecution) MarshalJSON() ([]byte, error) {
	return writeMembers(plainShownExecution(v), v.Unknown)
}

type plainServiceSession ServiceSession

// UnmarshalJSON keeps unknown members.
func (v *ServiceSession) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainServiceSession)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ServiceSession) MarshalJSON() ([]byte, error) {
	return writeMembers(plainServiceSession(v), v.Unknown)
}

type plainListedService ListedService

// UnmarshalJSON keeps unknown members.
func (v *ListedService) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainListedService)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ListedService) MarshalJSON() ([]byte, error) {
	return writeMembers(plainListedService(v), v.Unknown)
}

type plainServicePage ServicePage

// UnmarshalJSON keeps unknown members.
func (v *ServicePage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainServicePage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ServicePage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainServicePage(v), v.Unknown)
}

type plainDeletedService DeletedService

// UnmarshalJSON keeps unknown members.
func (v *DeletedService) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeletedService)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeletedService) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeletedService(v), v.Unknown)
}

type plainFoundServices FoundServices

// UnmarshalJSON keeps unknown members.
func (v *FoundServices) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFoundServices)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FoundServices) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFoundServices(v), v.Unknown)
}

type plainFoundAgents FoundAgents

// UnmarshalJSON keeps unknown members.
func (v *FoundAgents) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFoundAgents)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FoundAgents) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFoundAgents(v), v.Unknown)
}

type plainMarketplaceFilters MarketplaceFilters

// UnmarshalJSON keeps unknown members.
func (v *MarketplaceFilters) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMarketplaceFilters)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v MarketplaceFilters) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMarketplaceFilters(v), v.Unknown)
}

type plainCategoryFilter CategoryFilter

// UnmarshalJSON keeps unknown members.
func (v *CategoryFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCategoryFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CategoryFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCategoryFilter(v), v.Unknown)
}

type plainCategoryFilterItem CategoryFilterItem

// UnmarshalJSON keeps unknown members.
func (v *CategoryFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCategoryFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CategoryFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCategoryFilterItem(v), v.Unknown)
}

type plainPricingModelFilter PricingModelFilter

// UnmarshalJSON keeps unknown members.
func (v *PricingModelFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPricingModelFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PricingModelFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPricingModelFilter(v), v.Unknown)
}

type plainPricingModelFilterItem PricingModelFilterItem

// UnmarshalJSON keeps unknown members.
func (v *PricingModelFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPricingModelFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PricingModelFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPricingModelFilterItem(v), v.Unknown)
}

type plainTagFilter TagFilter

// UnmarshalJSON keeps unknown members.
func (v *TagFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTagFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TagFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTagFilter(v), v.Unknown)
}

type plainTagFilterItem TagFilterItem

// UnmarshalJSON keeps unknown members.
func (v *TagFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTagFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TagFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTagFilterItem(v), v.Unknown)
}

type plainDeliveryTimeFilter DeliveryTimeFilter

// UnmarshalJSON keeps unknown members.
func (v *DeliveryTimeFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeliveryTimeFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeliveryTimeFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeliveryTimeFilter(v), v.Unknown)
}

type plainDeliveryTimeFilterItem DeliveryTimeFilterItem

// UnmarshalJSON keeps unknown members.
func (v *DeliveryTimeFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeliveryTimeFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeliveryTimeFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeliveryTimeFilterItem(v), v.Unknown)
}

type plainPriceFilter PriceFilter

// UnmarshalJSON keeps unknown members.
func (v *PriceFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPriceFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PriceFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPriceFilter(v), v.Unknown)
}

type plainPriceFilterItem PriceFilterItem

// UnmarshalJSON keeps unknown members.
func (v *PriceFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPriceFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PriceFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPriceFilterItem(v), v.Unknown)
}

type plainCurrencyFilter CurrencyFilter

// UnmarshalJSON keeps unknown members.
func (v *CurrencyFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCurrencyFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CurrencyFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCurrencyFilter(v), v.Unknown)
}

type plainCurrencyFilterItem CurrencyFilterItem

// UnmarshalJSON keeps unknown members.
func (v *CurrencyFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCurrencyFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CurrencyFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCurrencyFilterItem(v), v.Unknown)
}

type plainTokenFilter TokenFilter

// UnmarshalJSON keeps unknown members.
func (v *TokenFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTokenFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TokenFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTokenFilter(v), v.Unknown)
}

type plainTokenFilterItem TokenFilterItem

// UnmarshalJSON keeps unknown members.
func (v *TokenFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTokenFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TokenFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTokenFilterItem(v), v.Unknown)
}

type plainScoreFilter ScoreFilter

// UnmarshalJSON keeps unknown members.
func (v *ScoreFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScoreFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ScoreFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScoreFilter(v), v.Unknown)
}

type plainScoreFilterItem ScoreFilterItem

// UnmarshalJSON keeps unknown members.
func (v *ScoreFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScoreFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ScoreFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScoreFilterItem(v), v.Unknown)
}

type plainRatingFilter RatingFilter

// UnmarshalJSON keeps unknown members.
func (v *RatingFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRatingFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RatingFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRatingFilter(v), v.Unknown)
}

type plainRatingFilterItem RatingFilterItem

// UnmarshalJSON keeps unknown members.
func (v *RatingFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRatingFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RatingFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRatingFilterItem(v), v.Unknown)
}

type plainOrdersFilter OrdersFilter

// UnmarshalJSON keeps unknown members.
func (v *OrdersFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrdersFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrdersFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrdersFilter(v), v.Unknown)
}

type plainOrdersFilterItem OrdersFilterItem

// UnmarshalJSON keeps unknown members.
func (v *OrdersFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrdersFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrdersFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrdersFilterItem(v), v.Unknown)
}

type plainOnTimeFilter OnTimeFilter

// UnmarshalJSON keeps unknown members.
func (v *OnTimeFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOnTimeFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OnTimeFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOnTimeFilter(v), v.Unknown)
}

type plainOnTimeFilterItem OnTimeFilterItem

// UnmarshalJSON keeps unknown members.
func (v *OnTimeFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOnTimeFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OnTimeFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOnTimeFilterItem(v), v.Unknown)
}

type plainVerifiedFilter VerifiedFilter

// UnmarshalJSON keeps unknown members.
func (v *VerifiedFilter) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainVerifiedFilter)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v VerifiedFilter) MarshalJSON() ([]byte, error) {
	return writeMembers(plainVerifiedFilter(v), v.Unknown)
}

type plainVerifiedFilterItem VerifiedFilterItem

// UnmarshalJSON keeps unknown members.
func (v *VerifiedFilterItem) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainVerifiedFilterItem)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v VerifiedFilterItem) MarshalJSON() ([]byte, error) {
	return writeMembers(plainVerifiedFilterItem(v), v.Unknown)
}

type plainCategories Categories

// UnmarshalJSON keeps unknown members.
func (v *Categories) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCategories)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Categories) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCategories(v), v.Unknown)
}

type plainCategory Category

// UnmarshalJSON keeps unknown members.
func (v *Category) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCategory)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Category) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCategory(v), v.Unknown)
}

type plainSubcategory Subcategory

// UnmarshalJSON keeps unknown members.
func (v *Subcategory) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubcategory)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Subcategory) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubcategory(v), v.Unknown)
}

type plainSearchHits SearchHits

// UnmarshalJSON keeps unknown members.
func (v *SearchHits) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSearchHits)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SearchHits) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSearchHits(v), v.Unknown)
}

type plainFoundOrder FoundOrder

// UnmarshalJSON keeps unknown members.
func (v *FoundOrder) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFoundOrder)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FoundOrder) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFoundOrder(v), v.Unknown)
}

type plainFoundOwnAgent struct {
	plainAgentReference
	Status ListingStatus `json:"status"`
}

// UnmarshalJSON keeps unknown members.
func (v *FoundOwnAgent) UnmarshalJSON(data []byte) error {
	plain := plainFoundOwnAgent{plainAgentReference(v.AgentReference), v.Status}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = FoundOwnAgent{AgentReference(plain.plainAgentReference), plain.Status}
	return err
}

// MarshalJSON writes unknown members too.
func (v FoundOwnAgent) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFoundOwnAgent{plainAgentReference(v.AgentReference), v.Status}, v.Unknown)
}

type plainFoundOwnService struct {
	plainServiceReference
	Agent  AgentReference `json:"agent"`
	Status ListingStatus  `json:"status"`
}

// UnmarshalJSON keeps unknown members.
func (v *FoundOwnService) UnmarshalJSON(data []byte) error {
	plain := plainFoundOwnService{plainServiceReference(v.ServiceReference), v.Agent, v.Status}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = FoundOwnService{ServiceReference(plain.plainServiceReference), plain.Agent, plain.Status}
	return err
}

// MarshalJSON writes unknown members too.
func (v FoundOwnService) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFoundOwnService{plainServiceReference(v.ServiceReference), v.Agent, v.Status}, v.Unknown)
}

type plainFoundMarketService struct {
	plainServiceReference
	Agent AgentReference `json:"agent"`
}

// UnmarshalJSON keeps unknown members.
func (v *FoundMarketService) UnmarshalJSON(data []byte) error {
	plain := plainFoundMarketService{plainServiceReference(v.ServiceReference), v.Agent}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = FoundMarketService{ServiceReference(plain.plainServiceReference), plain.Agent}
	return err
}

// MarshalJSON writes unknown members too.
func (v FoundMarketService) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFoundMarketService{plainServiceReference(v.ServiceReference), v.Agent}, v.Unknown)
}

type plainOpenRequest OpenRequest

// UnmarshalJSON keeps unknown members.
func (v *OpenRequest) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOpenRequest)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OpenRequest) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOpenRequest(v), v.Unknown)
}

type plainOpenRequestPage OpenRequestPage

// UnmarshalJSON keeps unknown members.
func (v *OpenRequestPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOpenRequestPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OpenRequestPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOpenRequestPage(v), v.Unknown)
}

type plainQuote Quote

// UnmarshalJSON keeps unknown members.
func (v *Quote) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainQuote)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Quote) MarshalJSON() ([]byte, error) {
	return writeMembers(plainQuote(v), v.Unknown)
}

type plainQuotePage QuotePage

// UnmarshalJSON keeps unknown members.
func (v *QuotePage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainQuotePage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v QuotePage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainQuotePage(v), v.Unknown)
}

type plainOrder Order

// UnmarshalJSON keeps unknown members.
func (v *Order) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrder)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Order) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrder(v), v.Unknown)
}

type plainOrderStage OrderStage

// UnmarshalJSON keeps unknown members.
func (v *OrderStage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderStage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderStage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderStage(v), v.Unknown)
}

type plainApproval Approval

// UnmarshalJSON keeps unknown members.
func (v *Approval) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainApproval)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Approval) MarshalJSON() ([]byte, error) {
	return writeMembers(plainApproval(v), v.Unknown)
}

type plainOrderEscrow OrderEscrow

// UnmarshalJSON keeps unknown members.
func (v *OrderEscrow) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderEscrow)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderEscrow) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderEscrow(v), v.Unknown)
}

type plainOrderPage OrderPage

// UnmarshalJSON keeps unknown members.
func (v *OrderPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderPage(v), v.Unknown)
}

type plainListedOrder ListedOrder

// UnmarshalJSON keeps unknown members.
func (v *ListedOrder) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainListedOrder)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ListedOrder) MarshalJSON() ([]byte, error) {
	return writeMembers(plainListedOrder(v), v.Unknown)
}

type plainStatusCounts StatusCounts

// UnmarshalJSON keeps unknown members.
func (v *StatusCounts) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainStatusCounts)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v StatusCounts) MarshalJSON() ([]byte, error) {
	return writeMembers(plainStatusCounts(v), v.Unknown)
}

type plainStatusCount StatusCount

// UnmarshalJSON keeps unknown members.
func (v *StatusCount) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainStatusCount)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v StatusCount) MarshalJSON() ([]byte, error) {
	return writeMembers(plainStatusCount(v), v.Unknown)
}

type plainPaymentInstructions PaymentInstructions

// UnmarshalJSON keeps unknown members.
func (v *PaymentInstructions) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentInstructions)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentInstructions) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentInstructions(v), v.Unknown)
}

type plainCall Call

// UnmarshalJSON keeps unknown members.
func (v *Call) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCall)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Call) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCall(v), v.Unknown)
}

type plainPaymentRequired PaymentRequired

// UnmarshalJSON keeps unknown members.
func (v *PaymentRequired) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentRequired)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentRequired) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentRequired(v), v.Unknown)
}

type plainPaymentResource PaymentResource

// UnmarshalJSON keeps unknown members.
func (v *PaymentResource) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentResource)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentResource) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentResource(v), v.Unknown)
}

type plainPaymentRequirements PaymentRequirements

// UnmarshalJSON keeps unknown members.
func (v *PaymentRequirements) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentRequirements)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentRequirements) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentRequirements(v), v.Unknown)
}

type plainPaymentExtra PaymentExtra

// UnmarshalJSON keeps unknown members.
func (v *PaymentExtra) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentExtra)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentExtra) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentExtra(v), v.Unknown)
}

type plainTypedData TypedData

// UnmarshalJSON keeps unknown members.
func (v *TypedData) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTypedData)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TypedData) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTypedData(v), v.Unknown)
}

type plainTypedDataDomain TypedDataDomain

// UnmarshalJSON keeps unknown members.
func (v *TypedDataDomain) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTypedDataDomain)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TypedDataDomain) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTypedDataDomain(v), v.Unknown)
}

type plainTypedDataMember TypedDataMember

// UnmarshalJSON keeps unknown members.
func (v *TypedDataMember) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTypedDataMember)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TypedDataMember) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTypedDataMember(v), v.Unknown)
}

type plainAccountPayment AccountPayment

// UnmarshalJSON keeps unknown members.
func (v *AccountPayment) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAccountPayment)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AccountPayment) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAccountPayment(v), v.Unknown)
}

type plainAccountCall AccountCall

// UnmarshalJSON keeps unknown members.
func (v *AccountCall) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAccountCall)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AccountCall) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAccountCall(v), v.Unknown)
}

type plainDeliveredOrder struct {
	plainOrder
	Relay *Relay `json:"relay"`
}

// UnmarshalJSON keeps unknown members.
func (v *DeliveredOrder) UnmarshalJSON(data []byte) error {
	plain := plainDeliveredOrder{plainOrder(v.Order), v.Relay}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = DeliveredOrder{Order(plain.plainOrder), plain.Relay}
	return err
}

// MarshalJSON writes unknown members too.
func (v DeliveredOrder) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeliveredOrder{plainOrder(v.Order), v.Relay}, v.Unknown)
}

type plainOrderStages OrderStages

// UnmarshalJSON keeps unknown members.
func (v *OrderStages) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderStages)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderStages) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderStages(v), v.Unknown)
}

type plainDeliveredStage struct {
	plainOrderStage
	OutputSchema  JSON       `json:"output_schema"`
	OutputPayload JSON       `json:"output_payload"`
	OutputHash    *string    `json:"output_hash"`
	DeliveredAt   *time.Time `json:"delivered_at"`
	ReceiptID     *string    `json:"receipt_id"`
}

// UnmarshalJSON keeps unknown members.
func (v *DeliveredStage) UnmarshalJSON(data []byte) error {
	plain := plainDeliveredStage{plainOrderStage(v.OrderStage), v.OutputSchema, v.OutputPayload, v.OutputHash, v.DeliveredAt, v.ReceiptID}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = DeliveredStage{OrderStage(plain.plainOrderStage), plain.OutputSchema, plain.OutputPayload, plain.OutputHash, plain.DeliveredAt, plain.ReceiptID}
	return err
}

// MarshalJSON writes unknown members too.
func (v DeliveredStage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeliveredStage{plainOrderStage(v.OrderStage), v.OutputSchema, v.OutputPayload, v.OutputHash, v.DeliveredAt, v.ReceiptID}, v.Unknown)
}

type plainDataToSign DataToSign

// UnmarshalJSON keeps unknown members.
func (v *DataToSign) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDataToSign)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DataToSign) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDataToSign(v), v.Unknown)
}

type plainSettlementOptions SettlementOptions

// UnmarshalJSON keeps unknown members.
func (v *SettlementOptions) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSettlementOptions)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SettlementOptions) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSettlementOptions(v), v.Unknown)
}

type plainSettlementAction SettlementAction

// UnmarshalJSON keeps unknown members.
func (v *SettlementAction) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSettlementAction)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SettlementAction) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSettlementAction(v), v.Unknown)
}

type plainDecisionChoice DecisionChoice

// UnmarshalJSON keeps unknown members.
func (v *DecisionChoice) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDecisionChoice)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DecisionChoice) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDecisionChoice(v), v.Unknown)
}

type plainTrail Trail

// UnmarshalJSON keeps unknown members.
func (v *Trail) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTrail)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Trail) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTrail(v), v.Unknown)
}

type plainExecutions Executions

// UnmarshalJSON keeps unknown members.
func (v *Executions) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainExecutions)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Executions) MarshalJSON() ([]byte, error) {
	return writeMembers(plainExecutions(v), v.Unknown)
}

type plainExecution Execution

// UnmarshalJSON keeps unknown members.
func (v *Execution) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainExecution)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Execution) MarshalJSON() ([]byte, error) {
	return writeMembers(plainExecution(v), v.Unknown)
}

type plainExecutionAttempt ExecutionAttempt

// UnmarshalJSON keeps unknown members.
func (v *ExecutionAttempt) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainExecutionAttempt)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ExecutionAttempt) MarshalJSON() ([]byte, error) {
	return writeMembers(plainExecutionAttempt(v), v.Unknown)
}

type plainReconciliation Reconciliation

// UnmarshalJSON keeps unknown members.
func (v *Reconciliation) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReconciliation)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Reconciliation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReconciliation(v), v.Unknown)
}

type plainReconciliationBlocks ReconciliationBlocks

// UnmarshalJSON keeps unknown members.
func (v *ReconciliationBlocks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReconciliationBlocks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReconciliationBlocks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReconciliationBlocks(v), v.Unknown)
}

type plainLedgerView struct {
	plainEscrowView
	OrderStatus    OrderStatus    `json:"order_status"`
	ChainFacts     int64          `json:"chain_facts"`
	DeliveryRecord DeliveryRecord `json:"delivery_record"`
}

// UnmarshalJSON keeps unknown members.
func (v *LedgerView) UnmarshalJSON(data []byte) error {
	plain := plainLedgerView{plainEscrowView(v.EscrowView), v.OrderStatus, v.ChainFacts, v.DeliveryRecord}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = LedgerView{EscrowView(plain.plainEscrowView), plain.OrderStatus, plain.ChainFacts, plain.DeliveryRecord}
	return err
}

// MarshalJSON writes unknown members too.
func (v LedgerView) MarshalJSON() ([]byte, error) {
	return writeMembers(plainLedgerView{plainEscrowView(v.EscrowView), v.OrderStatus, v.ChainFacts, v.DeliveryRecord}, v.Unknown)
}

type plainEscrowView EscrowView

// UnmarshalJSON keeps unknown members.
func (v *EscrowView) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEscrowView)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EscrowView) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEscrowView(v), v.Unknown)
}

type plainIndexView struct {
	plainEscrowView
	Ready  bool  `json:"ready"`
	Events int64 `json:"events"`
}

// UnmarshalJSON keeps unknown members.
func (v *IndexView) UnmarshalJSON(data []byte) error {
	plain := plainIndexView{plainEscrowView(v.EscrowView), v.Ready, v.Events}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = IndexView{EscrowView(plain.plainEscrowView), plain.Ready, plain.Events}
	return err
}

// MarshalJSON writes unknown members too.
func (v IndexView) MarshalJSON() ([]byte, error) {
	return writeMembers(plainIndexView{plainEscrowView(v.EscrowView), v.Ready, v.Events}, v.Unknown)
}

type plainContractView struct {
	plainEscrowView
	AtIndexedBlock          *EscrowView `json:"at_indexed_block"`
	AtConfirmedBlock        *EscrowView `json:"at_confirmed_block"`
	DepositBalanceBaseUnits BaseUnits   `json:"deposit_balance_base_units"`
}

// UnmarshalJSON keeps unknown members.
func (v *ContractView) UnmarshalJSON(data []byte) error {
	plain := plainContractView{plainEscrowView(v.EscrowView), v.AtIndexedBlock, v.AtConfirmedBlock, v.DepositBalanceBaseUnits}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ContractView{EscrowView(plain.plainEscrowView), plain.AtIndexedBlock, plain.AtConfirmedBlock, plain.DepositBalanceBaseUnits}
	return err
}

// MarshalJSON writes unknown members too.
func (v ContractView) MarshalJSON() ([]byte, error) {
	return writeMembers(plainContractView{plainEscrowView(v.EscrowView), v.AtIndexedBlock, v.AtConfirmedBlock, v.DepositBalanceBaseUnits}, v.Unknown)
}

type plainDifference Difference

// UnmarshalJSON keeps unknown members.
func (v *Difference) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDifference)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Difference) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDifference(v), v.Unknown)
}

type plainMessagePage MessagePage

// UnmarshalJSON keeps unknown members.
func (v *MessagePage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMessagePage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v MessagePage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMessagePage(v), v.Unknown)
}

type plainMessage Message

// UnmarshalJSON keeps unknown members.
func (v *Message) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainMessage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Message) MarshalJSON() ([]byte, error) {
	return writeMembers(plainMessage(v), v.Unknown)
}

type plainFileReference FileReference

// UnmarshalJSON keeps unknown members.
func (v *FileReference) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFileReference)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FileReference) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFileReference(v), v.Unknown)
}

type plainUnreadMessagesOfOrder UnreadMessagesOfOrder

// UnmarshalJSON keeps unknown members.
func (v *UnreadMessagesOfOrder) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainUnreadMessagesOfOrder)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v UnreadMessagesOfOrder) MarshalJSON() ([]byte, error) {
	return writeMembers(plainUnreadMessagesOfOrder(v), v.Unknown)
}

type plainUnreadMessages UnreadMessages

// UnmarshalJSON keeps unknown members.
func (v *UnreadMessages) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainUnreadMessages)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v UnreadMessages) MarshalJSON() ([]byte, error) {
	return writeMembers(plainUnreadMessages(v), v.Unknown)
}

type plainLatestPaymentAnswer LatestPaymentAnswer

// UnmarshalJSON keeps unknown members.
func (v *LatestPaymentAnswer) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainLatestPaymentAnswer)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v LatestPaymentAnswer) MarshalJSON() ([]byte, error) {
	return writeMembers(plainLatestPaymentAnswer(v), v.Unknown)
}

type plainPayment Payment

// UnmarshalJSON keeps unknown members.
func (v *Payment) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPayment)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Payment) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPayment(v), v.Unknown)
}

type plainPaymentAnswer PaymentAnswer

// UnmarshalJSON keeps unknown members.
func (v *PaymentAnswer) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentAnswer)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentAnswer) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentAnswer(v), v.Unknown)
}

type plainPaymentRecordPage PaymentRecordPage

// UnmarshalJSON keeps unknown members.
func (v *PaymentRecordPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentRecordPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentRecordPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentRecordPage(v), v.Unknown)
}

type plainPaymentRecord PaymentRecord

// UnmarshalJSON keeps unknown members.
func (v *PaymentRecord) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentRecord)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentRecord) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentRecord(v), v.Unknown)
}

type plainPaymentSums PaymentSums

// UnmarshalJSON keeps unknown members.
func (v *PaymentSums) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentSums)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentSums) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentSums(v), v.Unknown)
}

type plainPaymentSum PaymentSum

// UnmarshalJSON keeps unknown members.
func (v *PaymentSum) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPaymentSum)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PaymentSum) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPaymentSum(v), v.Unknown)
}

type plainPurchase Purchase

// UnmarshalJSON keeps unknown members.
func (v *Purchase) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPurchase)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Purchase) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPurchase(v), v.Unknown)
}

type plainOrderClaim OrderClaim

// UnmarshalJSON keeps unknown members.
func (v *OrderClaim) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderClaim)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderClaim) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderClaim(v), v.Unknown)
}

type plainBillingDetails BillingDetails

// UnmarshalJSON keeps unknown members.
func (v *BillingDetails) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainBillingDetails)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v BillingDetails) MarshalJSON() ([]byte, error) {
	return writeMembers(plainBillingDetails(v), v.Unknown)
}

type plainBillingDetailsRemoved BillingDetailsRemoved

// UnmarshalJSON keeps unknown members.
func (v *BillingDetailsRemoved) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainBillingDetailsRemoved)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v BillingDetailsRemoved) MarshalJSON() ([]byte, error) {
	return writeMembers(plainBillingDetailsRemoved(v), v.Unknown)
}

type plainDataExport DataExport

// UnmarshalJSON keeps unknown members.
func (v *DataExport) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDataExport)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DataExport) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDataExport(v), v.Unknown)
}

type plainErasure Erasure

// UnmarshalJSON keeps unknown members.
func (v *Erasure) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainErasure)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Erasure) MarshalJSON() ([]byte, error) {
	return writeMembers(plainErasure(v), v.Unknown)
}

type plainErasureObstacles ErasureObstacles

// UnmarshalJSON keeps unknown members.
func (v *ErasureObstacles) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainErasureObstacles)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ErasureObstacles) MarshalJSON() ([]byte, error) {
	return writeMembers(plainErasureObstacles(v), v.Unknown)
}

type plainErasureTakenBack ErasureTakenBack

// UnmarshalJSON keeps unknown members.
func (v *ErasureTakenBack) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainErasureTakenBack)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ErasureTakenBack) MarshalJSON() ([]byte, error) {
	return writeMembers(plainErasureTakenBack(v), v.Unknown)
}

type plainStoredFile StoredFile

// UnmarshalJSON keeps unknown members.
func (v *StoredFile) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainStoredFile)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v StoredFile) MarshalJSON() ([]byte, error) {
	return writeMembers(plainStoredFile(v), v.Unknown)
}

type plainStoredFilePage StoredFilePage

// UnmarshalJSON keeps unknown members.
func (v *StoredFilePage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainStoredFilePage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v StoredFilePage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainStoredFilePage(v), v.Unknown)
}

type plainDeletedFile DeletedFile

// UnmarshalJSON keeps unknown members.
func (v *DeletedFile) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeletedFile)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeletedFile) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeletedFile(v), v.Unknown)
}

type plainFileLink FileLink

// UnmarshalJSON keeps unknown members.
func (v *FileLink) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFileLink)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FileLink) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFileLink(v), v.Unknown)
}

type plainBalances Balances

// UnmarshalJSON keeps unknown members.
func (v *Balances) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainBalances)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Balances) MarshalJSON() ([]byte, error) {
	return writeMembers(plainBalances(v), v.Unknown)
}

type plainWalletBalance WalletBalance

// UnmarshalJSON keeps unknown members.
func (v *WalletBalance) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWalletBalance)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WalletBalance) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWalletBalance(v), v.Unknown)
}

type plainEscrowBalance EscrowBalance

// UnmarshalJSON keeps unknown members.
func (v *EscrowBalance) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEscrowBalance)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EscrowBalance) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEscrowBalance(v), v.Unknown)
}

type plainWaitingDeposit WaitingDeposit

// UnmarshalJSON keeps unknown members.
func (v *WaitingDeposit) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWaitingDeposit)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WaitingDeposit) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWaitingDeposit(v), v.Unknown)
}

type plainUnknownDeposits UnknownDeposits

// UnmarshalJSON keeps unknown members.
func (v *UnknownDeposits) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainUnknownDeposits)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v UnknownDeposits) MarshalJSON() ([]byte, error) {
	return writeMembers(plainUnknownDeposits(v), v.Unknown)
}

type plainRefusedPayoutPage RefusedPayoutPage

// UnmarshalJSON keeps unknown members.
func (v *RefusedPayoutPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRefusedPayoutPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RefusedPayoutPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRefusedPayoutPage(v), v.Unknown)
}

type plainRefusedPayout RefusedPayout

// UnmarshalJSON keeps unknown members.
func (v *RefusedPayout) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRefusedPayout)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RefusedPayout) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRefusedPayout(v), v.Unknown)
}

type plainAnalytics Analytics

// UnmarshalJSON keeps unknown members.
func (v *Analytics) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAnalytics)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Analytics) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAnalytics(v), v.Unknown)
}

type plainSellerFigures SellerFigures

// UnmarshalJSON keeps unknown members.
func (v *SellerFigures) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSellerFigures)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SellerFigures) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSellerFigures(v), v.Unknown)
}

type plainRevenueOfDay RevenueOfDay

// UnmarshalJSON keeps unknown members.
func (v *RevenueOfDay) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRevenueOfDay)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RevenueOfDay) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRevenueOfDay(v), v.Unknown)
}

type plainOrderCounts OrderCounts

// UnmarshalJSON keeps unknown members.
func (v *OrderCounts) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderCounts)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderCounts) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderCounts(v), v.Unknown)
}

type plainOrdersByStatus OrdersByStatus

// UnmarshalJSON keeps unknown members.
func (v *OrdersByStatus) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrdersByStatus)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrdersByStatus) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrdersByStatus(v), v.Unknown)
}

type plainDeliveryFigures DeliveryFigures

// UnmarshalJSON keeps unknown members.
func (v *DeliveryFigures) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDeliveryFigures)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DeliveryFigures) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDeliveryFigures(v), v.Unknown)
}

type plainScoreHistory ScoreHistory

// UnmarshalJSON keeps unknown members.
func (v *ScoreHistory) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScoreHistory)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ScoreHistory) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScoreHistory(v), v.Unknown)
}

type plainScoreOfDay ScoreOfDay

// UnmarshalJSON keeps unknown members.
func (v *ScoreOfDay) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScoreOfDay)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ScoreOfDay) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScoreOfDay(v), v.Unknown)
}

type plainBuyerFigures BuyerFigures

// UnmarshalJSON keeps unknown members.
func (v *BuyerFigures) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainBuyerFigures)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v BuyerFigures) MarshalJSON() ([]byte, error) {
	return writeMembers(plainBuyerFigures(v), v.Unknown)
}

type plainSpendingOfDay SpendingOfDay

// UnmarshalJSON keeps unknown members.
func (v *SpendingOfDay) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSpendingOfDay)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SpendingOfDay) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSpendingOfDay(v), v.Unknown)
}

type plainWebhookFigures WebhookFigures

// UnmarshalJSON keeps unknown members.
func (v *WebhookFigures) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookFigures)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookFigures) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookFigures(v), v.Unknown)
}

type plainDispute Dispute

// UnmarshalJSON keeps unknown members.
func (v *Dispute) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDispute)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Dispute) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDispute(v), v.Unknown)
}

type plainDisputeIntent DisputeIntent

// UnmarshalJSON keeps unknown members.
func (v *DisputeIntent) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeIntent)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeIntent) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeIntent(v), v.Unknown)
}

type plainDisputeOpening DisputeOpening

// UnmarshalJSON keeps unknown members.
func (v *DisputeOpening) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeOpening)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeOpening) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeOpening(v), v.Unknown)
}

type plainDecidableAmounts DecidableAmounts

// UnmarshalJSON keeps unknown members.
func (v *DecidableAmounts) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDecidableAmounts)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DecidableAmounts) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDecidableAmounts(v), v.Unknown)
}

type plainDisputeDecision DisputeDecision

// UnmarshalJSON keeps unknown members.
func (v *DisputeDecision) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeDecision)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeDecision) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeDecision(v), v.Unknown)
}

type plainDisputeShares DisputeShares

// UnmarshalJSON keeps unknown members.
func (v *DisputeShares) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeShares)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeShares) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeShares(v), v.Unknown)
}

type plainDisputeSettlement DisputeSettlement

// UnmarshalJSON keeps unknown members.
func (v *DisputeSettlement) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeSettlement)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeSettlement) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeSettlement(v), v.Unknown)
}

type plainStatement Statement

// UnmarshalJSON keeps unknown members.
func (v *Statement) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainStatement)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Statement) MarshalJSON() ([]byte, error) {
	return writeMembers(plainStatement(v), v.Unknown)
}

type plainAttachment Attachment

// UnmarshalJSON keeps unknown members.
func (v *Attachment) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAttachment)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Attachment) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAttachment(v), v.Unknown)
}

type plainEvidenceFolder EvidenceFolder

// UnmarshalJSON keeps unknown members.
func (v *EvidenceFolder) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidenceFolder)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EvidenceFolder) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidenceFolder(v), v.Unknown)
}

type plainEvidenceFile EvidenceFile

// UnmarshalJSON keeps unknown members.
func (v *EvidenceFile) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidenceFile)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EvidenceFile) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidenceFile(v), v.Unknown)
}

type plainEvidence Evidence

// UnmarshalJSON keeps unknown members.
func (v *Evidence) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidence)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Evidence) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidence(v), v.Unknown)
}

type plainEvidenceChecks EvidenceChecks

// UnmarshalJSON keeps unknown members.
func (v *EvidenceChecks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidenceChecks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EvidenceChecks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidenceChecks(v), v.Unknown)
}

type plainEvidenceBundle EvidenceBundle

// UnmarshalJSON keeps unknown members.
func (v *EvidenceBundle) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidenceBundle)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EvidenceBundle) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidenceBundle(v), v.Unknown)
}

type plainEvidenceDelivery EvidenceDelivery

// UnmarshalJSON keeps unknown members.
func (v *EvidenceDelivery) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidenceDelivery)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EvidenceDelivery) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidenceDelivery(v), v.Unknown)
}

type plainEvidenceRecord EvidenceRecord

// UnmarshalJSON keeps unknown members.
func (v *EvidenceRecord) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvidenceRecord)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EvidenceRecord) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvidenceRecord(v), v.Unknown)
}

type plainReceipt Receipt

// UnmarshalJSON keeps unknown members.
func (v *Receipt) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReceipt)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Receipt) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReceipt(v), v.Unknown)
}

type plainDisputeLinks DisputeLinks

// UnmarshalJSON keeps unknown members.
func (v *DisputeLinks) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeLinks)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeLinks) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeLinks(v), v.Unknown)
}

type plainDecisionToSign DecisionToSign

// UnmarshalJSON keeps unknown members.
func (v *DecisionToSign) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDecisionToSign)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DecisionToSign) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDecisionToSign(v), v.Unknown)
}

type plainReceipts Receipts

// UnmarshalJSON keeps unknown members.
func (v *Receipts) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReceipts)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Receipts) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReceipts(v), v.Unknown)
}

type plainX402Receipt X402Receipt

// UnmarshalJSON keeps unknown members.
func (v *X402Receipt) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainX402Receipt)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v X402Receipt) MarshalJSON() ([]byte, error) {
	return writeMembers(plainX402Receipt(v), v.Unknown)
}

type plainReceiptCheckResult ReceiptCheckResult

// UnmarshalJSON keeps unknown members.
func (v *ReceiptCheckResult) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReceiptCheckResult)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReceiptCheckResult) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReceiptCheckResult(v), v.Unknown)
}

type plainSubscription Subscription

// UnmarshalJSON keeps unknown members.
func (v *Subscription) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubscription)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Subscription) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubscription(v), v.Unknown)
}

type plainSubscriptionPage SubscriptionPage

// UnmarshalJSON keeps unknown members.
func (v *SubscriptionPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubscriptionPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SubscriptionPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubscriptionPage(v), v.Unknown)
}

type plainSubscriptionOrderPage SubscriptionOrderPage

// UnmarshalJSON keeps unknown members.
func (v *SubscriptionOrderPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubscriptionOrderPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SubscriptionOrderPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubscriptionOrderPage(v), v.Unknown)
}

type plainSubscriptionOrder SubscriptionOrder

// UnmarshalJSON keeps unknown members.
func (v *SubscriptionOrder) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSubscriptionOrder)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v SubscriptionOrder) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSubscriptionOrder(v), v.Unknown)
}

type plainOrderReview OrderReview

// UnmarshalJSON keeps unknown members.
func (v *OrderReview) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderReview)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderReview) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderReview(v), v.Unknown)
}

type plainReview Review

// UnmarshalJSON keeps unknown members.
func (v *Review) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReview)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Review) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReview(v), v.Unknown)
}

type plainReviewedEscrow ReviewedEscrow

// UnmarshalJSON keeps unknown members.
func (v *ReviewedEscrow) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReviewedEscrow)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReviewedEscrow) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReviewedEscrow(v), v.Unknown)
}

type plainReviewAnswer ReviewAnswer

// UnmarshalJSON keeps unknown members.
func (v *ReviewAnswer) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReviewAnswer)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReviewAnswer) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReviewAnswer(v), v.Unknown)
}

type plainGivenFeedback GivenFeedback

// UnmarshalJSON keeps unknown members.
func (v *GivenFeedback) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainGivenFeedback)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v GivenFeedback) MarshalJSON() ([]byte, error) {
	return writeMembers(plainGivenFeedback(v), v.Unknown)
}

type plainReviewPage ReviewPage

// UnmarshalJSON keeps unknown members.
func (v *ReviewPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReviewPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReviewPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReviewPage(v), v.Unknown)
}

type plainReviewSummary ReviewSummary

// UnmarshalJSON keeps unknown members.
func (v *ReviewSummary) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReviewSummary)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReviewSummary) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReviewSummary(v), v.Unknown)
}

type plainReport Report

// UnmarshalJSON keeps unknown members.
func (v *Report) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReport)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Report) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReport(v), v.Unknown)
}

type plainReportPage ReportPage

// UnmarshalJSON keeps unknown members.
func (v *ReportPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainReportPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ReportPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReportPage(v), v.Unknown)
}

type plainModerationPage ModerationPage

// UnmarshalJSON keeps unknown members.
func (v *ModerationPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainModerationPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ModerationPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModerationPage(v), v.Unknown)
}

type plainModeration Moderation

// UnmarshalJSON keeps unknown members.
func (v *Moderation) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainModeration)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Moderation) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModeration(v), v.Unknown)
}

type plainAppeal Appeal

// UnmarshalJSON keeps unknown members.
func (v *Appeal) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAppeal)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Appeal) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAppeal(v), v.Unknown)
}

type plainTransparency Transparency

// UnmarshalJSON keeps unknown members.
func (v *Transparency) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTransparency)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Transparency) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTransparency(v), v.Unknown)
}

type plainTransparencyMonth TransparencyMonth

// UnmarshalJSON keeps unknown members.
func (v *TransparencyMonth) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTransparencyMonth)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TransparencyMonth) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTransparencyMonth(v), v.Unknown)
}

type plainTransparencyCounts TransparencyCounts

// UnmarshalJSON keeps unknown members.
func (v *TransparencyCounts) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainTransparencyCounts)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v TransparencyCounts) MarshalJSON() ([]byte, error) {
	return writeMembers(plainTransparencyCounts(v), v.Unknown)
}

type plainAgentRecord AgentRecord

// UnmarshalJSON keeps unknown members.
func (v *AgentRecord) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainAgentRecord)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v AgentRecord) MarshalJSON() ([]byte, error) {
	return writeMembers(plainAgentRecord(v), v.Unknown)
}

type plainScore Score

// UnmarshalJSON keeps unknown members.
func (v *Score) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainScore)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Score) MarshalJSON() ([]byte, error) {
	return writeMembers(plainScore(v), v.Unknown)
}

type plainRecordTally RecordTally

// UnmarshalJSON keeps unknown members.
func (v *RecordTally) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRecordTally)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RecordTally) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRecordTally(v), v.Unknown)
}

type plainCurrencyAmount CurrencyAmount

// UnmarshalJSON keeps unknown members.
func (v *CurrencyAmount) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCurrencyAmount)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CurrencyAmount) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCurrencyAmount(v), v.Unknown)
}

type plainSpread Spread

// UnmarshalJSON keeps unknown members.
func (v *Spread) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainSpread)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Spread) MarshalJSON() ([]byte, error) {
	return writeMembers(plainSpread(v), v.Unknown)
}

type plainDisputeTally DisputeTally

// UnmarshalJSON keeps unknown members.
func (v *DisputeTally) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainDisputeTally)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v DisputeTally) MarshalJSON() ([]byte, error) {
	return writeMembers(plainDisputeTally(v), v.Unknown)
}

type plainApartTally ApartTally

// UnmarshalJSON keeps unknown members.
func (v *ApartTally) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainApartTally)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ApartTally) MarshalJSON() ([]byte, error) {
	return writeMembers(plainApartTally(v), v.Unknown)
}

type plainServiceRecord ServiceRecord

// UnmarshalJSON keeps unknown members.
func (v *ServiceRecord) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainServiceRecord)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ServiceRecord) MarshalJSON() ([]byte, error) {
	return writeMembers(plainServiceRecord(v), v.Unknown)
}

type plainOutcomePage OutcomePage

// UnmarshalJSON keeps unknown members.
func (v *OutcomePage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOutcomePage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OutcomePage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOutcomePage(v), v.Unknown)
}

type plainOutcome Outcome

// UnmarshalJSON keeps unknown members.
func (v *Outcome) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOutcome)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Outcome) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOutcome(v), v.Unknown)
}

type plainCounterpartyPage CounterpartyPage

// UnmarshalJSON keeps unknown members.
func (v *CounterpartyPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCounterpartyPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v CounterpartyPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCounterpartyPage(v), v.Unknown)
}

type plainCounterparty Counterparty

// UnmarshalJSON keeps unknown members.
func (v *Counterparty) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainCounterparty)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Counterparty) MarshalJSON() ([]byte, error) {
	return writeMembers(plainCounterparty(v), v.Unknown)
}

type plainPortableFeedback PortableFeedback

// UnmarshalJSON keeps unknown members.
func (v *PortableFeedback) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainPortableFeedback)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v PortableFeedback) MarshalJSON() ([]byte, error) {
	return writeMembers(plainPortableFeedback(v), v.Unknown)
}

type plainFeedback Feedback

// UnmarshalJSON keeps unknown members.
func (v *Feedback) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFeedback)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Feedback) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFeedback(v), v.Unknown)
}

type plainEventTypes EventTypes

// UnmarshalJSON keeps unknown members.
func (v *EventTypes) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEventTypes)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EventTypes) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEventTypes(v), v.Unknown)
}

type plainEventDescription EventDescription

// UnmarshalJSON keeps unknown members.
func (v *EventDescription) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEventDescription)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EventDescription) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEventDescription(v), v.Unknown)
}

type plainNewWebhook struct {
	plainWebhook
	Secret string `json:"secret"`
}

// UnmarshalJSON keeps unknown members.
func (v *NewWebhook) UnmarshalJSON(data []byte) error {
	plain := plainNewWebhook{plainWebhook(v.Webhook), v.Secret}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = NewWebhook{Webhook(plain.plainWebhook), plain.Secret}
	return err
}

// MarshalJSON writes unknown members too.
func (v NewWebhook) MarshalJSON() ([]byte, error) {
	return writeMembers(plainNewWebhook{plainWebhook(v.Webhook), v.Secret}, v.Unknown)
}

type plainWebhookPage WebhookPage

// UnmarshalJSON keeps unknown members.
func (v *WebhookPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookPage(v), v.Unknown)
}

type plainWebhookDelivery WebhookDelivery

// UnmarshalJSON keeps unknown members.
func (v *WebhookDelivery) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookDelivery)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookDelivery) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookDelivery(v), v.Unknown)
}

type plainWebhookDeliveryPage WebhookDeliveryPage

// UnmarshalJSON keeps unknown members.
func (v *WebhookDeliveryPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookDeliveryPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookDeliveryPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookDeliveryPage(v), v.Unknown)
}

type plainWebhookDeliveryDetail struct {
	plainWebhookDelivery
	Body        JSON             `json:"body"`
	AttemptList []WebhookAttempt `json:"attempt_list"`
}

// UnmarshalJSON keeps unknown members.
func (v *WebhookDeliveryDetail) UnmarshalJSON(data []byte) error {
	plain := plainWebhookDeliveryDetail{plainWebhookDelivery(v.WebhookDelivery), v.Body, v.AttemptList}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = WebhookDeliveryDetail{WebhookDelivery(plain.plainWebhookDelivery), plain.Body, plain.AttemptList}
	return err
}

// MarshalJSON writes unknown members too.
func (v WebhookDeliveryDetail) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookDeliveryDetail{plainWebhookDelivery(v.WebhookDelivery), v.Body, v.AttemptList}, v.Unknown)
}

type plainWebhookAttempt WebhookAttempt

// UnmarshalJSON keeps unknown members.
func (v *WebhookAttempt) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookAttempt)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookAttempt) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookAttempt(v), v.Unknown)
}

type plainWebhookRecovery WebhookRecovery

// UnmarshalJSON keeps unknown members.
func (v *WebhookRecovery) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookRecovery)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v WebhookRecovery) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookRecovery(v), v.Unknown)
}

type plainEventFeed EventFeed

// UnmarshalJSON keeps unknown members.
func (v *EventFeed) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEventFeed)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v EventFeed) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEventFeed(v), v.Unknown)
}

type plainEvent Event

// UnmarshalJSON keeps unknown members.
func (v *Event) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainEvent)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Event) MarshalJSON() ([]byte, error) {
	return writeMembers(plainEvent(v), v.Unknown)
}

type plainNotificationPage NotificationPage

// UnmarshalJSON keeps unknown members.
func (v *NotificationPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainNotificationPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v NotificationPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainNotificationPage(v), v.Unknown)
}

type plainNotification Notification

// UnmarshalJSON keeps unknown members.
func (v *Notification) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainNotification)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Notification) MarshalJSON() ([]byte, error) {
	return writeMembers(plainNotification(v), v.Unknown)
}

type plainUnreadNotifications UnreadNotifications

// UnmarshalJSON keeps unknown members.
func (v *UnreadNotifications) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainUnreadNotifications)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v UnreadNotifications) MarshalJSON() ([]byte, error) {
	return writeMembers(plainUnreadNotifications(v), v.Unknown)
}

type plainChainStatus ChainStatus

// UnmarshalJSON keeps unknown members.
func (v *ChainStatus) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainChainStatus)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ChainStatus) MarshalJSON() ([]byte, error) {
	return writeMembers(plainChainStatus(v), v.Unknown)
}

type plainErc8004Registries Erc8004Registries

// UnmarshalJSON keeps unknown members.
func (v *Erc8004Registries) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainErc8004Registries)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Erc8004Registries) MarshalJSON() ([]byte, error) {
	return writeMembers(plainErc8004Registries(v), v.Unknown)
}

type plainRelayerState RelayerState

// UnmarshalJSON keeps unknown members.
func (v *RelayerState) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRelayerState)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RelayerState) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRelayerState(v), v.Unknown)
}

type plainLogState LogState

// UnmarshalJSON keeps unknown members.
func (v *LogState) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainLogState)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v LogState) MarshalJSON() ([]byte, error) {
	return writeMembers(plainLogState(v), v.Unknown)
}

type plainChainList ChainList

// UnmarshalJSON keeps unknown members.
func (v *ChainList) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainChainList)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ChainList) MarshalJSON() ([]byte, error) {
	return writeMembers(plainChainList(v), v.Unknown)
}

type plainChain Chain

// UnmarshalJSON keeps unknown members.
func (v *Chain) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainChain)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v Chain) MarshalJSON() ([]byte, error) {
	return writeMembers(plainChain(v), v.Unknown)
}

type plainChainToken ChainToken

// UnmarshalJSON keeps unknown members.
func (v *ChainToken) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainChainToken)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ChainToken) MarshalJSON() ([]byte, error) {
	return writeMembers(plainChainToken(v), v.Unknown)
}

type plainModerationSubjectPage ModerationSubjectPage

// UnmarshalJSON keeps unknown members.
func (v *ModerationSubjectPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainModerationSubjectPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ModerationSubjectPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModerationSubjectPage(v), v.Unknown)
}

type plainModerationSubject ModerationSubject

// UnmarshalJSON keeps unknown members.
func (v *ModerationSubject) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainModerationSubject)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ModerationSubject) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModerationSubject(v), v.Unknown)
}

type plainModerationSubjectDetail struct {
	plainModerationSubject
	Content       JSON                 `json:"content"`
	NewestReports []ReceivedReport     `json:"newest_reports"`
	Acts          []OperatorModeration `json:"acts"`
}

// UnmarshalJSON keeps unknown members.
func (v *ModerationSubjectDetail) UnmarshalJSON(data []byte) error {
	plain := plainModerationSubjectDetail{plainModerationSubject(v.ModerationSubject), v.Content, v.NewestReports, v.Acts}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ModerationSubjectDetail{ModerationSubject(plain.plainModerationSubject), plain.Content, plain.NewestReports, plain.Acts}
	return err
}

// MarshalJSON writes unknown members too.
func (v ModerationSubjectDetail) MarshalJSON() ([]byte, error) {
	return writeMembers(plainModerationSubjectDetail{plainModerationSubject(v.ModerationSubject), v.Content, v.NewestReports, v.Acts}, v.Unknown)
}

type plainReceivedReport struct {
	plainReport
	AccountID string  `json:"account_id"`
	Counts    bool    `json:"counts"`
	Quoted    *string `json:"quoted"`
}

// UnmarshalJSON keeps unknown members.
func (v *ReceivedReport) UnmarshalJSON(data []byte) error {
	plain := plainReceivedReport{plainReport(v.Report), v.AccountID, v.Counts, v.Quoted}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ReceivedReport{Report(plain.plainReport), plain.AccountID, plain.Counts, plain.Quoted}
	return err
}

// MarshalJSON writes unknown members too.
func (v ReceivedReport) MarshalJSON() ([]byte, error) {
	return writeMembers(plainReceivedReport{plainReport(v.Report), v.AccountID, v.Counts, v.Quoted}, v.Unknown)
}

type plainOperatorModeration struct {
	plainModeration
	OwnerAccountID    string `json:"owner_account_id"`
	OperatorAccountID string `json:"operator_account_id"`
}

// UnmarshalJSON keeps unknown members.
func (v *OperatorModeration) UnmarshalJSON(data []byte) error {
	plain := plainOperatorModeration{plainModeration(v.Moderation), v.OwnerAccountID, v.OperatorAccountID}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = OperatorModeration{Moderation(plain.plainModeration), plain.OwnerAccountID, plain.OperatorAccountID}
	return err
}

// MarshalJSON writes unknown members too.
func (v OperatorModeration) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOperatorModeration{plainModeration(v.Moderation), v.OwnerAccountID, v.OperatorAccountID}, v.Unknown)
}

type plainOperatorModerationPage OperatorModerationPage

// UnmarshalJSON keeps unknown members.
func (v *OperatorModerationPage) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOperatorModerationPage)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OperatorModerationPage) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOperatorModerationPage(v), v.Unknown)
}

type plainServiceState ServiceState

// UnmarshalJSON keeps unknown members.
func (v *ServiceState) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainServiceState)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ServiceState) MarshalJSON() ([]byte, error) {
	return writeMembers(plainServiceState(v), v.Unknown)
}

type plainRelayerWallet RelayerWallet

// UnmarshalJSON keeps unknown members.
func (v *RelayerWallet) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainRelayerWallet)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v RelayerWallet) MarshalJSON() ([]byte, error) {
	return writeMembers(plainRelayerWallet(v), v.Unknown)
}

type plainIndexProgress IndexProgress

// UnmarshalJSON keeps unknown members.
func (v *IndexProgress) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainIndexProgress)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v IndexProgress) MarshalJSON() ([]byte, error) {
	return writeMembers(plainIndexProgress(v), v.Unknown)
}

type plainQueueState QueueState

// UnmarshalJSON keeps unknown members.
func (v *QueueState) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainQueueState)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v QueueState) MarshalJSON() ([]byte, error) {
	return writeMembers(plainQueueState(v), v.Unknown)
}

type plainOpenDispute OpenDispute

// UnmarshalJSON keeps unknown members.
func (v *OpenDispute) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOpenDispute)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OpenDispute) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOpenDispute(v), v.Unknown)
}

type plainFailedWebhookDelivery FailedWebhookDelivery

// UnmarshalJSON keeps unknown members.
func (v *FailedWebhookDelivery) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainFailedWebhookDelivery)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v FailedWebhookDelivery) MarshalJSON() ([]byte, error) {
	return writeMembers(plainFailedWebhookDelivery(v), v.Unknown)
}

type plainGrowthOfDay GrowthOfDay

// UnmarshalJSON keeps unknown members.
func (v *GrowthOfDay) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainGrowthOfDay)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v GrowthOfDay) MarshalJSON() ([]byte, error) {
	return writeMembers(plainGrowthOfDay(v), v.Unknown)
}

type plainResentWebhookDelivery ResentWebhookDelivery

// UnmarshalJSON keeps unknown members.
func (v *ResentWebhookDelivery) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainResentWebhookDelivery)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ResentWebhookDelivery) MarshalJSON() ([]byte, error) {
	return writeMembers(plainResentWebhookDelivery(v), v.Unknown)
}

type plainOrderExport OrderExport

// UnmarshalJSON keeps unknown members.
func (v *OrderExport) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainOrderExport)(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v OrderExport) MarshalJSON() ([]byte, error) {
	return writeMembers(plainOrderExport(v), v.Unknown)
}
