// The rules of billing details. The API's checks and the console's form use them.

/** A tax rate in percent, from 0 to 100, with at most two decimals. */
export const taxRatePattern = /^(?:100(?:\.0{1,2})?|[1-9]?[0-9](?:\.[0-9]{1,2})?)$/;

/** The most lines of an address, and the longest texts, in characters. */
export const mostAddressLines = 5;
export const longestBilling = { name: 100, addressLine: 100, taxId: 40 } as const;
