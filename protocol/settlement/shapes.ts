/** The JSON forms of the protocol's values, for parsers and for schemas. */

/** An address in any case. */
export const addressPattern = /^0x[0-9a-fA-F]{40}$/;
/** An address as the index and the ledger store it. */
export const lowerAddressPattern = /^0x[0-9a-f]{40}$/;

/** A hash of 32 bytes as written here. */
export const hashPattern = /^0x[0-9a-f]{64}$/;
/** A hash of 32 bytes as others may write it. */
export const bytes32Pattern = /^0x[0-9a-fA-F]{64}$/;

/**
 * Whole bytes, as in a signature. A contract wallet may need none: Safe's owners approve the digest on the chain
 * instead.
 */
export const bytesPattern = /^0x([0-9a-fA-F]{2})*$/;
/** The most characters of a signature in a call: more bytes cost more gas than the service pays. */
export const longestSignature = 2 + 2 * 8192;
/** A call's data as shown. */
export const callDataPattern = /^0x([0-9a-f]{2})*$/;

/** An amount as shown, in a token's decimals. */
export const shownAmountPattern = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;
export const baseUnitsPattern = /^(0|[1-9][0-9]*)$/;

/** The name of an agent or a service in paths. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
