import { ApiError } from "earnest-client";

/** The option of a request that is about the person, not about the organisation of the tab. */
export const asPerson = { organisation: null } as const;

/** Returns the object that a request reads; null if there is none. */
export async function readIfThere<Value>(reading: PromiseLike<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  }
}
