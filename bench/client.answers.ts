// A server that says the same to whoever asks, at once: what a client adds to a call shows beside it.

import { createServer } from "node:http";

const [answer = "{}"] = process.argv.slice(2);
const server = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port));
