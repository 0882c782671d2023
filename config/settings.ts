// The notes on each setting. `npm run generate` writes .env.example from them.

import { z } from "zod";

export type SettingNote = {
  /** The programs that read the setting. */
  for: string;
  /** The meaning of the setting, without a full stop. */
  is: string;
  unit?: string;
  /** The default in words, if the schema has no plain one. */
  otherwise?: string;
  /** The value of the line in `.env.example`, if the schema has no plain default. */
  example?: string;
};

/** The notes on all settings that have a schema. */
export const settingNotes = z.registry<SettingNote>();

/** The settings that have a chain's id behind their name, as in `RPC_URL_8453`. */
export const chainSettings = {
  RPC_URL: {
    for: "all",
    is: "the chain's node",
    otherwise: "`http://127.0.0.1:8545` for 31337, else required",
  },
  WS_URL: { for: "indexer", is: "the same node's WebSocket, which announces each block at once" },
  CONFIRMATIONS: {
    for: "all",
    is: "the blocks, with its own block, until an event is confirmed",
    otherwise: "those of the known chain, else 12",
  },
  POLLING_INTERVAL: {
    for: "all",
    is: "the time between two polls of the chain's head, at least 100",
    unit: "milliseconds",
    otherwise: "4000 for 1, 500 for 31337, else 1000",
  },
  MIN_ACCEPTANCE_HOURS: {
    for: "API, worker",
    is: "the shortest time from a delivery record to the automatic release",
    unit: "hours",
    otherwise: "1 for 31337, else 24",
  },
  MAX_FEE_GWEI: {
    for: "worker",
    is: "the most that a unit of gas may cost, with the tip",
    unit: "gwei",
    otherwise: "5 for 10, 8453, 42161 and 84532; 2000 for 137; 1000 for 31337; else 100",
  },
  RELAYER_LOW_BALANCE: {
    for: "all",
    is: "the balance below which the relayer's wallet is low",
    unit: "native coin",
    otherwise: "the cost of ten relays at `MAX_FEE_GWEI`; 0.015 on Base",
  },
  MIN_RELAY_AMOUNT: {
    for: "API, worker",
    is: "from this amount on, an order's calls are relayed for free, and a deposit is sent back",
    unit: "tokens",
    otherwise: "0 for 31337, else 0.1",
  },
  RELAY_GAS_PER_HOUR: {
    for: "API, worker",
    is: "the gas that the relayed calls of all accounts may take within an hour; half is kept for funded orders",
    otherwise: "300000000",
  },
  RELAY_BATCH: {
    for: "worker",
    is: "the most calls in one transaction; 1 sends each call alone",
    otherwise: "20",
  },
} satisfies Record<string, SettingNote>;

/** The name of a chain's setting, as in `RPC_URL_8453`. */
export function ofChain(name: keyof typeof chainSettings, chainId: number): string {
  return `${name}_${chainId}`;
}

/** The settings that only Ponder reads. */
export const ponderSettings = {
  PONDER_LOG_LEVEL: {
    for: "indexer",
    is: "the level of Ponder's own lines; at `info` Ponder writes one for each block",
    otherwise: "one step quieter than `LOG_LEVEL`",
    example: "warn",
  },
  PONDER_CACHE_BYTES: {
    for: "indexer",
    is: "the memory of the row cache",
    unit: "bytes",
    otherwise: "`134217728`",
    example: "134217728",
  },
} satisfies Record<string, SettingNote>;
