import { z } from "zod";
import { baseUnitsPattern, shownAmountPattern, slugPattern } from "../settlement/shapes.ts";
import { idPattern } from "./ids.ts";

/** Fields that the data of several event types has. */
export const time = z.iso.datetime({ offset: true });

export const text = (pattern: RegExp, example: string) =>
  z
    .string()
    .regex(pattern)
    .meta({ examples: [example] });
export const amount = text(shownAmountPattern, "2.500000");
export const baseUnits = text(baseUnitsPattern, "2500000");
export const id = (prefix: string) =>
  text(new RegExp(idPattern(prefix)), `${prefix}_01jd3w8x2mfhz8w9q4t6n5k7ra`);
export const slug = text(slugPattern, "translator");

/** The links of an event's data. */
export const linksOf = <Name extends string>(id: string, ...names: Name[]) =>
  z
    .object(Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>)
    .meta({ id, description: "paths under the service's address" });

/** The data of an event of which a function adds the links. */
export type Unlinked<Schema extends z.ZodType> = Omit<z.output<Schema>, "test" | "links">;

/** Marks a test event. */
export const test = z.literal(true).optional().describe("only in a test event, whose subject does not exist");
