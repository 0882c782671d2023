export { addChain } from "./chain-status.ts";
