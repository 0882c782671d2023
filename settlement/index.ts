/** What anyone needs to recompute where an order's money goes; the service's other rules are not exported here. */
export { type DerivedDeposit, deriveDeposit } from "./deposit.ts";
export {
  depositAddressOf,
  depositImplementationOf,
  digestOf,
  escrowIdOf,
  type Terms,
} from "./terms.ts";
