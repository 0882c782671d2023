import { ApiError } from "earnest-client";

/** Exports and erasures belong to the person, whichever organisation the tab acts for. */
export const ofPerson = { organisation: null } as const;

/** Returns the object that a request reads; null if there is none. */
export async function readIfThere<Value>(reading: PromiseLike<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  }
}
