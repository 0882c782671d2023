/**
 * The option of a request that is about the person, not about the organisation of the tab. The operator API takes no other
 * requests.
 */
export const asPerson = { organisation: null } as const;
