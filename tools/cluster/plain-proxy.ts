// A plain TCP proxy with health checks, for systems without HAProxy. Its argument is the fronts, in JSON.

import { get } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { checkEvery, type Front, failuresUntilOut } from "./proxy.ts";

type Target = { port: number; isUp: boolean; failures: number; sockets: Set<Socket> };

const fronts: Front[] = JSON.parse(process.argv[2] ?? "[]");
for (const front of fronts) serve(front);

function serve({ mode, port, check, servers }: Front): void {
  const targets = servers.map((server) => {
    const target: Target = { port: server.port, isUp: false, failures: 0, sockets: new Set() };
    const again = () => setTimeout(ask, checkEvery);
    const ask = () => {
      const asked = get({
        host: "127.0.0.1",
        port: server.checkPort,
        path: check,
        timeout: 1000,
        agent: false,
      });
      asked.on("response", (answer) => {
        answer.resume();
        note(target, answer.statusCode === 200, mode);
        again();
      });
      asked.on("timeout", () => asked.destroy(new Error("The check took too long.")));
      asked.on("error", () => {
        note(target, false, mode);
        again();
      });
    };
    ask();
    return target;
  });
  let turn = 0;
  const listener = createServer((client) => {
    client.on("error", () => {});
    const up = targets.filter(({ isUp }) => isUp);
    turn += 1;
    lead(
      client,
      up.map((_, at) => up[(at + turn) % up.length] as Target),
    );
  });
  listener.listen(port, "127.0.0.1");
}

function note(target: Target, isGood: boolean, mode: Front["mode"]): void {
  target.failures = isGood ? 0 : target.failures + 1;
  target.isUp = isGood || (target.isUp && target.failures < failuresUntilOut);
  if (target.isUp || mode === "http") return;
  for (const socket of target.sockets) socket.destroy();
}

/** Connects a client to the first server that accepts the connection. */
function lead(client: Socket, [first, ...others]: Target[]): void {
  if (!first) return void client.resetAndDestroy();
  const upstream = connect({ host: "127.0.0.1", port: first.port, noDelay: true });
  client.setNoDelay(true);
  const refused = () => lead(client, others);
  upstream.once("error", refused);
  upstream.once("connect", () => {
    upstream.off("error", refused);
    upstream.on("error", () => client.destroy());
    first.sockets.add(upstream);
    upstream.once("close", () => {
      first.sockets.delete(upstream);
      client.destroy();
    });
    client.once("close", () => upstream.destroy());
    if (client.destroyed) return void upstream.destroy();
    client.pipe(upstream).pipe(client);
  });
}
