export { addChain } from "./status.ts";
