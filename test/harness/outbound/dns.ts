import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";
import { type Answer, decode, encode } from "dns-packet";

type RecordType = "A" | "AAAA" | "TXT" | "CNAME";

export interface Question {
  name: string;
  type: string;
}

export interface NameServer {
  /** `address:port` */
  server: string;
  /** What was asked, in order. */
  questions: Question[];
  close(): Promise<void>;
}

/**
 * What the server says to a question: addresses of either family, texts, the name that this one is an alias of, or a DNS
 * error, or nothing at all.
 */
export type Zone = (
  name: string,
  type: RecordType,
  questions: Question[],
) => string[] | { texts: string[] } | { alias: string } | "NXDOMAIN" | "SERVFAIL" | "silence";

/** A real DNS server over UDP, whose answers may change from one question to the next and may be kept 0 seconds. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket("udp4");
  const questions: Question[] = [];
  socket.on("message", (message, sender) => {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (!question) return;
    questions.push({ name: question.name, type: question.type });
    const answer = zone(question.name.toLowerCase(), question.type as RecordType, questions);
    if (answer === "silence") return;
    const answers =
      typeof answer === "string" ? [] : answersOf(question as Question & { type: RecordType }, answer);
    const rcode = answer === "NXDOMAIN" ? 3 : answer === "SERVFAIL" ? 2 : 0;
    const flags = (1 << 8) | (1 << 7) | rcode;
    socket.send(
      encode({ type: "response", id: packet.id, flags, questions: [question], answers }),
      sender.port,
      sender.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function answersOf(
  { name, type }: { name: string; type: RecordType },
  answer: string[] | { texts: string[] } | { alias: string },
): Answer[] {
  // An alias is told whatever is asked of its name.
  if ("alias" in answer) return [{ type: "CNAME", name, ttl: 0, data: answer.alias }];
  if ("texts" in answer) {
    if (type !== "TXT") return [];
    // Each in strings of at most 255 bytes.
    return answer.texts.map((text) => ({ type, name, ttl: 0, data: text.match(/.{1,255}/gs) ?? [""] }));
  }
  if (type !== "A" && type !== "AAAA") return [];
  return answer
    .filter((address) => isIPv4(address) === (type === "A"))
    .map((data) => ({ type, name, ttl: 0, data }));
}
