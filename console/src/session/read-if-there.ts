import { ApiError } from "earnest-client";

/** Returns the object that a request reads; null if there is none. */
export async function readIfThere<Value>(reading: PromiseLike<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  }
}
