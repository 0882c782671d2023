import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { expect, inject, test } from "vitest";
import { z } from "zod";
import { type Database, openDatabase } from "../../db/client.ts";
import { readReleases } from "../../db/releases.ts";
import { runStatement } from "../../stack/postgres.ts";

const migrations = fileURLToPath(new URL("../../db/migrations", import.meta.url));
const journalSchema = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) });
const journal = journalSchema.parse(JSON.parse(readFileSync(join(migrations, "meta/_journal.json"), "utf8")));
const { releases, unused } = readReleases();

/** A database on which nothing was done. */
async function onEmptyDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const maintenanceUrl = inject("postgresUrl");
  const name = `test_releases_${process.pid}`;
  await runStatement(maintenanceUrl, `create database ${name}`);
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  const db = openDatabase(url.href);
  try {
    await work(db);
  } finally {
    await db.$client.end();
    await runStatement(maintenanceUrl, `drop database ${name} with (force)`);
  }
}

/** Migrates a database as far as a migration. */
async function migrateTo(db: Database, last: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-migrations-"));
  try {
    cpSync(migrations, folder, { recursive: true });
    const end = journal.entries.findIndex(({ tag }) => tag === last) + 1;
    const entries = journal.entries.slice(0, end);
    writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrate(drizzle(db.$client), { migrationsFolder: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Column = { type: string; writable: boolean };
type Callable = { name: string; names: string[]; types: string[]; required: number; returns: string };
type Catalog = {
  /** by relation, by column */
  relations: Map<string, Map<string, Column>>;
  functions: Callable[];
  /** what rows have to be like: by what it is of, the columns that it speaks of */
  rules: Map<string, { relation: string; columns: string[] }>;
};

/** What a program of a release may rely on. */
async function readCatalog(db: Database): Promise<Catalog> {
  const columns = await db.execute<{ relation: string; name: string; type: string; writable: boolean }>(sql`
    select relname as relation, attname as name, format_type(atttypid, atttypmod) as type,
      not attnotnull or atthasdef or attidentity <> '' as writable
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'earnest' and relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped`);
  const functions = await db.execute<{
    name: string;
    names: string[] | null;
    types: string[];
    required: number;
    returns: string;
  }>(sql`
    select proname as name, proargnames[1:pronargs] as names, pronargs - pronargdefaults as required,
      array(select format_type(type, null) from unnest(proargtypes) with ordinality as arg (type, at) order by at) as types,
      pg_get_function_result(pg_proc.oid) as returns
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
    where nspname = 'earnest' and prorettype <> 'trigger'::regtype`);
  const rules = await db.execute<{ name: string; relation: string; columns: string[] }>(sql`
    select conname as name, relname as relation,
      array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns
    from pg_constraint join pg_class on pg_class.oid = conrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'earnest' and contype in ('c', 'f', 'u', 'p', 'x')
    union all
    select own.relname, of.relname,
      array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey))
    from pg_index join pg_class own on own.oid = indexrelid join pg_class of on of.oid = indrelid
      join pg_namespace on pg_namespace.oid = of.relnamespace
    where nspname = 'earnest' and indisunique`);
  const relations: Catalog["relations"] = new Map();
  for (const { relation, name, type, writable } of columns.rows) {
    const known = relations.get(relation) ?? new Map<string, Column>();
    relations.set(relation, known.set(name, { type, writable }));
  }
  return {
    relations,
    functions: functions.rows.map((row) => ({ ...row, names: row.names ?? [] })),
    rules: new Map(rules.rows.map(({ name, ...rule }) => [`${rule.relation}.${name}`, rule])),
  };
}

/** What a program that knows the schema before cannot do any more on the schema after. */
function findBreaks(before: Catalog, after: Catalog): string[] {
  const breaks: string[] = [];
  for (const [relation, columns] of before.relations) {
    const now = after.relations.get(relation);
    if (!now) {
      breaks.push(`${relation} is gone`);
      continue;
    }
    for (const [name, { type, writable }] of columns) {
      const column = now.get(name);
      if (!column) breaks.push(`${relation}.${name} is gone`);
      else if (column.type !== type) breaks.push(`${relation}.${name} is ${column.type} and was ${type}`);
      else if (writable && !column.writable) breaks.push(`${relation}.${name} may not be left out any more`);
    }
    for (const [name, { writable }] of now)
      if (!columns.has(name) && !writable) breaks.push(`${relation}.${name} is new and may not be left out`);
  }
  for (const old of before.functions) {
    const takesTheSame = after.functions.some(
      ({ name, names, types, required, returns }) =>
        name === old.name &&
        returns === old.returns &&
        required <= old.required &&
        old.types.every((type, at) => types[at] === type && names[at] === old.names[at]),
    );
    if (!takesTheSame) breaks.push(`${old.name}(${old.types.join(", ")}) cannot be called as before`);
  }
  for (const [name, { relation, columns }] of after.rules) {
    const known = before.relations.get(relation);
    if (!known || before.rules.has(name)) continue;
    if (columns.some((column) => known.has(column))) breaks.push(`${name} is a new rule for rows`);
  }
  return breaks;
}

test("the releases are in the order of their migrations, and what is unused since one is of one of them", () => {
  const places = releases.map(({ last_migration }) =>
    journal.entries.findIndex(({ tag }) => tag === last_migration),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  const commits = releases.map(({ commit }) => commit);
  expect(unused.filter(({ since }) => !commits.includes(since))).toEqual([]);
});

test("on each release's schema, and on this one, the release before runs on", async () => {
  await onEmptyDatabase(async (db) => {
    const last = journal.entries.at(-1)?.tag ?? "";
    let before: Catalog | undefined;
    for (const [at, tag] of [...releases.map(({ last_migration }) => last_migration), last].entries()) {
      await migrateTo(db, tag);
      const after = await readCatalog(db);
      // What the release before has ceased to use may go.
      const ceased = unused
        .filter(({ since }) => releases.findIndex(({ commit }) => commit === since) < at)
        .map(({ what }) => what);
      const breaks = before ? findBreaks(before, after).filter((what) => !ceased.includes(what)) : [];
      expect(breaks, `migrations up to ${tag}: see CONTRIBUTING.md, "Migrations in two steps"`).toEqual([]);
      before = after;
    }
  });
});

test("what the release before needs is missed when it goes or changes, and what is new is not", async () => {
  await onEmptyDatabase(async (db) => {
    await db.execute(sql`create schema earnest`);
    await db.execute(
      sql`create table earnest.one (id int primary key, kept text, given text not null default '', big int)`,
    );
    await db.execute(sql`create table earnest.other (id int)`);
    await db.execute(sql`create function earnest.named(a int) returns int language sql as 'select 1'`);
    await db.execute(sql`create function earnest.longer(a int) returns int language sql as 'select 1'`);
    const before = await readCatalog(db);
    for (const change of [
      "alter table earnest.one rename kept to renamed",
      "alter table earnest.one alter given drop default",
      "alter table earnest.one alter big type bigint",
      "alter table earnest.one add wanted int not null",
      "alter table earnest.one add free int not null default 1",
      "alter table earnest.one add constraint positive check (id > 0)",
      "alter table earnest.one add constraint free_positive check (free > 0)",
      "create table earnest.fresh (id int not null)",
      "drop table earnest.other",
      "drop function earnest.named(int)",
      "create function earnest.named(b int) returns int language sql as 'select 1'",
      "drop function earnest.longer(int)",
      "create function earnest.longer(a int, b int default 0) returns int language sql as 'select 1'",
    ]) {
      await db.execute(sql.raw(change));
    }
    expect(findBreaks(before, await readCatalog(db)).toSorted()).toEqual([
      "named(integer) cannot be called as before",
      "one.big is bigint and was integer",
      "one.given may not be left out any more",
      "one.kept is gone",
      "one.positive is a new rule for rows",
      "one.wanted is new and may not be left out",
      "other is gone",
    ]);
  });
});
