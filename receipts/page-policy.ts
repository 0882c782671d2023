/** To be imported before any schema is made: zod would try whether it may make functions from text, which a page's policy forbids. */
import * as z from "zod";

z.config({ jitless: true });
