import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addOrderMessages } from "./order-messages.ts";
import { addUnreadMessages } from "./unread-messages.ts";

export function addMessages(api: App, context: Context): void {
  addOrderMessages(api, context);
  addUnreadMessages(api, context);
}
