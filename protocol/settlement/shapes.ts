/** The forms in which JSON has the protocol's values, for those who read them and those who describe them. */

/** In whatever case. */
export const addressPattern = /^0x[0-9a-fA-F]{40}$/;
/** As the index and the ledger keep one. */
export const lowerAddressPattern = /^0x[0-9a-f]{40}$/;

/** 32 bytes as everything here writes them. */
export const hashPattern = /^0x[0-9a-f]{64}$/;
/** 32 bytes as others may write them. */
export const bytes32Pattern = /^0x[0-9a-fA-F]{64}$/;

/** Whole bytes, as in a signature. A contract wallet may take none: Safe's owners approve the digest on the chain instead. */
export const bytesPattern = /^0x([0-9a-fA-F]{2})*$/;
/** Characters of a signature that a call carries: more bytes cost more gas than the service pays for a call. */
export const longestSignature = 2 + 2 * 8192;
/** A call's data as it is shown. */
export const callDataPattern = /^0x([0-9a-f]{2})*$/;

/** An amount as it is shown, in a token's decimals. */
export const shownAmountPattern = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;
export const baseUnitsPattern = /^(0|[1-9][0-9]*)$/;

/** What names an agent or a service within paths. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
