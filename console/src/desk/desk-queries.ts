import { queryOptions } from "@tanstack/react-query";
import type { DeskSubject, Earnest, SubjectKind } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** Whether the person may use the desk with this session. It concerns the person, so no organisation is named. */
export const deskAccessQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["desk-access"],
    queryFn: async () => (await client.me({ organisation: null })).auth.operator,
    staleTime: 60_000,
  });

/** A subject of the desk's lists, with the id by which a list keeps its rows. */
export type ListedSubject = DeskSubject & { id: string };

/** The subjects that wait for an operator, or those that are withheld. */
export const deskSubjectsQuery = (client: Earnest, withheld: boolean, kind: SubjectKind | undefined) =>
  pagedQuery(["desk", "subjects", withheld, kind ?? ""], async (page) => {
    const query = { ...page, withheld, ...(kind === undefined ? {} : { kind }) };
    const { items, body, nextCursor } = await client.operator.subjects.list(query, own);
    const listed = items.map((item): ListedSubject => ({ ...item, id: item.subject.id }));
    return { items: listed, body: { ...body, items: listed }, nextCursor };
  });

export const deskSubjectQuery = (client: Earnest, id: string) =>
  queryOptions({
    queryKey: ["desk", "subject", id],
    queryFn: async () => client.operator.subjects.get(id, own),
  });

export const deskStateQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["desk", "state"],
    queryFn: async () => client.operator.getState(own),
    refetchInterval: 15_000,
  });

/** The desk takes a person's own session, also while they act for an organisation. */
export const own = { organisation: null } as const;
