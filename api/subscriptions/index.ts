export { addSubscriptions } from "./subscriptions.ts";
