import { readFileSync } from "node:fs";
import { z } from "zod";

const releasesSchema = z.strictObject({
  /** oldest first; the last one is what runs while this version is installed */
  releases: z
    .array(z.strictObject({ commit: z.string().regex(/^[0-9a-f]{40}$/), last_migration: z.string() }))
    .min(1),
  /** what no release from `since` (a commit above) on uses any more, and may therefore go or change */
  unused: z.array(z.strictObject({ what: z.string(), since: z.string() })),
});
export type Releases = z.output<typeof releasesSchema>;

/** Which versions were released, each with its last migration, and what of the database they have ceased to use. */
export function readReleases(): Releases {
  return releasesSchema.parse(JSON.parse(readFileSync(new URL("./releases.json", import.meta.url), "utf8")));
}

/** The commit of the release before this version. */
export function previousRelease(): string {
  return (readReleases().releases.at(-1) as Releases["releases"][number]).commit;
}
