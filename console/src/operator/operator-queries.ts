import { queryOptions } from "@tanstack/react-query";
import type { Earnest, ModerationSubject, SubjectKind } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";
import { asPerson } from "../session/as-person.ts";

/** Whether the person may use the operators' pages with this session. The query concerns the person, so no organisation is named. */
export const operatorAccessQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["operator-access"],
    queryFn: async () => (await client.me(asPerson)).auth.operator,
    staleTime: 60_000,
  });

/** A subject of the operators' lists, with the id by which a list keeps its rows. */
export type ListedSubject = ModerationSubject & { id: string };

/** The subjects that wait for an operator, or those that are withheld. */
export const subjectsQuery = (client: Earnest, withheld: boolean, kind: SubjectKind | undefined) =>
  pagedQuery(["operator", "subjects", withheld, kind ?? ""], async (page) => {
    const query = { ...page, withheld, ...(kind === undefined ? {} : { kind }) };
    const { items, body, nextCursor } = await client.operator.subjects.list(query, asPerson);
    const listed = items.map((item): ListedSubject => ({ ...item, id: item.subject.id }));
    return { items: listed, body: { ...body, items: listed }, nextCursor };
  });

export const subjectQuery = (client: Earnest, id: string) =>
  queryOptions({
    queryKey: ["operator", "subject", id],
    queryFn: async () => client.operator.subjects.get(id, asPerson),
  });

export const serviceStateQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["operator", "state"],
    queryFn: async () => client.operator.getState(asPerson),
    refetchInterval: 15_000,
  });
