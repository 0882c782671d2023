import type { Format } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";

export const formats: Record<string, Format> = fullFormats;
