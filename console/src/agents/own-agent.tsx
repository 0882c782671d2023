import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useClient } from "../session/client.ts";
import { domainQuery, isForeign } from "./agent-queries.ts";

/** Renders a page of an agent for its owner. Everyone else is sent to the agent's public page. */
export function OwnAgent({ slug, children }: { slug: string; children: ReactNode }) {
  const domain = useQuery(domainQuery(useClient(), slug));
  if (domain.data !== undefined) return children;
  if (isForeign(domain.error)) return <Navigate to="/agents/$agent" params={{ agent: slug }} replace />;
  return domain.error ? <ProblemNote error={domain.error} /> : <Skeleton />;
}
