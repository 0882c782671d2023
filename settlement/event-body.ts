/** What a webhook delivers and the feed lists (spec, Delivery). */
export type EventBody = {
  id: string;
  type: string;
  /** RFC 3339, UTC */
  created_at: string;
  data: Record<string, unknown>;
};

/** The most that a body takes, in bytes of its JSON. */
export const maxBodyBytes = 20_000;

/** Members smaller than these are looked into no further when something has to be left out. */
const largeBytes = 1000;

/**
 * The body of an event: the same at every attempt, to every endpoint and in the feed. Of data that would make it too
 * large the largest members are left out, and `data.left_out` names them by their paths.
 */
export function bodyOf(event: {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}): EventBody {
  const { id, type, createdAt } = event;
  const body = (data: Record<string, unknown>) => ({ id, type, created_at: createdAt.toISOString(), data });
  if (sizeOf(body(event.data)) < maxBodyBytes) return body(event.data);
  const data = structuredClone(event.data);
  const leftOut: string[] = [];
  while (sizeOf(body({ ...data, left_out: leftOut })) >= maxBodyBytes) {
    leftOut.push(leaveOutLargest(data, "data"));
  }
  return body({ ...data, left_out: leftOut });
}

/** Removes the largest member, or the largest of what that one holds, and says its path. */
function leaveOutLargest(object: Record<string, unknown>, path: string): string {
  const [largest = ""] = Object.keys(object).sort((a, b) => sizeOf(object[b]) - sizeOf(object[a]));
  const member = object[largest];
  const isObject = typeof member === "object" && member !== null && !Array.isArray(member);
  if (isObject && Object.values(member).some((value) => sizeOf(value) > largeBytes)) {
    return leaveOutLargest(member as Record<string, unknown>, `${path}.${largest}`);
  }
  delete object[largest];
  return `${path}.${largest}`;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
