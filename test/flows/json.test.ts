import { expect } from "vitest";
import { requesterOf, signIn } from "../harness/api.ts";
import { testOnStack } from "../harness/stack.ts";

testOnStack("a request's names are read as they are written, whatever was sent before", async ({ stack }) => {
  const session = await signIn(requesterOf(stack.baseUrl));
  /** Returns the unknown members of a body, from the service's refusal. */
  async function unknownNames(body: string): Promise<string> {
    const answer = await fetch(`${stack.baseUrl}/api/v1/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.token}`, "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { details: { message: string }[] } };
    return error.details.map(({ message }) => message).join("; ");
  }

  // New names, followed by the beginnings of the others' escapes.
  for (let i = 0; i < 5; i++) {
    await unknownNames(`{"first${i}":0,"gr\\\\u0":0}`);
    expect(await unknownNames(`{"first${i}":0,"gr\\u00f6\\u00dfe":0}`)).toContain('"größe"');
    await unknownNames(`{"second${i}":0,"\\\\":0}`);
    expect(await unknownNames(`{"second${i}":0,"\\n":0}`)).not.toContain('"\\"');
  }
});
