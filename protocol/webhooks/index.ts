/** What a receiver needs: signing and secrets are the service's own. */
export { verifyWebhook } from "./signature.ts";
