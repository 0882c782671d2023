// The first import of each program: whatever it loads then, packages too, parses by `parseJson`.

import { parseJson } from "./parse.ts";

JSON.parse = parseJson as typeof JSON.parse;
