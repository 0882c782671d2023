/** Must be imported before any schema is created: zod otherwise tries to create functions from text, which the page's CSP forbids. */
import * as z from "zod";

z.config({ jitless: true });
