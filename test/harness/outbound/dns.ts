import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, isIPv4 } from "node:net";
import { type Answer, decode, encode, TRUNCATED_RESPONSE } from "dns-packet";

type RecordType = "A" | "AAAA" | "TXT" | "CNAME";

export interface Question {
  name: string;
  type: string;
}

export interface NameServer {
  /** `address:port` */
  server: string;
  /** The queries, in order. */
  questions: Question[];
  close(): Promise<void>;
}

type Records = string[] | { texts: string[] } | { alias: string; texts?: string[] };

/**
 * The server's answer to a query: addresses of either family, texts, the target of an alias, an alias with its
 * target's texts, a DNS error, or silence.
 */
export type Zone = (
  name: string,
  type: RecordType,
  questions: Question[],
) => Records | "NXDOMAIN" | "SERVFAIL" | "silence";

/**
 * A real DNS server, whose answers may change from query to query and have a TTL of 0 seconds. It answers by UDP
 * at any length, except for texts that it announces for TCP.
 */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const questions: Question[] = [];
  /** Returns the answer to a message; null for silence. */
  const answerTo = (message: Buffer, isUdp: boolean): Buffer | null => {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (!question) return null;
    questions.push({ name: question.name, type: question.type });
    const answer = zone(question.name.toLowerCase(), question.type as RecordType, questions);
    if (answer === "silence") return null;
    const isCut = isUdp && typeof answer === "object" && "byTcp" in answer;
    const answers =
      typeof answer === "string" || isCut
        ? []
        : answersOf(question as Question & { type: RecordType }, answer);
    const rcode = answer === "NXDOMAIN" ? 3 : answer === "SERVFAIL" ? 2 : 0;
    const flags = (1 << 8) | (1 << 7) | (isCut ? TRUNCATED_RESPONSE : 0) | rcode;
    return encode({ type: "response", id: packet.id, flags, questions: [question], answers });
  };
  const streams = createServer((stream) => {
    stream.on("error", () => {});
    stream.once("data", (data) => {
      const answer = answerTo(data.subarray(2), false);
      if (!answer) return;
      const length = Buffer.from([answer.length >> 8, answer.length & 255]);
      stream.end(Buffer.concat([length, answer]));
    });
  });
  await once(streams.listen(0, "127.0.0.1"), "listening");
  const { port } = streams.address() as AddressInfo;
  const socket = createSocket("udp4");
  socket.on("message", (message, sender) => {
    const answer = answerTo(message, true);
    if (answer) socket.send(answer, sender.port, sender.address);
  });
  await new Promise<void>((resolve) => socket.bind(port, "127.0.0.1", resolve));
  return {
    server: `127.0.0.1:${port}`,
    questions,
    async close() {
      await new Promise<void>((resolve) => socket.close(resolve));
      await new Promise((resolve) => streams.close(resolve));
    },
  };
}

function answersOf({ name, type }: { name: string; type: RecordType }, answer: Records): Answer[] {
  // An alias is answered whatever type its name is queried for.
  if ("alias" in answer) {
    const texts = answer.texts ? answersOf({ name: answer.alias, type }, { texts: answer.texts }) : [];
    return [{ type: "CNAME", name, ttl: 0, data: answer.alias }, ...texts];
  }
  if ("texts" in answer) {
    if (type !== "TXT") return [];
    // Each text is split into strings of at most 255 bytes.
    return answer.texts.map((text) => ({ type, name, ttl: 0, data: text.match(/.{1,255}/gs) ?? [""] }));
  }
  if (type !== "A" && type !== "AAAA") return [];
  return answer
    .filter((address) => isIPv4(address) === (type === "A"))
    .map((data) => ({ type, name, ttl: 0, data }));
}
