import { customType } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";

/** Base units of a token: up to 78 digits, a bigint in the program. Ponder's `bigint` has the same type. */
export const baseUnits = customType<{ data: bigint; driverData: string }>({
  dataType: () => "numeric(78, 0)",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** 0x-hex in lower case, as Ponder stores it, so that rows of both can be joined. */
export const hex = customType<{ data: Hex; driverData: string }>({
  dataType: () => "text",
  toDriver: (value) => value.toLowerCase(),
});

/** An address in lower case; the API shows it in its EIP-55 form. */
export const address = customType<{ data: Address; driverData: string }>({
  dataType: () => "text",
  toDriver: (value) => value.toLowerCase(),
});

/** Bytes without an encoding. */
export const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => "bytea",
  fromDriver: (value) => new Uint8Array(value),
  toDriver: (value) => Buffer.from(value),
});

/** A text in the order of its bytes, whatever the locale of the server. An index finds its prefixes. */
export const byteOrderedText = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

/** Words for full-text search, which PostgreSQL generates from other columns. */
export const searchText = customType<{ data: string }>({ dataType: () => "tsvector" });
