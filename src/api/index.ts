import { Hono } from "hono";
import { attachApi } from "../../api/attached.ts";
import { readConfig } from "../../config.ts";

export default new Hono().route("/", await attachApi(readConfig()));
