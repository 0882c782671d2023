// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { MailRemoved, MailRequest, MailSetting, MailVerification } from "../types.ts";

export class EmailResource extends ResourceBase {
  /** Read the mail setting of this account. */
  get(options?: RequestOptions): Answer<MailSetting> {
    return this.send({ operation: "readMail", verb: "GET", path: "/me/email" }, options);
  }

  /**
   * Set the mail address and events of this account. A new address gets one message with a link, which is
   * valid for one use within a day. No other mail is sent until the address is confirmed. Send the same
   * address again to get another link. At most five links a day are sent for an account, and three to an
   * address.
   */
  set(body: MailRequest, options?: RequestOptions): Answer<MailSetting> {
    return this.send({ operation: "setMail", verb: "PUT", path: "/me/email", body, takesKey: true }, options);
  }

  /** Remove the mail address. */
  remove(options?: RequestOptions): Answer<MailRemoved> {
    return this.send({ operation: "removeMail", verb: "DELETE", path: "/me/email", takesKey: true }, options);
  }

  /**
   * Confirm a mail address by the token of its message. The page that the message links to does the same
   * without a session.
   */
  verify(body: MailVerification, options?: RequestOptions): Answer<MailSetting> {
    return this.send(
      { operation: "verifyMail", verb: "POST", path: "/me/email/verify", body, takesKey: true },
      options,
    );
  }
}
