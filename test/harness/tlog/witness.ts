import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../../tools/stack/process.ts";
import { createWitnessFolder } from "../../../verifiers/witness/witness-key.ts";
import { ourProgram, type Program, startProgram } from "../programs.ts";

export type TestWitness = {
  /** The address, as in `http://127.0.0.1:49152`. */
  url: string;
  vkey: string;
  folder: string;
  program: Program;
  /** Starts the program again on the same folder. */
  start(): Promise<Program>;
  close(): Promise<void>;
};

/** A witness as `npm run witness` runs it, for these logs. */
export async function startWitness(vkeys: string[], name = "witness.example/w1"): Promise<TestWitness> {
  const parent = mkdtempSync(join(tmpdir(), "earnest-witness-"));
  const folder = join(parent, "state");
  const vkey = await createWitnessFolder(folder, name);
  const logs = join(parent, "logs");
  writeFileSync(logs, `${vkeys.map((each) => `log ${each}`).join("\n")}\nquorum none\n`);
  const port = await findFreePort();
  const witness: TestWitness = {
    url: `http://127.0.0.1:${port}`,
    vkey,
    folder,
    program: undefined as unknown as Program,
    async start() {
      const env = {
        ...process.env,
        WITNESS_DIR: folder,
        WITNESS_LOGS: logs,
        WITNESS_HOST: "127.0.0.1",
        WITNESS_PORT: String(port),
      };
      witness.program = startProgram(process.execPath, ourProgram("scripts/witness.ts"), { env });
      await witness.program.says("witness ready");
      return witness.program;
    },
    async close() {
      witness.program.process.kill("SIGKILL");
      await witness.program.ended;
      rmSync(parent, { recursive: true, force: true });
    },
  };
  await witness.start();
  return witness;
}

/** Requests a cosignature. */
export async function requestCosignature(
  url: string,
  body: string,
): Promise<{ status: number; type: string | null; text: string }> {
  const response = await fetch(`${url}/add-checkpoint`, { method: "POST", body });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}
