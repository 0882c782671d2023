// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { MailRemoved, MailRequest, MailSetting, MailVerification } from "../types.ts";

export class EmailResource extends ResourceBase {
  /** Read where this account gets mail of its events. */
  get(options?: RequestOptions): Answer<MailSetting> {
    return this.send({ operation: "readMail", verb: "GET", path: "/me/email" }, options);
  }

  /**
   * Set where this account gets mail of its events, and of which. A new address gets one message with a link
   * that is good for a day and once. Until it is confirmed it gets nothing else. The same address may be
   * sent again to get another link; five are sent of an account within a day, and three to an address.
   */
  set(body: MailRequest, options?: RequestOptions): Answer<MailSetting> {
    return this.send({ operation: "setMail", verb: "PUT", path: "/me/email", body, takesKey: true }, options);
  }

  /** Forget the address: no more mail. */
  remove(options?: RequestOptions): Answer<MailRemoved> {
    return this.send({ operation: "removeMail", verb: "DELETE", path: "/me/email", takesKey: true }, options);
  }

  /**
   * Confirm an address by the token of its message. The page that the message links to does the same without
   * a sign-in.
   */
  verify(body: MailVerification, options?: RequestOptions): Answer<MailSetting> {
    return this.send(
      { operation: "verifyMail", verb: "POST", path: "/me/email/verify", body, takesKey: true },
      options,
    );
  }
}
