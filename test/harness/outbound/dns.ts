import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";
import { type Answer, decode, encode } from "dns-packet";

type RecordType = "A" | "AAAA";

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

/** What the server says to a question: addresses of either family, or a DNS error, or nothing at all. */
export type Zone = (
  name: string,
  type: RecordType,
  questions: Question[],
) => string[] | "NXDOMAIN" | "SERVFAIL" | "silence";

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
    const failed = typeof answer === "string";
    const wanted = (address: string) => isIPv4(address) === (question.type === "A");
    const answers: Answer[] = failed
      ? []
      : answer
          .filter(wanted)
          .map((data) => ({ type: question.type as RecordType, name: question.name, ttl: 0, data }));
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
