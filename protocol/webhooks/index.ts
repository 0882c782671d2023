/** The public interface for receivers. Signing and secrets are not exported. */
export { verifyWebhook } from "./signature.ts";
