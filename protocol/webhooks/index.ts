/** The receiver's interface. Signing and secrets are the service's own. */
export { verifyWebhook } from "./signature.ts";
