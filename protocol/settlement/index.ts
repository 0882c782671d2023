/**
 * The protocol for outsiders: recomputes the API's data of an order, and builds the calls and signatures of wallets. It
 * makes no requests, runs without Node, and has none of the service's own rules.
 */

export type { EscrowState, Situation, Taker } from "./actions.ts";
export { type AgreedDigests, type AgreementFields, createAgreement, writeAgreement } from "./agreement.ts";
export {
  approveCall,
  type Call,
  closeCall,
  createEscrowCall,
  createEscrowFromDepositCall,
  createEscrowWithAuthorizationCall,
  createEscrowWithReceiveAuthorizationCall,
  type Decision,
  decideDisputeCall,
  decideSignedDisputeCall,
  describeCall,
  disputeCall,
  type EscrowOf,
  escrowCall,
  plainCall,
  recordDeliveryCall,
  recordSignedDeliveryCall,
  returnDepositCall,
  type SignedActCall,
  type SignedClose,
  signedActCall,
  voucherCall,
  withdrawCall,
} from "./calls.ts";
export {
  type Deposit,
  type DerivedDeposit,
  depositOf,
  deriveDeposit,
  findAgreement,
  readTerms,
} from "./deposit.ts";
export { digestOf, digestOrNull } from "./digest.ts";
export { type DisputeStage, defaultOutcome, disputeStage, disputeStages, hashOfText } from "./dispute.ts";
export { amountPattern, formatAmount, parseAmount } from "./money.ts";
export { findNetwork, localNetwork, type Network, networks } from "./networks.ts";
export {
  type AccountCall,
  type Assertion,
  accountPaymentCalls,
  createAndExecuteCall,
  createPasskeyAccountCall,
  encodeAssertion,
  type PasskeyKey,
  passkeyAccountOf,
  passkeyExecuteHash,
  passkeyMessageHash,
  withDeployment,
} from "./passkey.ts";
export { type ActionName, type SettlementAction, settlementOptions } from "./settlement-options.ts";
export {
  closeData,
  decisionData,
  digestToSign,
  type EscrowName,
  escrowDomain,
  readKeySignature,
  recordDeliveryData,
  type SignedAct,
  type SignedMessages,
  signatureDeadline,
  signedActData,
  type TypedData,
  typedDataOf,
  voucherData,
} from "./signatures.ts";
export { claimOfStage, type StageClaim, sumUpTo } from "./stages.ts";
export {
  depositAddressOf,
  depositImplementationOf,
  escrowIdOf,
  largestAmount,
  type Terms,
  vouchersOnly,
} from "./terms.ts";
export {
  type Actor,
  actors,
  apiPath,
  type Claim,
  claims,
  type DeliveryRecord,
  deliveryRecords,
  type EscrowStatus,
  type EventType,
  escrowStatuses,
  eventTypes,
  type OrderStatus,
  orderStatuses,
  type Party,
  type PaymentMethod,
  parties,
  paymentMethods,
  type Rail,
  type Role,
  rails,
  roles,
} from "./vocabulary.ts";
export {
  authorizationData,
  type Payable,
  type PaymentRequirements,
  paymentNonceOf,
  permit2Address,
  permit2ProxyAddress,
  permitData,
  purchaseNonceOf,
  receiveAuthorizationData,
  requirementsOf,
} from "./x402.ts";
