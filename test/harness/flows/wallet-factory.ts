import { getContractAddress } from "viem";
import { localAccount } from "../../../tools/stack/anvil.ts";

/** Deploys the factory by its first transaction. No test sends another one from this account before. */
export const factoryOwner = localAccount(9);

/** The factory of wallets that the shared stack allows, on each chain where `placeFactory` placed it. */
export const walletFactory = getContractAddress({ from: factoryOwner.address, nonce: 0n });
